// SPDX-License-Identifier: BSD-3-Clause
// A pattern: for this rank, the regions of its buffers to send to each peer, and the regions to receive into.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearfar::exchange {

/// Elements at base + offset + sum of i[d] * strides_bytes[d], in the order of the dimensions (first slowest).
struct strided_box {
  index_t offset_bytes = 0;
  index_t element_bytes = 0;
  std::vector<index_t> extents;
  std::vector<index_t> strides_bytes;

  index_t elements() const noexcept;
  index_t bytes() const noexcept { return elements() * element_bytes; }
  bool is_within(index_t buffer_bytes) const noexcept;
};

/// The same elements without gaps, in the order of the box's dimensions.
strided_box packed(const strided_box& shape, index_t offset_bytes = 0);

/// Memory of this rank that regions refer to.
struct buffer {
  void* base = nullptr;
  index_t bytes = 0;
};

/// One side of one movement. The k-th send of a rank to a peer meets the k-th receive of that peer from it; both
/// regions must have the same number of elements and element size, and correspond element by element in their own
/// orders.
struct transfer {
  int peer = 0;  ///< team rank; this rank itself is allowed
  int buffer = 0;
  strided_box where;
};

struct pattern {
  std::vector<buffer> buffers;
  std::vector<transfer> sends, receives;
};

}  // namespace nearfar::exchange
