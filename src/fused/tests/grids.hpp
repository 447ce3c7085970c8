// SPDX-License-Identifier: BSD-3-Clause
// Whole grids that every rank computes alike, and their transforms by the definition.
#pragma once

#include <functional>
#include <fused/stage.hpp>
#include <random>

#include <fourier/naive.hpp>

namespace nearfar::fused::test {

using fourier::test::exact;

/// All elements of a grid, the last axis fastest.
struct whole_grid {
  std::vector<index> extents;
  std::vector<exact> values;

  index number_of(const std::array<index, max_dimensions>& at) const {
    index number = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) number = number * extents[d] + at[d];
    return number;
  }
};

template <class Body>
void for_elements(const box& b, Body body) {
  if (b.is_empty()) return;
  auto at = b.lower;
  for (;;) {
    body(at);
    int d = b.dimensions - 1;
    for (; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      if (++at[i] < b.upper[i]) break;
      at[i] = b.lower[i];
    }
    if (d < 0) return;
  }
}

inline box whole_box(const std::vector<index>& extents) {
  box b{static_cast<int>(extents.size()), {}, {}};
  std::copy(extents.begin(), extents.end(), b.upper.begin());
  return b;
}

inline whole_grid random_grid(const std::vector<index>& extents, bool is_complex, unsigned seed) {
  whole_grid g{extents, {}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> values(-1, 1);
  for_elements(whole_box(extents), [&](const auto&) {
    const double re = values(random), im = values(random);
    g.values.emplace_back(static_cast<float>(re), is_complex ? static_cast<float>(im) : 0.0F);
  });
  return g;
}

/// One axis by the definition.
inline whole_grid transformed(const whole_grid& g, fourier::kind what, int axis, index length) {
  const auto a = static_cast<std::size_t>(axis);
  const fourier::test::definition line(what, length);
  const fourier::line_shape shape{what, length};
  whole_grid result{g.extents, {}};
  result.extents[a] = shape.out_length();
  result.values.resize(1);
  for (const index n : result.extents) result.values.resize(result.values.size() * as_size(n));
  box starts = whole_box(g.extents);
  starts.upper[a] = 1;
  for_elements(starts, [&](auto at) {
    fourier::test::numbers in;
    for (at[a] = 0; at[a] < shape.in_length(); ++at[a]) in.push_back(g.values[as_size(g.number_of(at))]);
    const auto out = line(in);
    for (at[a] = 0; at[a] < shape.out_length(); ++at[a])
      result.values[as_size(result.number_of(at))] = out[as_size(at[a])];
  });
  return result;
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

}  // namespace nearfar::fused::test
