// SPDX-License-Identifier: BSD-3-Clause
// Stable sorting of values with a stride, and of structures by permutations.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "gslib.h"

namespace {

template <class T>
const T& at(const T* a, std::size_t i, unsigned stride) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(a) + i * stride);
}

template <class T>
void sorted_values(T* out, const T* a, uint n, unsigned stride) {
  for (uint i = 0; i < n; ++i) out[i] = at(a, i, stride);
  std::stable_sort(out, out + n);
}

template <class T>
uint* sorted_places(buffer* buf, int start_perm, const T* a, uint n, unsigned stride) {
  uint* const places = static_cast<uint*>(buffer_reserve(buf, std::size_t{n} * sizeof(uint)));
  if (!start_perm) std::iota(places, places + n, 0U);
  std::stable_sort(places, places + n, [=](uint i, uint j) { return at(a, i, stride) < at(a, j, stride); });
  return places;
}

}  // namespace

extern "C" {

void sortv(uint* out, const uint* a, uint n, unsigned stride, buffer*) { sorted_values(out, a, n, stride); }
void sortv_long(ulong* out, const ulong* a, uint n, unsigned stride, buffer*) { sorted_values(out, a, n, stride); }
void sortv_double(double* out, const double* a, uint n, unsigned stride, buffer*) { sorted_values(out, a, n, stride); }
void sortv_float(float* out, const float* a, uint n, unsigned stride, buffer*) { sorted_values(out, a, n, stride); }

uint* sortp(buffer* buf, int start_perm, const uint* a, uint n, unsigned stride) {
  return sorted_places(buf, start_perm, a, n, stride);
}
uint* sortp_long(buffer* buf, int start_perm, const ulong* a, uint n, unsigned stride) {
  return sorted_places(buf, start_perm, a, n, stride);
}
uint* sortp_double(buffer* buf, int start_perm, const double* a, uint n, unsigned stride) {
  return sorted_places(buf, start_perm, a, n, stride);
}
uint* sortp_float(buffer* buf, int start_perm, const float* a, uint n, unsigned stride) {
  return sorted_places(buf, start_perm, a, n, stride);
}

void sarray_permute_(size_t size, void* a, size_t n, uint* perm, void*) {
  char* const elements = static_cast<char*>(a);
  const std::vector<char> before(elements, elements + n * size);
  for (std::size_t i = 0; i < n; ++i) std::memcpy(elements + i * size, before.data() + perm[i] * size, size);
}

void sarray_permute_buf_(size_t, size_t size, void* a, size_t n, buffer* buf) {
  sarray_permute_(size, a, n, static_cast<uint*>(buf->ptr), nullptr);
}

}  // extern "C"
