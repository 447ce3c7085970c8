// SPDX-License-Identifier: BSD-3-Clause
// GPU memory by calls of the driver; errors become the library's.
#include <base/text.hpp>
#include <device/device.hpp>
#include <utility>

#include "cuda_driver.hpp"

namespace nearfar::device {
namespace {

constexpr int attribute_memory_type = 2, attribute_is_managed = 8;  // CU_POINTER_ATTRIBUTE_…

int copy_one(void* to, const void* from, index_t bytes, direction where) {
  const std::size_t n = as_size(bytes);
  switch (where) {
    case direction::to_host:
      return driver().copy_to_host(to, address_of(from), n);
    case direction::to_device:
      return driver().copy_to_device(address_of(to), from, n);
    default:
      return driver().copy_on_device(address_of(to), address_of(from), n);
  }
}

int copy_several(void* to, const void* from, const rows& r, direction where) {
  cuda_rows_copy c{};
  const bool is_from_host = where == direction::to_device, is_to_host = where == direction::to_host;
  c.from_type = is_from_host ? memory_type::host : memory_type::device;
  if (is_from_host)
    c.from_host = from;
  else
    c.from_device = address_of(from);
  c.to_type = is_to_host ? memory_type::host : memory_type::device;
  if (is_to_host)
    c.to_host = to;
  else
    c.to_device = address_of(to);
  c.from_pitch = as_size(r.from_stride), c.to_pitch = as_size(r.to_stride);
  c.width_bytes = as_size(r.bytes), c.height = as_size(r.count);
  return driver().copy_rows(&c);
}

}  // namespace

bool has_driver() noexcept { return loaded_driver() != nullptr; }

bool is_device_memory(const void* address) noexcept {
  const cuda_driver* d = address ? loaded_driver() : nullptr;
  if (!d) return false;
  unsigned type = 0, is_managed = 0;
  if (d->pointer_attribute(&type, attribute_memory_type, address_of(address)) != cuda_success) return false;
  if (type != static_cast<unsigned>(memory_type::device)) return false;
  const int code = d->pointer_attribute(&is_managed, attribute_is_managed, address_of(address));
  return code != cuda_success || is_managed == 0;
}

memory::memory(index_t bytes) {
  if (bytes == 0) return;
  cuda_address at = 0;
  const int code = driver().allocate(&at, as_size(bytes));
  std::size_t left = 0, total = 0;
  if (code != cuda_success) driver().free_memory(&left, &total);
  check(code, text("no ", bytes, " bytes of GPU memory (", left, " of ", total, " are free)"));
  data_ = reinterpret_cast<std::byte*>(at);
}
memory::~memory() {
  if (data_) driver().give_back(address_of(data_));
}
memory::memory(memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
memory& memory::operator=(memory&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}

pinned::pinned(void* address, index_t bytes) noexcept {
  constexpr unsigned for_all_contexts = 1;  // CU_MEMHOSTREGISTER_PORTABLE
  const cuda_driver* d = bytes > 0 ? loaded_driver() : nullptr;
  if (d && d->pin(address, as_size(bytes), for_all_contexts) == cuda_success) address_ = address;
}
pinned::~pinned() {
  const cuda_driver* d = address_ ? loaded_driver() : nullptr;
  if (d) d->unpin(address_);
}
pinned::pinned(pinned&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}
pinned& pinned::operator=(pinned&& other) noexcept {
  std::swap(address_, other.address_);
  return *this;
}

void copy(void* to, const void* from, const rows& what, direction where) {
  if (what.count == 0 || what.bytes == 0) return;
  const bool is_one = what.count == 1 || (what.from_stride == what.bytes && what.to_stride == what.bytes);
  check(is_one ? copy_one(to, from, what.count * what.bytes, where) : copy_several(to, from, what, where),
        text("copy of ", what.count, " rows of ", what.bytes, " bytes from or to GPU memory"));
}

namespace {
void copy_around(std::byte* to, const std::byte* from, const rows& inner, std::span<const loop> outer,
                 direction where) {
  if (outer.empty()) return copy(to, from, inner, where);
  const loop& l = outer.front();
  for (index_t i = 0; i < l.count; ++i)
    copy_around(to + i * l.to_stride, from + i * l.from_stride, inner, outer.subspan(1), where);
}
}  // namespace

/// Rows that go backwards, or lie in each other, are copied one by one.
void copy_box(std::byte* to, const std::byte* from, index_t element_bytes, std::span<const loop> loops,
              direction where) {
  rows r{1, element_bytes, element_bytes, element_bytes};
  const auto is_inner = [&](auto fits) { return !loops.empty() && fits(loops.back()); };
  if (is_inner([&](const loop& l) { return l.from_stride == element_bytes && l.to_stride == element_bytes; })) {
    r.bytes *= loops.back().count;
    loops = loops.first(loops.size() - 1);
  }
  if (is_inner([&](const loop& l) { return l.from_stride >= r.bytes && l.to_stride >= r.bytes; })) {
    r = {loops.back().count, r.bytes, loops.back().from_stride, loops.back().to_stride};
    loops = loops.first(loops.size() - 1);
  }
  copy_around(to, from, r, loops, where);
}

void synchronize() { check(driver().synchronize(nullptr), "waiting for the GPU"); }

}  // namespace nearfar::device
