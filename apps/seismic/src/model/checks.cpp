// SPDX-License-Identifier: BSD-3-Clause
// One cell after the other; the first fault is kept.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <model/checks.hpp>
#include <model/property.hpp>

namespace seismic {
namespace {

constexpr double most_velocity = 20000;
constexpr std::array<const char*, 6> kind_names{"vp", "vs", "epsilon", "delta", "tilt", "azimuth"};

double value_at(std::span<const float> values, std::size_t c) {
  return values.empty() ? 0 : static_cast<double>(values[c]);
}

struct cell_values {
  double vp, vs, epsilon, delta;
};

struct found_fault {
  cell_fault fault = cell_fault::none;
  std::int32_t property = 0;
  double value = 0, limit = 0;
};

found_fault not_finite_in(const medium_values& m, std::size_t c) {
  const std::array<std::span<const float>, 6> all{m.vp, m.vs, m.epsilon, m.delta, m.tilt, m.azimuth};
  for (std::size_t p = 0; p < all.size(); ++p)
    if (!std::isfinite(value_at(all[p], c)))
      return {cell_fault::not_finite, static_cast<std::int32_t>(p), value_at(all[p], c)};
  return {};
}

found_fault fault_in(const cell_values& v, const model_rules& rules) {
  if (!(v.vp > 0 && v.vp <= most_velocity)) return {cell_fault::vp, 0, v.vp, most_velocity};
  if (!(v.vs >= 0 && v.vs < v.vp)) return {cell_fault::vs, 0, v.vs, v.vp};
  if (!(v.epsilon > -0.5)) return {cell_fault::epsilon, 0, v.epsilon, -0.5};
  if (!(v.delta > -0.5)) return {cell_fault::delta, 0, v.delta, -0.5};
  if (rules.needs_real_coupling && v.epsilon < v.delta) return {cell_fault::coupling, 0, v.epsilon, v.delta};
  return {};
}

void add_extremes(const cell_values& v, model_facts& f) {
  f.least_vp = std::min(f.least_vp, v.vp), f.most_vp = std::max(f.most_vp, v.vp), f.most_vs = std::max(f.most_vs, v.vs);
  if (v.vs > 0) f.least_vs = std::min(f.least_vs, v.vs);
  f.slowest_p = std::min(f.slowest_p, v.vp * std::sqrt(1 + 2 * std::min({0.0, v.epsilon, v.delta})));
  f.fastest_p = std::max(f.fastest_p, v.vp * std::sqrt(1 + 2 * std::max({0.0, v.epsilon, v.delta})));
}

void clamp(const medium_values& m, std::size_t c, cell_values& v, model_facts& f) {
  if (!(v.delta > v.epsilon)) return;
  ++f.clamped;
  f.most_lowered = std::max(f.most_lowered, v.delta - v.epsilon);
  m.delta[c] = static_cast<float>(v.epsilon);
  v.delta = v.epsilon;
}

/// The slow wave's squared frequency is negative in some direction where (vs / vp)^2 is below this.
double least_vs_share_squared(const cell_values& v) {
  return std::max(0.0, v.delta - v.epsilon) / (1 + v.delta + std::sqrt(1 + 2 * v.epsilon));
}

void look_for_growth(const cell_values& v, model_facts& f) {
  const double least = least_vs_share_squared(v);
  if (v.vs * v.vs >= least * v.vp * v.vp) return;
  ++f.growing;
  f.least_vs_share = std::max(f.least_vs_share, std::sqrt(least));
}

bool is_before(const std::array<std::int64_t, 3>& a, const std::array<std::int64_t, 3>& b) { return a < b; }

std::string allowed_text(const model_facts& f) {
  char text[160];
  switch (f.fault) {
    case cell_fault::vp:
      std::snprintf(text, sizeof text, "above 0 and at most %g m/s", f.limit);
      break;
    case cell_fault::vs:
      std::snprintf(text, sizeof text, "from 0 to below vp, which is %g m/s there", f.limit);
      break;
    case cell_fault::epsilon:
    case cell_fault::delta:
      std::snprintf(text, sizeof text, "above -0.5");
      break;
    case cell_fault::coupling:
      std::snprintf(text, sizeof text,
                    "at least delta, which is %g there, in the self-adjoint system (model.clamp = true lowers delta)",
                    f.limit);
      break;
    default:
      std::snprintf(text, sizeof text, "a finite number");
  }
  return text;
}

property_kind faulty_property(const model_facts& f) {
  switch (f.fault) {
    case cell_fault::vp:
      return property_kind::vp;
    case cell_fault::vs:
      return property_kind::vs;
    case cell_fault::delta:
      return property_kind::delta;
    case cell_fault::not_finite:
      return static_cast<property_kind>(f.property);
    default:
      return property_kind::epsilon;
  }
}

double widest_spacing(const grid& all) {
  double widest = std::max(all.spacing_m[z], all.spacing_m[x]);
  return all.is_flat() ? widest : std::max(widest, all.spacing_m[y]);
}

}  // namespace

void model_facts::merge(const model_facts& other) {
  cells += other.cells, clamped += other.clamped, growing += other.growing;
  least_vs_share = std::max(least_vs_share, other.least_vs_share);
  most_lowered = std::max(most_lowered, other.most_lowered);
  least_vp = std::min(least_vp, other.least_vp), most_vp = std::max(most_vp, other.most_vp);
  least_vs = std::min(least_vs, other.least_vs), most_vs = std::max(most_vs, other.most_vs);
  slowest_p = std::min(slowest_p, other.slowest_p), fastest_p = std::max(fastest_p, other.fastest_p);
  if (other.fault == cell_fault::none || (fault != cell_fault::none && is_before(at, other.at))) return;
  fault = other.fault, property = other.property, at = other.at, value = other.value, limit = other.limit;
}

model_facts examine(const medium_values& m, const nearfar::box& where, const model_rules& rules) {
  model_facts f;
  f.cells = where.cells();
  std::size_t c = 0;
  for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
    for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
      for (index_t i = where.lower[2]; i < where.upper[2]; ++i, ++c) {
        cell_values v{value_at(m.vp, c), value_at(m.vs, c), value_at(m.epsilon, c), value_at(m.delta, c)};
        found_fault found = not_finite_in(m, c);
        if (found.fault == cell_fault::none && rules.clamps && rules.needs_real_coupling) clamp(m, c, v, f);
        if (found.fault == cell_fault::none) found = fault_in(v, rules);
        if (found.fault == cell_fault::none && !rules.needs_real_coupling) look_for_growth(v, f);
        if (found.fault == cell_fault::none)
          add_extremes(v, f);
        else if (f.fault == cell_fault::none)
          f.fault = found.fault, f.property = found.property, f.at = {k, j, i}, f.value = found.value,
          f.limit = found.limit;
      }
  return f;
}

std::string fault_text(const model_facts& f, const grid& all, const std::array<std::string, 6>& names) {
  if (f.fault == cell_fault::none) return {};
  const auto kind = static_cast<std::size_t>(faulty_property(f));
  const auto metres = [&](std::size_t d) { return all.origin_m[d] + static_cast<double>(f.at[d]) * all.spacing_m[d]; };
  char text[240];
  std::snprintf(text, sizeof text, "%s = %g in cell (x, y, z) = (%lld, %lld, %lld), at %g, %g, %g m: it must be ",
                kind_names[kind], f.value, static_cast<long long>(f.at[x]), static_cast<long long>(f.at[y]),
                static_cast<long long>(f.at[z]), metres(x), metres(y), metres(z));
  return names[kind] + ": " + text + allowed_text(f);
}

double largest_frequency_hz(const model_facts& f, const grid& all, double points) {
  return f.slowest_p / (points * widest_spacing(all));
}

double points_per_wavelength(const model_facts& f, const grid& all, double frequency_hz) {
  return f.slowest_p / (frequency_hz * widest_spacing(all));
}

std::string coarseness_text(const model_facts& f, const grid& all, double highest_hz, double peak_hz, double least) {
  const double points = points_per_wavelength(f, all, highest_hz), share = points / least;
  if (share >= 1) return {};
  char text[320];
  std::snprintf(text, sizeof text,
                "the wavelet has energy up to %.4g Hz, where the shortest wave (%.4g m/s) has %.3g points of %.4g m: "
                "at least %.3g are needed; "
                "a frequency of at most %.4g Hz is good, or a spacing of at most %.4g m",
                highest_hz, f.slowest_p, points, widest_spacing(all), least, peak_hz * share,
                widest_spacing(all) * share);
  const std::string unit = unit_text(f);
  return unit.empty() ? text : text + ("; " + unit);
}

std::string unit_text(const model_facts& f) {
  constexpr double slowest_m_s = 100;
  if (f.fastest_p >= slowest_m_s) return {};
  char text[200];
  std::snprintf(text, sizeof text,
                "P waves of %.4g to %.4g m/s are those of no rock or water: numbers in km/s need model.velocity-unit = "
                "'km/s' in files, and are given in m/s otherwise",
                f.slowest_p, f.fastest_p);
  return text;
}

}  // namespace seismic
