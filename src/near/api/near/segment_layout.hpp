// SPDX-License-Identifier: BSD-3-Clause
// The layout of a block of shared memory: parts of one type each, one after the other.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <type_traits>

namespace nearfar::near {

/// `count` objects of T from byte `at` of a block on. A plain value: ranks that know it may tell others.
template <class T>
struct part {
  index_t at = 0, count = 0;

  T* in(std::byte* block) const noexcept { return reinterpret_cast<T*>(block + at); }
  const T* in(const std::byte* block) const noexcept { return reinterpret_cast<const T*>(block + at); }
};

/// Ranks that add the same parts in the same order get the same places. Blocks begin at a page and as zeros, so a T is
/// one for which zeros are a value, and nobody destroys it.
class segment_layout {
 public:
  template <class T>
  part<T> add(index_t count = 1, index_t alignment = alignof(T)) {
    static_assert(std::is_trivially_destructible_v<T>);
    const index_t at = (bytes_ + alignment - 1) / alignment * alignment;
    bytes_ = at + count * index_t{sizeof(T)};
    return {at, count};
  }

  index_t bytes() const noexcept { return bytes_; }

 private:
  index_t bytes_ = 0;
};

}  // namespace nearfar::near
