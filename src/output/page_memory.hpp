// SPDX-License-Identifier: BSD-3-Clause
// Memory that begins with a page: for what is written past the page cache, and for arrays that programs compute in.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace nearfar::output {

struct freed {
  void operator()(std::byte* p) const noexcept { std::free(p); }
};
using pages = std::unique_ptr<std::byte, freed>;

/// Not initialised; null where there is no memory.
inline pages new_pages(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  return pages(static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)));
}

/// For containers.
template <class T>
struct page_allocator {
  using value_type = T;
  page_allocator() = default;
  template <class Other>
  page_allocator(const page_allocator<Other>&) noexcept {}
  T* allocate(std::size_t count) {
    pages made = new_pages(count * sizeof(T));
    if (made == nullptr) throw std::bad_alloc();
    return reinterpret_cast<T*>(made.release());
  }
  void deallocate(T* p, std::size_t) noexcept { std::free(p); }
  friend bool operator==(const page_allocator&, const page_allocator&) noexcept { return true; }
};
using page_buffer = std::vector<std::byte, page_allocator<std::byte>>;

}  // namespace nearfar::output
