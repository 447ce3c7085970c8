// SPDX-License-Identifier: BSD-3-Clause
// A rank's elements in blocks: those that others wait for first, each with its shape, map and fields.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <element/blocks.hpp>
#include <element/refinement.hpp>
#include <mortar/layout.hpp>
#include <mortar/shape_diagonal.hpp>
#include <mortar/shape_weights.hpp>
#include <solver/mesh_part.hpp>

namespace adaptive_heat {

/// Time step and viscosity, which element matrices depend on, and how fast the medium flows, in sides of the cube.
struct time_scheme {
  double dt = 0;
  double viscosity = 0.005;
  std::array<double, 3> flow{3, 3, 3};

  /// The fastest component, which convection is written in units of.
  double speed() const noexcept { return std::max({std::abs(flow[0]), std::abs(flow[1]), std::abs(flow[2])}); }
};

/// Where the values of elements come from when they are those of another mesh.
struct element_sources {
  /// Per element the one of the mesh before that has its values, in ascending order, or ~(their position in `made`).
  std::vector<std::int32_t> of;
  std::vector<double> made;  ///< of one element after the other
};

class element_set {
 public:
  explicit element_set(int order);

  /// Takes another mesh; u is zero afterwards. Memory is kept, since meshes follow each other quickly.
  void renew(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme, bool keeps_contributions);
  /// The same with values: those of the mesh before move in place, no two sets of them are there at a time.
  void renew(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme, bool keeps_contributions,
             const element_sources& values);

  const point_counts& counts() const noexcept { return counts_; }
  std::size_t elements() const noexcept { return slot_of_.size(); }
  index_t blocks() const noexcept { return static_cast<index_t>(shapes_.size()); }
  index_t boundary_blocks() const noexcept {
    return boundary_blocks_;
  }  ///< the first ones: with shared mortars or ghosts
  const block_fields& fields() const noexcept { return fields_; }
  const std::uint8_t* touches_surface() const noexcept { return touches_surface_.data(); }
  const std::int32_t* weights_of_block() const noexcept { return weights_of_block_.data(); }
  const block_weights* weights() const noexcept { return weights_.data(); }

  std::size_t slot_of(std::size_t element) const noexcept { return static_cast<std::size_t>(slot_of_[element]); }
  element_values values(std::size_t element) const {
    element_values all(static_cast<std::size_t>(counts_.volume()));
    copy_values(element, all.data());
    return all;
  }
  void copy_values(std::size_t element, double* to) const noexcept { copy_slot(slot_of_[element], to); }
  void set_values(std::size_t element, std::span<const double> values) noexcept {
    set_slot(slot_of_[element], values.data());
  }
  /// Value n of the contributions of an element.
  double contribution(std::size_t element, std::size_t n) const noexcept {
    const std::size_t slot = slot_of(element);
    return contributions_[(slot / simd_lanes * static_cast<std::size_t>(counts_.boundary()) + n) * simd_lanes +
                          slot % simd_lanes];
  }
  std::span<double> all_contributions() noexcept { return contributions_; }
  /// Blocks with a number give to the places of that map, in place of those that they take from, until the next mesh.
  void give_apart(std::vector<block_map, aligned_allocator<block_map>>&& maps, std::vector<std::int32_t>&& of_block);
  void clear() noexcept;  ///< u = 0

  /// Interior vectors as they lie, SIMD lanes without element being zero.
  index_t interior_size() const noexcept { return blocks() * counts_.interior() * simd_lanes; }

 private:
  struct slot_move {
    std::int32_t from, to;
  };
  void describe(const mesh_part& part, const mortar_layout& layout, const time_scheme& scheme,
                bool keeps_contributions);
  void place_elements(const mortar_layout& layout);
  void move_values(const std::vector<std::int32_t>& old_slots, std::int32_t old_boundary,
                   const element_sources& values);
  void move_in_order(std::span<const slot_move> moves) noexcept;
  std::size_t copy_slots(const slot_move& first, std::size_t count) noexcept;
  double* slot(std::int32_t number) noexcept { return u_.data() + offset_of(number); }
  std::ptrdiff_t offset_of(std::int32_t number) const noexcept {
    return std::ptrdiff_t{number / simd_lanes} * counts_.stored() * simd_lanes + number % simd_lanes;
  }
  std::size_t stored() const noexcept {
    return shapes_.size() * static_cast<std::size_t>(counts_.stored() * simd_lanes);
  }
  void copy_slot(std::int32_t number, double* to) const noexcept;
  void set_slot(std::int32_t number, const double* values) noexcept;
  template <class Act>
  void for_empty_slots(Act&& act) const {
    for (std::int32_t slot = boundary_end_; slot < static_cast<std::int32_t>(boundary_blocks_) * simd_lanes; ++slot)
      act(slot);
    for (std::int32_t slot = inner_end_; slot < static_cast<std::int32_t>(blocks()) * simd_lanes; ++slot) act(slot);
  }
  struct level_values;
  level_values values_of_level(int level, const time_scheme& scheme) const;
  void shape_simd_lane(std::size_t slot, const std::array<double, 3>& anchor, const level_values& values);
  void shape_blocks(const mesh_part& part, const time_scheme& scheme);
  void map_blocks(const mortar_layout& layout);
  void weigh_blocks(const mesh_part& part);
  void allocate(bool keeps_contributions);

  point_counts counts_;
  std::vector<diagonal_part> interior_diagonal_;  ///< by interior kind
  index_t boundary_blocks_ = 0;
  std::int32_t boundary_end_ = 0, inner_end_ = 0;  ///< one past the last slots with elements of either kind
  std::vector<std::int32_t> slot_of_;
  std::vector<block_shape, aligned_allocator<block_shape>> shapes_;
  aligned_vector<double> inverse_diagonals_;
  std::vector<block_map, aligned_allocator<block_map>> maps_;
  std::vector<block_weights, aligned_allocator<block_weights>> weights_;
  std::vector<std::int32_t> weights_of_block_;
  std::vector<std::uint8_t> touches_surface_;
  aligned_vector<double> u_, r_, contributions_;
  std::vector<block_map, aligned_allocator<block_map>> apart_;
  std::vector<std::int32_t> apart_of_block_;
  block_fields fields_{};
  shape_weights shape_weights_;
};

}  // namespace adaptive_heat
