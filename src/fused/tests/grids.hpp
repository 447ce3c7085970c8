// SPDX-License-Identifier: BSD-3-Clause
// Whole grids that every rank computes alike, and their transforms by the definition, in extended precision.
#pragma once

#include <functional>

#include <fourier/naive.hpp>
#include <random_transpose.hpp>

namespace nearfar::test {

using fourier::test::exact;
using fourier::test::numbers;

/// All elements of a grid, the last axis fastest.
struct whole_grid {
  std::vector<index_t> extents;
  numbers values;

  const exact& at(const std::array<index_t, max_dimensions>& place) const {
    return values[as_size(global_index(extents, place))];
  }
  index_t lines_of(std::size_t axis) const { return as_index(values.size()) / extents[axis]; }
};

/// Replaces every line along `axis` by what `change` makes of it.
inline whole_grid along(const whole_grid& g, std::size_t axis, const std::function<numbers(const numbers&)>& change) {
  index_t inner = 1;
  for (std::size_t d = axis + 1; d < g.extents.size(); ++d) inner *= g.extents[d];
  const index_t n = g.extents[axis], outer = g.lines_of(axis) / inner;
  whole_grid r{g.extents, {}};
  for (index_t o = 0; o < outer; ++o)
    for (index_t i = 0; i < inner; ++i) {
      numbers line(as_size(n));
      for (index_t k = 0; k < n; ++k) line[as_size(k)] = g.values[as_size((o * n + k) * inner + i)];
      const numbers changed = change(line);
      const index_t m = as_index(changed.size());
      r.extents[axis] = m;
      r.values.resize(as_size(outer * m * inner));
      for (index_t k = 0; k < m; ++k) r.values[as_size((o * m + k) * inner + i)] = changed[as_size(k)];
    }
  return r;
}

/// Numbers in (-1, 1) that all ranks draw alike.
inline whole_grid random_grid(const std::vector<index_t>& extents, bool is_complex, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);  // exact in float
  whole_grid g{extents, {}};
  index_t cells = 1;
  for (const index_t n : extents) cells *= n;
  for (index_t i = 0; i < cells; ++i) {
    const float re = number(random), im = number(random);
    g.values.emplace_back(re, is_complex ? im : 0.0F);
  }
  return g;
}

/// One axis by the definition.
inline whole_grid transformed(const whole_grid& g, fourier::kind what, int axis, index_t length) {
  return along(g, static_cast<std::size_t>(axis), fourier::test::definition(what, length));
}

template <class Real>
void put(std::byte* to, const exact& x, bool is_complex) {
  auto* const reals = reinterpret_cast<Real*>(to);
  reals[0] = static_cast<Real>(x.real());
  if (is_complex) reals[1] = static_cast<Real>(x.imag());
}

template <class Real>
exact get(const std::byte* from, bool is_complex) {
  const auto* const reals = reinterpret_cast<const Real*>(from);
  return {reals[0], is_complex ? reals[1] : 0};
}

}  // namespace nearfar::test
