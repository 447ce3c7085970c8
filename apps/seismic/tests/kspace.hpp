// SPDX-License-Identifier: BSD-3-Clause
// The exact field of a point source in a homogeneous medium that repeats: each wave of the grid by itself, derivatives
// exact.
//
// A wave vector k makes of the system two oscillators, u'' = -A(k) u + b f(t); A has the squares of two frequencies,
// and each mode's answer to the source is the integral of sin(w (t - s)) / w f(s) ds. Nothing here knows of differences
// or time steps.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <grid/grid.hpp>
#include <numbers>
#include <vector>

#include "materials.hpp"

namespace seismic::test {

/// The 2 x 2 matrix of a system for the squares of the wave number along the axis and across it.
using symbol = std::function<std::array<double, 4>(double along2, double across2)>;

inline symbol isotropic_symbol(const material& m) {
  return [v = m.vp * m.vp](double along2, double across2) {
    return std::array<double, 4>{v * (along2 + across2), 0, 0, v * (along2 + across2)};
  };
}

inline symbol fletcher_symbol(const material& m) {
  const double vp2 = m.vp * m.vp, vs2 = m.vs * m.vs, vpx2 = vp2 * (1 + 2 * m.epsilon), vpn2 = vp2 * (1 + 2 * m.delta);
  return [=](double along2, double across2) {
    return std::array<double, 4>{vpx2 * across2 + vs2 * along2, (vp2 - vs2) * along2, (vpn2 - vs2) * across2,
                                 vp2 * along2 + vs2 * across2};
  };
}

inline symbol self_adjoint_symbol(const material& m) {
  const double vp2 = m.vp * m.vp, f = 1 - m.vs * m.vs / vp2, g = 2 * f * (m.epsilon - m.delta) / (f + 2 * m.epsilon);
  return [=, e = m.epsilon](double along2, double across2) {
    const double pm = vp2 * std::sqrt(g * (f - g)) * along2;
    return std::array<double, 4>{vp2 * ((1 + 2 * e) * across2 + (1 - g) * along2), pm, pm,
                                 vp2 * ((1 - f) * across2 + (1 - f + g) * along2)};
  };
}

/// The integral of sin(w (end - s)) / w f(s) ds from 0 to `end`, for all w up to `most`: a table, read by cubic
/// interpolation.
class answers {
 public:
  answers(const std::function<double(double)>& f, double end, double most) : step_(most / (count - 4)) {
    constexpr int parts = 1000;  // Simpson
    std::vector<double> values(count);
    std::vector<double> source(parts + 1);
    for (int n = 0; n <= parts; ++n) source[static_cast<std::size_t>(n)] = f(end * n / parts);
    for (int i = 0; i < count; ++i) {
      const double w = step_ * i;
      double sum = 0;
      for (int n = 0; n <= parts; ++n) {
        const double left = end - end * n / parts, kernel = w > 0 ? std::sin(w * left) / w : left;
        sum += (n == 0 || n == parts ? 1 : n % 2 == 1 ? 4 : 2) * kernel * source[static_cast<std::size_t>(n)];
      }
      values[static_cast<std::size_t>(i)] = sum * end / parts / 3;
    }
    values_ = std::move(values);
  }
  double operator()(double w) const {
    const auto i = static_cast<std::size_t>(std::max(1.0, std::floor(w / step_)));
    const double t = w / step_ - static_cast<double>(i);
    const double a = values_[i - 1], b = values_[i], c = values_[i + 1], d = values_[i + 2];
    return b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
  }

 private:
  static constexpr int count = 3000;
  double step_;
  std::vector<double> values_;
};

/// p and q at `end` of u'' = -A u + f(t) delta(the middle point) (1, into_q), of amplitude 1 at the point itself. C
/// order.
inline std::array<std::vector<double>, 2> exact_fields(const grid& g, const material& m, const symbol& a,
                                                       const std::function<double(double)>& f, double end,
                                                       double into_q) {
  using complex = std::complex<double>;
  const double fastest = m.vp * std::sqrt(1 + 2 * std::max(0.0, m.epsilon)) + m.vs;
  double most = 0;
  for (std::size_t d = 0; d < 3; ++d) most += std::pow(std::numbers::pi / g.spacing_m[d], 2);
  const answers answer(f, end, 1.01 * fastest * std::sqrt(most));
  const auto count = static_cast<std::size_t>(g.size());
  std::array<std::vector<complex>, 2> u{std::vector<complex>(count), std::vector<complex>(count)};
  const auto wave = [&](std::size_t d,
                        index_t n) {  // the shortest wave of an even number of points has no direction: it is left out
    const index_t points = g.points[d], signed_n = 2 * n < points ? n : n - points;
    return 2 * std::numbers::pi * static_cast<double>(signed_n) / (static_cast<double>(points) * g.spacing_m[d]);
  };
  const auto axis = m.axis();
  std::size_t at = 0;
  for (index_t kz = 0; kz < g.points[0]; ++kz)
    for (index_t ky = 0; ky < g.points[1]; ++ky)
      for (index_t kx = 0; kx < g.points[2]; ++kx, ++at) {
        const std::array<double, 3> k{wave(0, kz), wave(1, ky), wave(2, kx)};
        double square = 0, along = 0, phase = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          square += k[d] * k[d], along += axis[d] * k[d];
          phase -= k[d] * g.spacing_m[d] * static_cast<double>(g.points[d] / 2);
        }
        const auto s = a(along * along, std::max(0.0, square - along * along));
        // f(A) of a 2 x 2 matrix with eigenvalues l1, l2: g1 + (A - l1) (g1 - g2) / (l1 - l2).
        const double half = (s[0] + s[3]) / 2,
                     root = std::sqrt(std::max(0.0, std::pow((s[0] - s[3]) / 2, 2) + s[1] * s[2]));
        const double l1 = half + root, l2 = std::max(0.0, half - root);
        const double g1 = answer(std::sqrt(l1)), g2 = answer(std::sqrt(l2));
        const double slope = root > 1e-12 * half ? (g1 - g2) / (2 * root) : 0;
        const complex shift = std::polar(1.0, phase);
        u[0][at] = shift * (g1 + slope * (s[0] - l1 + s[1] * into_q));
        u[1][at] = shift * (g1 * into_q + slope * (s[2] + (s[3] - l1) * into_q));
      }
  // Back to points: sums along one dimension after the other.
  std::array<std::vector<double>, 2> fields;
  for (std::size_t field = 0; field < 2; ++field) {
    std::vector<complex> now = std::move(u[field]), next(count);
    index_t stride = g.size();
    for (std::size_t d = 0; d < 3; ++d) {
      const index_t n = g.points[d], outer = g.size() / stride;
      stride /= n;
      std::vector<complex> turn(static_cast<std::size_t>(n));
      for (index_t i = 0; i < n; ++i)
        turn[static_cast<std::size_t>(i)] =
            std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
      for (index_t o = 0; o < outer; ++o)
        for (index_t to = 0; to < n; ++to) {
          complex* const out = next.data() + (o * n + to) * stride;
          std::fill_n(out, stride, complex{});
          for (index_t from = 0; from < n; ++from) {
            const complex t = turn[static_cast<std::size_t>(from * to % n)] / static_cast<double>(n);
            const complex* const in = now.data() + (o * n + from) * stride;
            for (index_t i = 0; i < stride; ++i)
              out[i] += complex(t.real() * in[i].real() - t.imag() * in[i].imag(),
                                t.real() * in[i].imag() + t.imag() * in[i].real());
          }
        }
      now.swap(next);
    }
    fields[field].resize(count);
    for (std::size_t i = 0; i < count; ++i) fields[field][i] = now[i].real();
  }
  return fields;
}

}  // namespace seismic::test
