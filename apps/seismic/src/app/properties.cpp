// SPDX-License-Identifier: BSD-3-Clause
#include <app/properties.hpp>
#include <model/file_property.hpp>
#include <model/generated.hpp>
#include <numbers>

namespace seismic {

namespace {

bool is_angle(std::size_t kind) { return kind >= static_cast<std::size_t>(property_kind::tilt); }
bool is_velocity(std::size_t kind) { return kind <= static_cast<std::size_t>(property_kind::vs); }

shared_property property_of(const settings& s, std::size_t kind) {
  const auto& value = s.model.values[kind];
  if (!value) return constant_property(0);
  constexpr double radian = std::numbers::pi / 180;
  if (const auto* number = std::get_if<double>(&*value))
    return constant_property(is_angle(kind) ? *number * radian : *number);
  if (const auto* layers = std::get_if<std::vector<layer>>(&*value)) {
    std::vector<layer> scaled = *layers;
    for (layer& l : scaled) l.value *= is_angle(kind) ? radian : 1;
    return layered_property(s.space, scaled,
                            is_velocity(kind) ? cell_mean::of_slowness_squared
                            : is_angle(kind)  ? cell_mean::largest_part
                                              : cell_mean::arithmetic);
  }
  const shared_property file =
      file_property(open_array(std::get<std::string>(*value)), s.model.order, s.space, s.model.extrusion_slope);
  const double unit = is_velocity(kind) ? s.model.velocity_unit : is_angle(kind) ? s.model.angle_unit : 1;
  return unit == 1 ? file : scaled_property(file, unit);
}

}  // namespace

std::array<shared_property, 6> properties_of(const settings& s) {
  switch (s.model.kind) {
    case model_kind::fletcher:
      return fletcher_properties(s.medium, s.model.sigma);
    case model_kind::salt:
      return generated_properties(s.space, salt_rock, "salt", s.model.sigma);
    case model_kind::thrust:
      return generated_properties(s.space, thrust_rock, "thrust", s.model.sigma);
    case model_kind::properties:
      break;
  }
  std::array<shared_property, 6> all;
  for (std::size_t kind = 0; kind < all.size(); ++kind) all[kind] = property_of(s, kind);
  constexpr auto vs = static_cast<std::size_t>(property_kind::vs);
  if (!s.model.values[vs]) all[vs] = vs_of_sigma(all[0], all[2], all[3], s.model.sigma);
  return all;
}

}  // namespace seismic
