// SPDX-License-Identifier: BSD-3-Clause
#include <solver/tile_waves.hpp>
#include <utility>

namespace seismic {

const float* tile_waves::field(int level, int number) const noexcept {
  return levels[static_cast<std::size_t>(level)][static_cast<std::size_t>(number)].data() + shape.at(0, 0, 0);
}
float* tile_waves::field(int level, int number) noexcept {
  return const_cast<float*>(std::as_const(*this).field(level, number));
}

const float* tile_waves::vp2() const {
  const bool is_fletcher = options.system == system_kind::fletcher_vti || options.system == system_kind::fletcher_tti;
  return model.pointers()[is_fletcher ? 2 : 0];
}

double tile_waves::cell_volume() const noexcept {
  double volume = 1;
  for (std::size_t d = 0; d < 3; ++d) volume *= points.points[d] == 1 ? 1 : points.spacing_m[d];
  return volume;
}

step_arguments tile_waves::arguments() const {
  step_arguments a;
  a.shape = shape;
  for (int f = 0; f < fields(); ++f) {
    const auto at = static_cast<std::size_t>(f);
    a.now[at] = field(now, f), a.next[at] = const_cast<float*>(field(1 - now, f));
  }
  a.coefficients = model.pointers();
  for (std::size_t d = 0; d < 3; ++d)
    a.damping[d] = damping[d].data(), a.per_metre[d] = static_cast<float>(1 / points.spacing_m[d]);
  a.is_flat = points.is_flat(), a.repeats = repeats();
  return a;
}

bool tile_waves::has_neighbour(int d, bool is_upper) const {
  const auto at = static_cast<std::size_t>(d);
  if (tiles.process_grid()[at] == 1) return false;
  return repeats() || (is_upper ? tiles.own().upper[at] < points.points[at] : tiles.own().lower[at] > 0);
}

std::vector<nearfar::halo_plan> halos_of(tile_waves& waves, const nearfar::ghosts& filled) {
  std::vector<nearfar::halo_plan> halos;
  if (waves.tiles.team().size() == 1 && !waves.repeats()) return halos;
  const tile_shape& shape = waves.shape;
  const int g = shape.ghosts, margin = static_cast<int>(tile_shape::margin);
  const auto behind = static_cast<int>(shape.padded_nx() - shape.nx) + margin;
  const nearfar::ghosts has{{g, g}, {g, g}, {margin, behind}};
  for (auto& level : waves.levels) {
    std::vector<nearfar::halo_part> parts;
    for (std::size_t f = 0; f < static_cast<std::size_t>(waves.fields()); ++f) {
      const nearfar::array_view<float> array{
          level[f].data(), {shape.nz + 2 * g, shape.ny + 2 * g, shape.row()}, {shape.plane(), shape.row(), 1}};
      parts.emplace_back(waves.tiles, array, has, filled);
    }
    nearfar::halo_options how;
    how.name = "seismic fields", how.method = waves.options.halo_method;
    // Corners are read by interpolation at receivers, edges by mixed derivatives.
    halos.emplace_back(std::move(parts), how);
  }
  return halos;
}

}  // namespace seismic
