// SPDX-License-Identifier: BSD-3-Clause
// Fills blocks: SIMD lanes that have no element read zeros, give zeros, and lie far from everything.
#include <algorithm>
#include <base/resize_anew.hpp>
#include <cstring>
#include <mortar/shape_diagonal.hpp>
#include <solver/element_set.hpp>

namespace adaptive_heat {
namespace {

template <class Move>
bool is_next(const Move& a, const Move& b) {
  return b.from == a.from + 1 && b.to == a.to + 1 && b.from % simd_lanes != 0 && b.to % simd_lanes != 0;
}

/// How many moves from the first on are of neighbours in one block to neighbours in one block.
template <class Move>
std::size_t neighbours_from(std::span<const Move> moves) {
  std::size_t count = 1;
  while (count < moves.size() && is_next(moves[count - 1], moves[count])) ++count;
  return count;
}
/// The same up to the last.
template <class Move>
std::size_t neighbours_before(std::span<const Move> moves) {
  std::size_t count = 1;
  while (count < moves.size() && is_next(moves[moves.size() - count - 1], moves[moves.size() - count])) ++count;
  return count;
}

}  // namespace

/// What all elements of a level have in common.
struct element_set::level_values {
  double side, stiffness, mass, slope;
  std::vector<double> inverse_diagonal;  ///< by interior kind
};

element_set::element_set(int order) : counts_{order}, interior_diagonal_(interior_diagonal(order)) {}

element_set::level_values element_set::values_of_level(int level, const time_scheme& scheme) const {
  const double side = 1.0 / static_cast<double>(std::int64_t{1} << level);
  level_values v{side, scheme.viscosity * side / 2, side * side * side / 8 / scheme.dt, 2 * scheme.speed() / side, {}};
  for (const diagonal_part& d : interior_diagonal_)
    v.inverse_diagonal.push_back(1 / (v.stiffness * d.stiffness + v.mass * d.mass));
  return v;
}

void element_set::shape_simd_lane(std::size_t slot, const std::array<double, 3>& anchor, const level_values& values) {
  const std::size_t simd_lane = slot % simd_lanes, kinds = interior_diagonal_.size();
  block_shape& shape = shapes_[slot / simd_lanes];
  shape.side[simd_lane] = values.side;
  for (std::size_t axis = 0; axis < 3; ++axis) shape.anchor[axis][simd_lane] = anchor[axis];
  shape.stiffness[simd_lane] = values.stiffness;
  shape.mass[simd_lane] = values.mass;
  shape.slope[simd_lane] = values.slope;
  double* const diagonal = inverse_diagonals_.data() + slot / simd_lanes * kinds * simd_lanes + simd_lane;
  for (std::size_t kind = 0; kind < kinds; ++kind) diagonal[kind * simd_lanes] = values.inverse_diagonal[kind];
}

void element_set::renew(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme,
                        bool keeps_contributions) {
  place_elements(layout);
  resize_anew(u_, stored());
  clear();
  describe(part, layout, scheme, keeps_contributions);
}

void element_set::renew(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme,
                        bool keeps_contributions, const element_sources& values) {
  const std::vector<std::int32_t> old_slots = slot_of_;
  const auto old_boundary = static_cast<std::int32_t>(boundary_blocks_) * simd_lanes;
  place_elements(layout);
  move_values(old_slots, old_boundary, values);
  describe(part, layout, scheme, keeps_contributions);
}

void element_set::describe(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme,
                           bool keeps_contributions) {
  shape_blocks(part, scheme);
  map_blocks(layout);
  weigh_blocks(part);
  allocate(keeps_contributions);
}

void element_set::place_elements(const mortar_layout& layout) {
  const auto count = layout.places.size();
  const auto first = static_cast<std::int32_t>(
      std::count_if(layout.is_boundary.begin(), layout.is_boundary.end(), [](std::uint8_t b) { return b != 0; }));
  boundary_blocks_ = (first + simd_lanes - 1) / simd_lanes;
  std::int32_t boundary = 0, inner = static_cast<std::int32_t>(boundary_blocks_) * simd_lanes;
  resize_anew(slot_of_, count);
  for (std::size_t n = 0; n < count; ++n) slot_of_[n] = layout.is_boundary[n] != 0 ? boundary++ : inner++;
  boundary_end_ = boundary, inner_end_ = inner;
  resize_anew(shapes_, static_cast<std::size_t>((inner + simd_lanes - 1) / simd_lanes));
}

/// Elements that stay on their side of the boundary keep their order, so that they can be moved in place; others are
/// set aside.
void element_set::move_values(const std::vector<std::int32_t>& old_slots, std::int32_t old_boundary,
                              const element_sources& values) {
  const std::size_t size = stored(), volume = static_cast<std::size_t>(counts_.volume());
  if (u_.capacity() < size) u_.reserve(size + size / 8);
  if (u_.size() < size) u_.resize(size);
  const std::int32_t boundary = static_cast<std::int32_t>(boundary_blocks_) * simd_lanes;
  std::vector<slot_move> moves;
  std::vector<std::int32_t> aside_to;
  std::vector<double> aside;
  for (const bool is_inner : {false, true})
    for (std::size_t n = 0; n < slot_of_.size(); ++n) {
      if (values.of[n] < 0 || (slot_of_[n] >= boundary) != is_inner) continue;
      const slot_move m{old_slots[static_cast<std::size_t>(values.of[n])], slot_of_[n]};
      if ((m.from >= old_boundary) != is_inner) {
        aside_to.push_back(m.to);
        aside.resize(aside.size() + volume);
        copy_slot(m.from, aside.data() + aside.size() - volume);
      } else if (m.from != m.to) {
        moves.push_back(m);
      }
    }
  move_in_order(moves);
  for (std::size_t i = 0; i < aside_to.size(); ++i) set_slot(aside_to[i], aside.data() + i * volume);
  for (std::size_t n = 0; n < slot_of_.size(); ++n)
    if (values.of[n] < 0) set_slot(slot_of_[n], values.made.data() + static_cast<std::size_t>(~values.of[n]) * volume);
  u_.resize(size);
  const element_values zeros(volume);
  for_empty_slots([&](std::int32_t slot) { set_slot(slot, zeros.data()); });
}

/// Both ends of moves ascend. Those down go from the first on, those up from the last on: none meets what has not moved
/// yet.
void element_set::move_in_order(std::span<const slot_move> moves) noexcept {
  const auto is_down = [&](std::size_t i) { return moves[i].to < moves[i].from; };
  for (std::size_t i = 0; i < moves.size();) {
    std::size_t end = i;
    while (end < moves.size() && is_down(end) == is_down(i)) ++end;
    if (is_down(i))
      for (std::size_t k = i; k < end;) k += copy_slots(moves[k], neighbours_from(moves.subspan(k, end - k)));
    else
      for (std::size_t k = end; k > i;) {
        const std::size_t count = neighbours_before(moves.subspan(i, k - i));
        k -= copy_slots(moves[k - count], count);
      }
    i = end;
  }
}

namespace {

template <std::size_t Count>
void copy_simd_lanes(const double* from, double* to, std::size_t points) noexcept {
  for (std::size_t n = 0; n < points; ++n) {
    double values[Count];
    std::memcpy(values, from + n * simd_lanes, sizeof values);
    std::memcpy(to + n * simd_lanes, values, sizeof values);
  }
}

}  // namespace

/// Copies `count` elements that lie next to each other in one block, before and after. Returns count.
std::size_t element_set::copy_slots(const slot_move& first, std::size_t count) noexcept {
  static constexpr void (*copies[simd_lanes + 1])(const double*, double*, std::size_t) noexcept = {nullptr,
                                                                                                   copy_simd_lanes<1>,
                                                                                                   copy_simd_lanes<2>,
                                                                                                   copy_simd_lanes<3>,
                                                                                                   copy_simd_lanes<4>,
                                                                                                   copy_simd_lanes<5>,
                                                                                                   copy_simd_lanes<6>,
                                                                                                   copy_simd_lanes<7>,
                                                                                                   copy_simd_lanes<8>};
  copies[count](slot(first.from), slot(first.to), static_cast<std::size_t>(counts_.volume()));
  return count;
}

void element_set::shape_blocks(const mesh_part& part, const time_scheme& scheme) {
  constexpr double unit = 1.0 / cube_side;
  std::array<level_values, max_level + 1> levels;
  for (int level = 0; level <= max_level; ++level)
    levels[static_cast<std::size_t>(level)] = values_of_level(level, scheme);
  resize_anew(inverse_diagonals_, shapes_.size() * interior_diagonal_.size() * simd_lanes);
  for_empty_slots([&](std::int32_t slot) { shape_simd_lane(static_cast<std::size_t>(slot), {4, 4, 4}, levels[0]); });
  touches_surface_.assign(shapes_.size(), 0);
  for (std::size_t n = 0; n < part.leaves.size(); ++n) {
    const octant& o = part.leaves[n];
    const std::size_t slot = slot_of(n);
    shape_simd_lane(slot, {o.x * unit, o.y * unit, o.z * unit}, levels[o.level]);
    if (is_on_surface(o)) touches_surface_[slot / simd_lanes] = 1;
  }
}

void element_set::map_blocks(const mortar_layout& layout) {
  resize_anew(maps_, shapes_.size());
  const auto place_simd_lane = [&](std::size_t slot, auto&& place_of) {
    block_map& map = maps_[slot / simd_lanes];
    for (std::size_t e = 0; e < entities; ++e) map.of[e][slot % simd_lanes] = place_of(e);
  };
  for_empty_slots([&](std::int32_t slot) {
    place_simd_lane(static_cast<std::size_t>(slot),
                    [&](std::size_t) { return static_cast<std::int32_t>(layout.unused()); });
  });
  for (std::size_t n = 0; n < slot_of_.size(); ++n)
    place_simd_lane(slot_of(n), [&](std::size_t e) { return layout.places[n][e]; });
}

void element_set::weigh_blocks(const mesh_part& part) {
  weights_of_block_.assign(shapes_.size(), -1);
  std::int32_t count = 0;
  for (std::size_t n = 0; n < part.leaves.size(); ++n)
    if (std::int32_t& of = weights_of_block_[slot_of(n) / simd_lanes]; of < 0 && !part.shapes[n].is_plain())
      of = count++;
  resize_anew(weights_, static_cast<std::size_t>(count));
  for (block_weights& weights : weights_)
    for (auto& of_entity : weights.of) std::fill_n(of_entity, simd_lanes, static_cast<std::uint8_t>(weight_unit));
  for (std::size_t n = 0; n < part.leaves.size(); ++n) {
    if (part.shapes[n].is_plain()) continue;
    const entity_weights& of_shape = shape_weights_.of(part.shapes[n]);
    block_weights& weights = weights_[static_cast<std::size_t>(weights_of_block_[slot_of(n) / simd_lanes])];
    for (std::size_t e = 0; e < entities; ++e) weights.of[e][slot_of(n) % simd_lanes] = of_shape[e];
  }
}

void element_set::allocate(bool keeps_contributions) {
  resize_anew(r_, static_cast<std::size_t>(interior_size()));
  if (keeps_contributions)
    contributions_.resize(shapes_.size() * static_cast<std::size_t>(counts_.boundary() * simd_lanes));
  fields_ = {.order = counts_.order,
             .shape = shapes_.data(),
             .inverse_diagonal = inverse_diagonals_.data(),
             .map = maps_.data(),
             .u = u_.data(),
             .r = r_.data(),
             .contributions = keeps_contributions ? contributions_.data() : nullptr};
}

void element_set::give_apart(std::vector<block_map, aligned_allocator<block_map>>&& maps,
                             std::vector<std::int32_t>&& of_block) {
  apart_ = std::move(maps), apart_of_block_ = std::move(of_block);
  fields_.apart = apart_.data();
  fields_.apart_of_block = apart_.empty() ? nullptr : apart_of_block_.data();
}

void element_set::copy_slot(std::int32_t number, double* to) const noexcept {
  const double* const from = u_.data() + offset_of(number);
  for (int n = 0; n < counts_.volume(); ++n) to[n] = from[n * simd_lanes];
}

void element_set::set_slot(std::int32_t number, const double* values) noexcept {
  double* const to = slot(number);
  for (int n = 0; n < counts_.volume(); ++n) to[n * simd_lanes] = values[n];
}

void element_set::clear() noexcept { std::fill(u_.begin(), u_.end(), 0.0); }

}  // namespace adaptive_heat
