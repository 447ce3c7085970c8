// SPDX-License-Identifier: BSD-3-Clause
// Large arrays in huge pages: rows of many planes are read at once, and each would need an entry of the TLB of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <nearfar/box.hpp>

namespace seismic {

/// Floats that start as zeros, on a cache line. Pages are touched by whoever writes them first. Movable.
class huge_array {
 public:
  huge_array() = default;
  /// `number` of the arrays that are used together: it begins that many times some cache lines behind its page, so that
  /// equal places of different arrays do not compete for the same sets of the cache. @throws nearfar::resource_error
  /// naming the bytes
  huge_array(nearfar::index_t floats, int number);

  float* data() noexcept { return data_; }
  const float* data() const noexcept { return data_; }
  nearfar::index_t size() const noexcept { return size_; }

 private:
  struct unmap {
    std::size_t bytes;
    void operator()(void* begin) const noexcept;
  };
  std::unique_ptr<void, unmap> pages_;
  float* data_ = nullptr;
  nearfar::index_t size_ = 0;
};

}  // namespace seismic
