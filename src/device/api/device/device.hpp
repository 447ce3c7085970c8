// SPDX-License-Identifier: BSD-3-Clause
// Memory of a GPU, by CUDA's driver, found at run time: whether an address is in it, allocation, copies.
#pragma once

#include <base/numbers.hpp>
#include <span>

namespace nearfar::device {

/// Whether the process has CUDA's driver in it, as one that has GPU memory does. Never loads it. Local.
bool has_driver() noexcept;

/// True for memory that only a GPU can load from: not for managed memory, nor for host memory that CUDA knows. Asks
/// nobody, and loads nothing, where the process has no CUDA driver in it. Local.
bool is_device_memory(const void* address) noexcept;

/// Memory of the GPU that is current on this thread; empty or given back at the end.
class memory {
 public:
  memory() = default;
  /// @throws resource_error  naming the bytes asked for and those free
  explicit memory(index_t bytes);
  ~memory();
  memory(memory&& other) noexcept;
  memory& operator=(memory&& other) noexcept;
  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
};

/// Ordinary or near memory that the GPU may read and write directly while this lives; a copy from or to it needs no
/// other. Where CUDA is not there, or refuses, is_pinned() is false and all works as before, slower.
class pinned {
 public:
  pinned() = default;
  pinned(void* address, index_t bytes) noexcept;
  ~pinned();
  pinned(pinned&& other) noexcept;
  pinned& operator=(pinned&& other) noexcept;
  bool is_pinned() const noexcept { return address_ != nullptr; }

 private:
  void* address_ = nullptr;
};

enum class direction { to_host, to_device, on_device };

/// `count` rows of `bytes`; neighbours begin at a distance of from_stride and to_stride bytes, no less than a row has.
struct rows {
  index_t count = 1, bytes = 0;
  index_t from_stride = 0, to_stride = 0;
};

/// Returns when the copy is done; waits for what the GPU's default stream had to do before. @throws resource_error what
/// CUDA says
void copy(void* to, const void* from, const rows& what, direction where);

/// One dimension of a box of elements; distances in bytes, which may be negative.
struct loop {
  index_t count = 1, from_stride = 0, to_stride = 0;
};

/// The same of a box, the slowest dimension first: rows at equal distances go as one copy.
void copy_box(std::byte* to, const std::byte* from, index_t element_bytes, std::span<const loop> loops,
              direction where);

/// Multiplies `count` neighbouring numbers in GPU memory. By cuBLAS, found at run time. @throws usage_error  where it
/// is not found
/// @throws resource_error  what it says
template <class Real>
void scale(Real* first, index_t count, Real factor);
/// Whether there is a cuBLAS for scale().
bool can_scale() noexcept;

/// Waits for what was started on the default stream. @throws resource_error  what CUDA says of it
void synchronize();

}  // namespace nearfar::device
