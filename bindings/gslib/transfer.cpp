// SPDX-License-Identifier: BSD-3-Clause
// Arrays of structures to the ranks that are named: a message of the crystal router per target, with rows of one
// element per array.
#include <algorithm>
#include <cstring>
#include <span>

#include "gslib.h"

namespace {

constexpr std::size_t head = 3;  ///< integers before a message's own: target, source, length

struct columns {
  std::span<array* const> arrays;
  const unsigned* sizes;
  std::size_t row = 0;  ///< integers

  columns(array* const* all, const unsigned* bytes, unsigned count) : arrays(all, count), sizes(bytes) {
    std::size_t sum = 0;
    for (unsigned k = 0; k < count; ++k) sum += bytes[k];
    row = (sum + sizeof(uint) - 1) / sizeof(uint);
  }
  char* element(std::size_t k, std::size_t i) const { return static_cast<char*>(arrays[k]->ptr) + i * sizes[k]; }
  void read(std::size_t i, uint* to) const {
    char* out = reinterpret_cast<char*>(to);
    for (std::size_t k = 0; k < arrays.size(); out += sizes[k++])
      if (sizes[k] != 0) std::memcpy(out, element(k, i), sizes[k]);
  }
  void write(std::size_t i, const uint* from) const {
    const char* in = reinterpret_cast<const char*>(from);
    for (std::size_t k = 0; k < arrays.size(); in += sizes[k++])
      if (sizes[k] != 0) std::memcpy(element(k, i), in, sizes[k]);
  }
};

void pack(const columns& all, const uint* proc, unsigned proc_stride, crystal* cr) {
  const std::size_t n = all.arrays.front()->n;
  const auto target = [&](uint i) {
    return *reinterpret_cast<const uint*>(reinterpret_cast<const char*>(proc) + std::size_t{i} * proc_stride);
  };
  const uint* const order = sortp(&cr->work, 0, proc, static_cast<uint>(n), proc_stride);
  auto* const data = static_cast<uint*>(buffer_reserve(&cr->data, n * (all.row + head) * sizeof(uint)));
  std::size_t end = 0, message = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const uint to = target(order[i]);
    if (to >= cr->comm.np)
      fail(1, __FILE__, __LINE__, "sarray_transfer: an element is for rank %u; there are %u ranks", to, cr->comm.np);
    if (i == 0 || data[message] != to) {
      message = end;
      data[end] = to, data[end + 1] = cr->comm.id, data[end + 2] = 0;
      end += head;
    }
    all.read(order[i], data + end);
    data[message + 2] += static_cast<uint>(all.row);
    end += all.row;
  }
  cr->data.n = end;
}

/// Calls step(source, row) for each row that has arrived; `row` may be NULL-sized.
template <class Step>
void each_row(const crystal* cr, std::size_t row, Step step) {
  const auto* const data = static_cast<const uint*>(cr->data.ptr);
  for (std::size_t i = 0; i < cr->data.n;) {
    const std::size_t end = i + head + data[i + 2];
    const uint source = data[i + 1];
    for (i += head; i < end; i += row) step(source, data + i);
  }
}

}  // namespace

extern "C" {

uint sarray_transfer_many(struct array* const* arrays, const unsigned* sizes, unsigned count, int fixed, int ext,
                          int set_src, unsigned p_off, const uint* proc, unsigned proc_stride, struct crystal* cr) {
  const columns all(arrays, sizes, count);
  pack(all, proc, proc_stride, cr);
  crystal_router(cr);

  std::size_t arrived = 0;
  each_row(cr, all.row, [&](uint, const uint*) { ++arrived; });
  std::size_t capacity = arrived;
  for (unsigned k = 0; k < count; ++k) {
    if (fixed)
      capacity = std::min(capacity, arrays[k]->max);
    else
      array_reserve_(arrays[k], arrived, sizes[k], __FILE__, __LINE__);
  }
  for (unsigned k = 0; k < count; ++k) arrays[k]->n = capacity;
  std::size_t i = 0;
  each_row(cr, all.row, [&](uint source, const uint* row) {
    if (i == capacity) return;
    all.write(i, row);
    if (!ext && set_src) std::memcpy(all.element(0, i) + p_off, &source, sizeof source);
    ++i;
  });
  return static_cast<uint>(arrived);
}

void sarray_transfer_(struct array* a, unsigned size, unsigned p_off, int set_src, struct crystal* cr) {
  const char* const first = static_cast<const char*>(a->ptr) + p_off;
  sarray_transfer_many(&a, &size, 1, 0, 0, set_src, p_off, reinterpret_cast<const uint*>(first), size, cr);
}

void sarray_transfer_ext_(struct array* a, unsigned size, const uint* proc, unsigned proc_stride, struct crystal* cr) {
  sarray_transfer_many(&a, &size, 1, 0, 1, 0, 0, proc, proc_stride, cr);
}

}  // extern "C"
