// SPDX-License-Identifier: BSD-3-Clause
// Loops over elements in the ways that programs write them; each source that includes this compiles them at a level of
// optimisation of its own and says it in LEVEL.
#pragma once

#include <nearfar/field.hpp>
#include <nearfar/for_each.hpp>
#include <nearfar/transpose.hpp>

#include "loops.hpp"

namespace bench {
namespace {

using nearfar::box;
using nearfar::index_t;

// b = a + 0.1 (six neighbours of a)
template <class Source, class Target>
void stencil(const Source& a, const Target& b, const box& cells) {
  for (index_t k = cells.lower[0]; k < cells.upper[0]; ++k)
    for (index_t j = cells.lower[1]; j < cells.upper[1]; ++j)
      for (index_t i = cells.lower[2]; i < cells.upper[2]; ++i)
        b(k, j, i) = a(k, j, i) + 0.1 * (a(k - 1, j, i) + a(k + 1, j, i) + a(k, j - 1, i) + a(k, j + 1, i) +
                                         a(k, j, i - 1) + a(k, j, i + 1));
}

void stencil_by_view(nearfar::element_view<const double> a, nearfar::element_view<double> b, const box& cells) {
  stencil(a, b, cells);
}

void stencil_for_each(nearfar::element_view<const double> a, nearfar::element_view<double> b, const box& cells) {
  nearfar::for_each(cells, [a, b](index_t k, index_t j, index_t i) {
    b(k, j, i) = a(k, j, i) + 0.1 * (a(k - 1, j, i) + a(k + 1, j, i) + a(k, j - 1, i) + a(k, j + 1, i) +
                                     a(k, j, i - 1) + a(k, j, i + 1));
  });
}

void stencil_by_pointer(const double* a, double* b, const box& cells, index_t plane, index_t row) {
  for (index_t k = 0; k < cells.extent(0); ++k)
    for (index_t j = 0; j < cells.extent(1); ++j) {
      const index_t at = (k + 1) * plane + (j + 1) * row + 1;
      for (index_t i = at; i < at + cells.extent(2); ++i)
        b[i] = a[i] + 0.1 * (a[i - plane] + a[i + plane] + a[i - row] + a[i + row] + a[i - 1] + a[i + 1]);
    }
}

// a = 1.0001 a
template <class Array>
void scale(const Array& a, const box& cells) {
  for (index_t k = cells.lower[0]; k < cells.upper[0]; ++k)
    for (index_t j = cells.lower[1]; j < cells.upper[1]; ++j)
      for (index_t i = cells.lower[2]; i < cells.upper[2]; ++i) a(k, j, i) *= 1.0001;
}

void scale_by_view(nearfar::element_view<double> a, const box& cells) { scale(a, cells); }

void scale_by_pointer(double* a, const box& cells, index_t plane, index_t row) {
  for (index_t k = 0; k < cells.extent(0); ++k)
    for (index_t j = 0; j < cells.extent(1); ++j)
      for (index_t i = 0; i < cells.extent(2); ++i) a[k * plane + j * row + i] *= 1.0001;
}

access_loops loops() {
  return {LEVEL,
          &stencil<nearfar::field<double>, nearfar::field<double>>,
          &stencil_by_view,
          &stencil_for_each,
          &stencil_by_pointer,
          &scale<nearfar::transpose_array<double>>,
          &scale_by_view,
          &scale_by_pointer};
}

}  // namespace
}  // namespace bench
