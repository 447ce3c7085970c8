// SPDX-License-Identifier: BSD-3-Clause
// One point after the other, x fastest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <model/formulas.hpp>
#include <vector>

namespace seismic {
namespace {

class constant : public property {
 public:
  explicit constant(double value) : value_(static_cast<float>(value)) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    std::fill_n(values.begin(), where.cells(), value_);
  }
  std::string name() const override {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value_));
    return text;
  }

 private:
  float value_;
};

class formula : public property {
 public:
  formula(const grid& all, std::function<double(const position&)> value, std::string name)
      : all_(all), value_(std::move(value)), name_(std::move(name)) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    std::size_t n = 0;
    for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
      for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
        for (index_t i = where.lower[2]; i < where.upper[2]; ++i)
          values[n++] = static_cast<float>(value_({metres(0, k), metres(1, j), metres(2, i)}));
  }
  std::string name() const override { return name_; }

 private:
  double metres(std::size_t d, index_t i) const {
    return all_.origin_m[d] + static_cast<double>(i) * all_.spacing_m[d];
  }

  grid all_;
  std::function<double(const position&)> value_;
  std::string name_;
};

class scaled : public property {
 public:
  scaled(shared_property of, double factor) : of_(std::move(of)), factor_(factor) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    of_->read(where, values);
    for (float& v : values.first(static_cast<std::size_t>(where.cells())))
      v = static_cast<float>(factor_ * static_cast<double>(v));
  }
  std::string name() const override { return of_->name(); }
  std::string caveat() const override { return of_->caveat(); }

 private:
  shared_property of_;
  double factor_;
};

class sigma_vs : public property {
 public:
  sigma_vs(shared_property vp, shared_property epsilon, shared_property delta, double sigma)
      : vp_(std::move(vp)), epsilon_(std::move(epsilon)), delta_(std::move(delta)), sigma_(sigma) {}
  void read(const nearfar::box& where, std::span<float> values) const override {
    const auto cells = static_cast<std::size_t>(where.cells());
    std::vector<float> epsilon(cells), delta(cells);
    vp_->read(where, values), epsilon_->read(where, epsilon), delta_->read(where, delta);
    for (std::size_t c = 0; c < cells; ++c)
      values[c] = static_cast<float>(
          static_cast<double>(values[c]) *
          std::sqrt(std::abs(static_cast<double>(epsilon[c]) - static_cast<double>(delta[c])) / sigma_));
  }
  std::string name() const override { return "vs of sigma"; }

 private:
  shared_property vp_, epsilon_, delta_;
  double sigma_;
};

struct cell_part {
  double share, value;
};

/// What of each layer lies in a cell. A top that is meant to be at its side may miss it by the rounding of its metres.
std::vector<cell_part> parts_of(std::span<const layer> layers, double top_m, double height_m) {
  const auto place = [&](double depth_m) { return std::clamp((depth_m - top_m) / height_m, 0.0, 1.0); };
  std::vector<cell_part> parts;
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const double from = n == 0 ? 0 : place(layers[n].top_m);
    const double share = (n + 1 == layers.size() ? 1 : place(layers[n + 1].top_m)) - from;
    if (share > 1e-6) parts.push_back({share, layers[n].value});
  }
  return parts;
}

double mean_of(const std::vector<cell_part>& parts, cell_mean mean) {
  const auto is_less = [](const cell_part& a, const cell_part& b) { return a.share < b.share; };
  if (parts.size() == 1 || mean == cell_mean::largest_part)
    return std::max_element(parts.begin(), parts.end(), is_less)->value;
  double sum = 0;
  for (const cell_part& p : parts)
    sum += p.share * (mean == cell_mean::of_slowness_squared ? 1 / (p.value * p.value) : p.value);
  return mean == cell_mean::of_slowness_squared ? 1 / std::sqrt(sum) : sum;
}

}  // namespace

shared_property constant_property(double value) { return std::make_shared<constant>(value); }

shared_property formula_property(const grid& all, std::function<double(const position&)> value, std::string name) {
  return std::make_shared<formula>(all, std::move(value), std::move(name));
}

shared_property layered_property(const grid& all, std::span<const layer> layers, cell_mean mean) {
  return formula_property(
      all,
      [own = std::vector<layer>(layers.begin(), layers.end()), h = all.spacing_m[z], mean](const position& p) {
        return mean_of(parts_of(own, p[z] - h / 2, h), mean);
      },
      "layers");
}

shared_property scaled_property(shared_property of, double factor) {
  if (factor == 1) return of;
  return std::make_shared<scaled>(std::move(of), factor);
}

shared_property vs_of_sigma(shared_property vp, shared_property epsilon, shared_property delta, double sigma) {
  return std::make_shared<sigma_vs>(std::move(vp), std::move(epsilon), std::move(delta), sigma);
}

}  // namespace seismic
