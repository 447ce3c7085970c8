// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>

#include <memory/huge_array.hpp>
#include <nearfar/error.hpp>
#include <string>

namespace seismic {

namespace {

constexpr std::size_t huge_page = 2 << 20, line = 64;

}  // namespace

void huge_array::unmap::operator()(void* begin) const noexcept { munmap(begin, bytes); }

huge_array::huge_array(nearfar::index_t floats, int number) : size_(floats) {
  const std::size_t shift = 5 * line * static_cast<std::size_t>(number);
  const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float) + shift + 2 * huge_page;
  void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    throw nearfar::resource_error("no memory for an array of " + std::to_string(bytes >> 20) + " MiB");
  pages_ = std::unique_ptr<void, unmap>(begin, unmap{bytes});
  const auto page = (reinterpret_cast<std::uintptr_t>(begin) + huge_page - 1) / huge_page * huge_page;
  madvise(reinterpret_cast<void*>(page), bytes - huge_page, MADV_HUGEPAGE);  // as well where it is refused
  data_ = reinterpret_cast<float*>(page + shift);
}

}  // namespace seismic
