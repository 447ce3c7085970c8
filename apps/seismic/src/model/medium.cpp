// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory/first_error.hpp>
#include <model/medium.hpp>

namespace seismic {

namespace {

constexpr std::size_t kinds = 6;

/// What one point of a medium is.
struct point {
  double vp, vs, epsilon, delta, tilt, azimuth;
};

struct axis {
  double x, y, z;
};

axis axis_of(const point& m) {
  return {std::sin(m.tilt) * std::cos(m.azimuth), std::sin(m.tilt) * std::sin(m.azimuth), std::cos(m.tilt)};
}

/// -1 times the symbols of the second differences for waves two points long, per dimension, 1/m^2.
struct shortest_waves {
  double z, y, x;
  double sum() const { return z + y + x; }
  double along(const axis& a) const { return a.x * a.x * x + a.y * a.y * y + a.z * a.z * z; }
};

/// (vs / vp)^2. Where nothing moves, as at the rim of random sides, what the mini-app's sigma would give: like its
/// neighbours, as a rule.
double shear_share(double vp, double vs, double epsilon, double delta) {
  if (vp > 0) return vs * vs / (vp * vp);
  constexpr double sigma = 0.75, least = 0.1;
  return std::max(least, std::abs(epsilon - delta) / sigma);
}

/// g of the self-adjoint system; f is 1 - vs^2 / vp^2.
double coupling(const point& m, double f) { return 2 * f * (m.epsilon - m.delta) / (f + 2 * m.epsilon); }

double largest_square(system_kind system, const point& m, const shortest_waves& s) {
  const double vp2 = m.vp * m.vp, vs2 = m.vs * m.vs;
  if (system == system_kind::isotropic) return vp2 * s.sum();
  const double h1 = s.along(system == system_kind::fletcher_vti ? axis{0, 0, 1} : axis_of(m)), h2 = s.sum() - h1;
  if (system == system_kind::self_adjoint) {
    const double f = 1 - shear_share(m.vp, m.vs, m.epsilon, m.delta), g = coupling(m, f);
    const double pp = (1 + 2 * m.epsilon) * h2 + (1 - g) * h1, mm = (1 - f) * h2 + (1 - f + g) * h1,
                 pm2 = g * (f - g) * h1 * h1;
    return vp2 * ((pp + mm) / 2 + std::sqrt((pp - mm) * (pp - mm) / 4 + std::max(0.0, pm2)));
  }
  const double vpx2 = vp2 * (1 + 2 * m.epsilon), vpn2 = vp2 * (1 + 2 * m.delta);
  const double pp = vpx2 * h2 + vs2 * h1, pq = (vp2 - vs2) * h1, qp = (vpn2 - vs2) * h2, qq = vp2 * h1 + vs2 * h2;
  return (pp + qq) / 2 + std::sqrt(std::max(0.0, (pp - qq) * (pp - qq) / 4 + pq * qp));
}

using targets = std::array<float*, most_coefficients>;

void put_self_adjoint(const point& m, const targets& to) {
  const double f = 1 - shear_share(m.vp, m.vs, m.epsilon, m.delta), g = coupling(m, f);
  const axis a = axis_of(m);
  const std::array<double, 8> values{m.vp * m.vp, 2 * m.epsilon, g,   std::sqrt(std::max(0.0, g * (f - g))),
                                     1 - f,       a.x,           a.y, a.z};
  for (std::size_t c = 0; c < values.size(); ++c) *to[c] = static_cast<float>(values[c]);
}

void put_coefficients(system_kind system, const point& m, const targets& to) {
  if (system == system_kind::self_adjoint) return put_self_adjoint(m, to);
  const double vp2 = m.vp * m.vp;
  const auto put = [&](std::size_t c, double value) { *to[c] = static_cast<float>(value); };
  if (system == system_kind::isotropic) return put(0, vp2);
  put(0, vp2 * (1 + 2 * m.epsilon)), put(1, vp2 * (1 + 2 * m.delta)), put(2, vp2), put(3, m.vs * m.vs);
  if (system == system_kind::fletcher_vti) return;
  const axis a = axis_of(m);
  put(4, a.x), put(5, a.y), put(6, a.z);
}

/// The properties along one row of the grid.
class row_reader {
 public:
  row_reader(const medium& of, index_t points) : of_(of), points_(points) {
    for (std::size_t p = 0; p < kinds; ++p)
      if (of_.properties[p] != nullptr) values_[p].resize(static_cast<std::size_t>(points));
  }
  void read(index_t k, index_t j) {
    const nearfar::box where{3, {k, j, 0}, {k + 1, j + 1, points_}};
    for (std::size_t p = 0; p < kinds; ++p)
      if (of_.properties[p] != nullptr) of_.properties[p]->read(where, values_[p]);
  }
  point at(index_t i) const {
    std::array<double, kinds> v{};
    for (std::size_t p = 0; p < kinds; ++p)
      if (!values_[p].empty()) v[p] = values_[p][static_cast<std::size_t>(i)];
    return {v[0], v[1], v[2], v[3], v[4], v[5]};
  }

 private:
  const medium& of_;
  index_t points_;
  std::array<std::vector<float>, kinds> values_;
};

/// Of a point outside of the grid, the one whose values it has.
index_t inside(index_t n, index_t points, bool repeats) {
  return repeats ? (n % points + points) % points : std::clamp<index_t>(n, 0, points - 1);
}

}  // namespace

std::pair<double, double> couplings(double vp, double vs, double epsilon, double delta) {
  const double across = shear_share(vp, vs, epsilon, delta);
  return {across, across + coupling({vp, vs, epsilon, delta, 0, 0}, 1 - across)};
}

coefficients::coefficients(system_kind system, const medium& of, const grid& points, const nearfar::box& own,
                           const tile_shape& shape, bool repeats, int threads)
    : shape_(shape) {
  rates_ = system == system_kind::isotropic || system == system_kind::self_adjoint ? 1 : 4;
  const int count = coefficients_of(system);
  for (int c = 0; c < count; ++c) arrays_.emplace_back(shape.volume(), fields_of(system) * 2 + c);
  const double symbol = largest_symbol(shape.radius);
  const auto shortest = [&](std::size_t d) {
    return points.points[d] == 1 ? 0 : symbol / (points.spacing_m[d] * points.spacing_m[d]);
  };
  const shortest_waves waves{shortest(z), shortest(y), shortest(x)};
  double square = 0, fastest = 0, least = 1, most = 0;
  const auto fill_point = [&](const point& m, index_t at) {
    targets to{};
    for (std::size_t c = 0; c < arrays_.size(); ++c) to[c] = arrays_[c].data() + at;
    put_coefficients(system, m, to);
  };
  const bool has_rim = system == system_kind::self_adjoint;
  const index_t rim = has_rim ? shape.ghosts : 0, before = has_rim ? tile_shape::margin : 0;
  first_error errors;
#pragma omp parallel num_threads(threads) reduction(max : square, fastest, most) reduction(min : least)
  {
    row_reader row(of, points.points[2]);
#pragma omp for schedule(static)
    for (index_t k = -rim; k < shape.nz + rim; ++k)
      errors.guard([&] {
        for (index_t j = -rim; j < shape.ny + rim; ++j) {
          row.read(inside(own.lower[0] + k, points.points[0], repeats),
                   inside(own.lower[1] + j, points.points[1], repeats));
          for (index_t i = -before; i < shape.nx + before; ++i) {
            const point m = row.at(inside(i, shape.nx, repeats));
            fill_point(m, shape.at(k, j, i));
            if (k < 0 || k >= shape.nz || j < 0 || j >= shape.ny || i < 0 || i >= shape.nx) {
              arrays_[0].data()[shape.at(k, j, i)] = 0;
              continue;
            }
            square = std::max(square, largest_square(system, m, waves));
            fastest = std::max(fastest, m.vp * std::sqrt(1 + 2 * std::max(0.0, m.epsilon)));
            if (has_rim) {
              const auto [own, all] = couplings(m.vp, m.vs, m.epsilon, m.delta);
              least = std::min(least, own), most = std::max(most, all);
            }
          }
        }
      });
  }
  errors.rethrow();
  bound_ = {std::sqrt(square)}, fastest_ = fastest, least_coupling_ = least, most_coupling_ = most;
  if (has_rim) add_diagonals(points, threads);
}

// u S_d C_dd / 2 of the self-adjoint system, whose u is all that changes.
void coefficients::add_diagonals(const grid& points, int threads) {
  const auto weights = second_derivative(shape_.radius);
  const std::array<index_t, 3> strides{shape_.plane(), shape_.row(), 1};
  const auto diagonals = [&](index_t at, std::size_t d) {  // of C_dd: p and p, p and m, m and m
    const auto c = [&](std::size_t n) { return static_cast<double>(arrays_[n].data()[at]); };
    const double along = c(7 - d) * c(7 - d);
    return std::array<double, 3>{1 + c(1) - (c(1) + c(2)) * along, c(3) * along, c(4) + c(2) * along};
  };
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t k = 0; k < shape_.nz; ++k)
    for (index_t n = 0; n < shape_.ny * shape_.nx; ++n) {
      const index_t at = shape_.at(k, n / shape_.nx, n % shape_.nx);
      std::array<double, 3> sum{};
      for (std::size_t d = 0; d < 3; ++d) {
        if (points.points[d] == 1) continue;
        const double square = 2 * points.spacing_m[d] * points.spacing_m[d];
        for (int w = -shape_.radius; w <= shape_.radius; ++w) {
          const auto of = diagonals(at + w * strides[d], d);
          for (std::size_t m = 0; m < 3; ++m) sum[m] += weights[static_cast<std::size_t>(std::abs(w))] / square * of[m];
        }
      }
      for (std::size_t m = 0; m < 3; ++m) arrays_[8 + m].data()[at] = static_cast<float>(sum[m]);
    }
}

void coefficients::take_in(double dt_s, int threads) {
  const auto square = static_cast<float>(dt_s * dt_s);
  for (std::size_t c = 0; c < rates_; ++c) {
    float* const values = arrays_[c].data();
#pragma omp parallel for num_threads(threads) schedule(static)
    for (index_t k = -shape_.ghosts; k < shape_.nz + shape_.ghosts; ++k)
      for (index_t at = shape_.at(k, -shape_.ghosts, -tile_shape::margin), end = at + shape_.plane(); at < end; ++at)
        values[at] *= square;
  }
}

std::array<const float*, most_coefficients> coefficients::pointers() const {
  std::array<const float*, most_coefficients> all{};
  for (std::size_t c = 0; c < arrays_.size(); ++c) all[c] = arrays_[c].data() + shape_.at(0, 0, 0);
  return all;
}

}  // namespace seismic
