// SPDX-License-Identifier: BSD-3-Clause
// The nearest inner points of a box are a box, too: it is read once and spread.
#include <algorithm>
#include <model/padding.hpp>
#include <model/philox.hpp>
#include <vector>

namespace seismic {
namespace {

class padded_values : public property {
 public:
  padded_values(shared_property of, const grid& inner, const nearfar::ghosts& by)
      : of_(std::move(of)), inner_(inner), by_(by) {}

  void read(const nearfar::box& where, std::span<float> values) const override {
    nearfar::box nearest{3, {}, {}};
    for (std::size_t d = 0; d < 3; ++d) {
      nearest.lower[d] = inner_index(d, where.lower[d]);
      nearest.upper[d] = inner_index(d, where.upper[d] - 1) + 1;
    }
    if (where.is_empty()) return;
    std::vector<float> inside(static_cast<std::size_t>(nearest.cells()));
    of_->read(nearest, inside);
    spread(where, nearest, inside, values);
  }
  std::string name() const override { return of_->name(); }

 protected:
  index_t inner_index(std::size_t d, index_t i) const {
    return std::clamp<index_t>(i - by_.low(static_cast<int>(d)), 0, inner_.points[d] - 1);
  }
  const grid& inner() const { return inner_; }
  const nearfar::ghosts& by() const { return by_; }

 private:
  void spread(const nearfar::box& where, const nearfar::box& from, std::span<const float> inside,
              std::span<float> values) const {
    std::size_t n = 0;
    for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
      for (index_t j = where.lower[1]; j < where.upper[1]; ++j) {
        const index_t row =
            ((inner_index(0, k) - from.lower[0]) * from.extent(1) + inner_index(1, j) - from.lower[1]) * from.extent(2);
        for (index_t i = where.lower[2]; i < where.upper[2]; ++i)
          values[n++] = inside[static_cast<std::size_t>(row + inner_index(2, i) - from.lower[2])];
      }
  }

  shared_property of_;
  grid inner_;
  nearfar::ghosts by_;
};

class random_values : public padded_values {
 public:
  random_values(shared_property of, const grid& inner, const nearfar::ghosts& by, int border, double most,
                std::uint64_t seed)
      : padded_values(std::move(of), inner, by), all_(padded(inner, by)), border_(border), most_(most), seed_(seed) {}

  void read(const nearfar::box& where, std::span<float> values) const override {
    padded_values::read(where, values);
    std::size_t n = 0;
    for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
      for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
        for (index_t i = where.lower[2]; i < where.upper[2]; ++i, ++n) values[n] = at_side({k, j, i}, values[n]);
  }

 private:
  /// 0 inside, 1 in the last random cell, more in the border.
  double distance(std::size_t d, index_t i) const {
    const int side = static_cast<int>(d);
    const index_t below = by().low(side) - i, above = i - (by().low(side) + inner().points[d] - 1);
    const int width = below > 0 ? by().low(side) : by().high(side);
    if (below <= 0 && above <= 0) return 0;
    return width <= border_ ? 2 : static_cast<double>(std::max(below, above)) / (width - border_);
  }

  float at_side(const std::array<index_t, 3>& at, float nearest) const {
    double d = 0;
    for (std::size_t along = 0; along < 3; ++along) d = std::max(d, distance(along, at[along]));
    if (d == 0) return nearest;
    if (d > 1) return 0;
    const auto flat = static_cast<std::uint64_t>((at[0] * all_.points[1] + at[1]) * all_.points[2] + at[2]);
    return static_cast<float>(static_cast<double>(nearest) * (1 - d) + most_ * random_share(seed_, flat) * d);
  }

  grid all_;
  int border_;
  double most_;
  std::uint64_t seed_;
};

}  // namespace

grid padded(const grid& inner, const nearfar::ghosts& by) {
  grid all = inner;
  for (std::size_t d = 0; d < 3; ++d) {
    const int side = static_cast<int>(d);
    all.points[d] += by.low(side) + by.high(side);
    all.origin_m[d] -= by.low(side) * inner.spacing_m[d];
  }
  return all;
}

shared_property padded_property(shared_property of, const grid& inner, const nearfar::ghosts& by) {
  return std::make_shared<padded_values>(std::move(of), inner, by);
}

shared_property random_sides(shared_property of, const grid& inner, const nearfar::ghosts& by, int border, double most,
                             std::uint64_t seed) {
  return std::make_shared<random_values>(std::move(of), inner, by, border, most, seed);
}

}  // namespace seismic
