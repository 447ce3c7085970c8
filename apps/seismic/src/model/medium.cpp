// SPDX-License-Identifier: BSD-3-Clause
// From settings to properties.
#include <model/file_property.hpp>
#include <model/generated.hpp>
#include <model/medium.hpp>
#include <numbers>

namespace seismic {
namespace {

/// Radians in what numbers and layers say.
double own_unit(property_kind kind) {
  return kind == property_kind::tilt || kind == property_kind::azimuth ? std::numbers::pi / 180 : 1;
}

double file_unit(property_kind kind, const model_settings& m) {
  if (kind == property_kind::tilt || kind == property_kind::azimuth) return m.angle_unit;
  return kind == property_kind::vp || kind == property_kind::vs ? m.velocity_unit : 1;
}

shared_property property_of(const property_values& values, property_kind kind, const settings& s) {
  if (const double* const number = std::get_if<double>(&values)) return constant_property(*number * own_unit(kind));
  if (const auto* const layers = std::get_if<std::vector<layer>>(&values))
    return scaled_property(layered_property(s.space, *layers), own_unit(kind));
  const auto file = open_array(std::get<std::string>(values));
  return scaled_property(file_property(file, s.model.order, s.space, s.model.extrusion_slope),
                         file_unit(kind, s.model));
}

std::array<shared_property, 6> given_properties(const settings& s) {
  std::array<shared_property, 6> all;
  for (std::size_t p = 0; p < all.size(); ++p)
    all[p] =
        s.model.values[p] ? property_of(*s.model.values[p], static_cast<property_kind>(p), s) : constant_property(0);
  constexpr auto vs = static_cast<std::size_t>(property_kind::vs);
  if (!s.model.values[vs]) all[vs] = vs_of_sigma(all[0], all[2], all[3], s.model.sigma);
  return all;
}

std::array<shared_property, 6> any_medium(const settings& s) {
  switch (s.model.kind) {
    case model_kind::fletcher:
      return fletcher_properties(s.medium, s.model.sigma);
    case model_kind::salt:
      return generated_properties(s.space, salt_rock, "salt", s.model.sigma);
    case model_kind::thrust:
      return generated_properties(s.space, thrust_rock, "thrust", s.model.sigma);
    default:
      return given_properties(s);
  }
}

}  // namespace

std::array<shared_property, 6> medium_of(const settings& s) {
  std::array<shared_property, 6> all = any_medium(s);
  const std::size_t kept = s.medium == medium_kind::iso ? 1 : s.medium == medium_kind::vti ? 4 : 6;
  for (std::size_t p = kept; p < all.size(); ++p) all[p] = constant_property(0);
  return all;
}

std::array<std::string, 6> names_of(const std::array<shared_property, 6>& medium) {
  std::array<std::string, 6> names;
  for (std::size_t p = 0; p < names.size(); ++p) names[p] = medium[p]->name();
  return names;
}

}  // namespace seismic
