// SPDX-License-Identifier: BSD-3-Clause
// Fills blocks: lanes that have no element read zeros, give zeros, and lie far from everything.
#include <algorithm>
#include <mortar/shape_diagonal.hpp>
#include <solver/element_set.hpp>

namespace adaptive_heat {
namespace {

void shape_lane(block_shape& shape, std::size_t lane, const std::array<double, 3>& anchor, double side,
                const time_scheme& scheme) {
  static const auto diagonal = interior_diagonal();
  shape.side[lane] = side;
  for (std::size_t axis = 0; axis < 3; ++axis) shape.anchor[axis][lane] = anchor[axis];
  shape.stiffness[lane] = scheme.viscosity * side / 2;
  shape.mass[lane] = side * side * side / 8 / scheme.dt;
  shape.slope[lane] = 2 * scheme.speed() / side;
  for (std::size_t kind = 0; kind < interior_kinds; ++kind)
    shape.inverse_diagonal[kind][lane] =
        1 / (shape.stiffness[lane] * diagonal[kind].stiffness + shape.mass[lane] * diagonal[kind].mass);
}

bool is_on_surface(const octant& o) {
  return o.x == 0 || o.y == 0 || o.z == 0 || o.x + o.side() == cube_side || o.y + o.side() == cube_side ||
         o.z + o.side() == cube_side;
}

/// Of the faces around a vertex or an edge those that are not split count, each for its share of three or two.
double weight_of(const leaf_shape& shape, int e) {
  const auto is_whole = [&](int f) { return (shape.split_faces >> f & 1) == 0; };
  if (e >= first_face) return is_whole(e - first_face) ? 1 : 0;
  if (e >= first_edge && (shape.split_edges >> (e - first_edge) & 1) != 0) return 0;
  int around = 0;
  for (int f = 0; f < faces; ++f)
    if (is_whole(f) && (e < first_edge ? vertex_is_on_face(e, f) : edge_is_on_face(e - first_edge, f))) ++around;
  return around / (e < first_edge ? 3.0 : 2.0);
}

}  // namespace

void element_set::renew(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme,
                        bool keeps_contributions) {
  place_elements(layout);
  shape_blocks(part, scheme);
  map_blocks(layout);
  weigh_blocks(part);
  allocate(keeps_contributions);
}

void element_set::place_elements(const mortar_layout& layout) {
  const auto count = layout.places.size();
  const auto first = static_cast<std::int32_t>(
      std::count_if(layout.is_boundary.begin(), layout.is_boundary.end(), [](std::uint8_t b) { return b != 0; }));
  boundary_blocks_ = (first + lanes - 1) / lanes;
  std::int32_t boundary = 0, inner = static_cast<std::int32_t>(boundary_blocks_) * lanes;
  slot_of_.resize(count);
  for (std::size_t n = 0; n < count; ++n) slot_of_[n] = layout.is_boundary[n] != 0 ? boundary++ : inner++;
  shapes_.resize(static_cast<std::size_t>((inner + lanes - 1) / lanes));
}

void element_set::shape_blocks(const mesh_part& part, const time_scheme& scheme) {
  constexpr double unit = 1.0 / cube_side;
  for (block_shape& shape : shapes_)
    for (std::size_t lane = 0; lane < lanes; ++lane) shape_lane(shape, lane, {4, 4, 4}, 1, scheme);
  touches_surface_.assign(shapes_.size(), 0);
  for (std::size_t n = 0; n < part.leaves.size(); ++n) {
    const octant& o = part.leaves[n];
    const std::size_t slot = slot_of(n);
    shape_lane(shapes_[slot / lanes], slot % lanes, {o.x * unit, o.y * unit, o.z * unit}, o.side() * unit, scheme);
    if (is_on_surface(o)) touches_surface_[slot / lanes] = 1;
  }
}

void element_set::map_blocks(const mortar_layout& layout) {
  maps_.resize(shapes_.size());
  for (block_map& map : maps_)
    for (auto& of_entity : map.of) std::fill_n(of_entity, lanes, static_cast<std::int32_t>(layout.unused()));
  for (std::size_t n = 0; n < slot_of_.size(); ++n)
    for (std::size_t e = 0; e < entities; ++e)
      maps_[slot_of(n) / lanes].of[e][slot_of(n) % lanes] = layout.places[n][e];
}

void element_set::weigh_blocks(const mesh_part& part) {
  weights_.clear();
  weights_of_block_.assign(shapes_.size(), -1);
  for (std::size_t n = 0; n < part.leaves.size(); ++n) {
    if (part.shapes[n].is_plain()) continue;
    const std::size_t block = slot_of(n) / lanes;
    if (weights_of_block_[block] < 0) {
      weights_of_block_[block] = static_cast<std::int32_t>(weights_.size());
      block_weights& fresh = weights_.emplace_back();
      for (auto& of_entity : fresh.of) std::fill_n(of_entity, lanes, 1.0);
    }
    block_weights& weights = weights_[static_cast<std::size_t>(weights_of_block_[block])];
    for (int e = 0; e < entities; ++e) weights.of[e][slot_of(n) % lanes] = weight_of(part.shapes[n], e);
  }
}

void element_set::allocate(bool keeps_contributions) {
  u_.resize(shapes_.size() * volume * lanes);
  clear();
  for (auto* field : {&x_, &r_, &p_, &q_}) field->resize(static_cast<std::size_t>(interior_size()));
  if (keeps_contributions) contributions_.resize(shapes_.size() * boundary_points * lanes);
  fields_ = {shapes_.data(), maps_.data(), u_.data(), x_.data(),
             r_.data(),      p_.data(),    q_.data(), keeps_contributions ? contributions_.data() : nullptr};
}

element_values element_set::values(std::size_t element) const {
  const std::size_t slot = slot_of(element);
  const double* const from = u_.data() + slot / lanes * volume * lanes + slot % lanes;
  element_values values;
  for (std::size_t n = 0; n < volume; ++n) values[n] = from[n * lanes];
  return values;
}

void element_set::set_values(std::size_t element, const element_values& values) {
  const std::size_t slot = slot_of(element);
  double* const to = u_.data() + slot / lanes * volume * lanes + slot % lanes;
  for (std::size_t n = 0; n < volume; ++n) to[n * lanes] = values[n];
}

void element_set::clear() noexcept { std::fill(u_.begin(), u_.end(), 0.0); }

}  // namespace adaptive_heat
