// SPDX-License-Identifier: BSD-3-Clause
// A pattern: what goes where. For this rank, the regions of its buffers that other ranks get, and the regions that it gets.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace nearfar::exchange {

/// Elements at base + offset + sum of i[d] * strides_bytes[d], in the order of the dimensions (first slowest).
struct strided_box {
  index_t offset_bytes = 0;
  index_t element_bytes = 0;
  std::vector<index_t> extents;
  std::vector<index_t> strides_bytes;

  index_t elements() const noexcept;
  bool is_within(index_t buffer_bytes) const noexcept;
};

/// Elements at base + offset + indices[i] * element_bytes.
struct index_list {
  index_t offset_bytes = 0;
  index_t element_bytes = 0;
  std::vector<index_t> indices;

  index_t elements() const noexcept { return as_index(indices.size()); }
  bool is_within(index_t buffer_bytes) const noexcept;
};

using region = std::variant<strided_box, index_list>;
index_t elements_of(const region& r) noexcept;
index_t bytes_of(const region& r) noexcept;
bool is_within(const region& r, index_t buffer_bytes) noexcept;

/// Memory of this rank that regions refer to.
struct buffer {
  void* base = nullptr;
  index_t bytes = 0;
};

/// One side of one movement. The k-th send of a rank to a peer meets the k-th receive of that peer from it; both regions
/// must have the same number of elements and element size, and correspond element by element in their own orders.
struct transfer {
  int peer = 0;  ///< team rank; this rank itself is allowed
  int buffer = 0;
  region where;
};

enum class combine { copy, add };
enum class value_type {
  bytes,
  int32,
  int64,
  float32,
  float64
};  ///< what `add` adds; elements are whole numbers of values

struct pattern {
  std::vector<buffer> buffers;
  std::vector<transfer> sends, receives;
  combine how = combine::copy;
  value_type type = value_type::bytes;
};

}  // namespace nearfar::exchange
