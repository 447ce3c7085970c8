// SPDX-License-Identifier: BSD-3-Clause
// Which mortar entities the elements of a rank refer to, kept from mesh to mesh.
#pragma once

#include <array>
#include <cstdint>
#include <mortar/entity_table.hpp>
#include <mortar/leaf_shape.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Per element one number per entity: that of a mortar entity, or where an edge or face is split ~(number of its
/// trace).
using element_numbers = std::array<std::int32_t, entities>;

/// The entities on a split line (3 vertices, 2 edges) or face (25), quarter by quarter, the lower axis first.
using edge_entities = std::array<std::int32_t, 5>;
using face_entities = std::array<std::int32_t, 25>;

/// Only elements that were not there before, or had other edges and faces split, are looked at: numbers of the others
/// stay. Numbers that nobody refers to any more are given to other entities.
class element_references {
 public:
  /// `memory` is used for the result. `has_own_traces`: each element has traces of its own, not shared with others.
  /// Local.
  /// @cost one pass over the elements; 26 searches per element that has changed, 15 where its siblings have, too
  void renew(std::span<const octant> leaves, std::span<const leaf_shape> shapes, bool has_own_traces,
             std::vector<element_numbers>& memory);

  const std::vector<element_numbers>& of_elements() const noexcept { return refs_; }
  /// Gives back the numbers whose places are `unused` in these lists, by number: of those that no element refers to.
  /// Local.
  void drop_unused(std::span<const std::int32_t> entities, std::span<const std::int32_t> edges,
                   std::span<const std::int32_t> faces, std::int32_t unused);

  std::int32_t entities_end() const noexcept { return entities_.end(); }  ///< all numbers of entities are below
  std::int32_t edges_end() const noexcept { return edges_.end(); }
  std::int32_t faces_end() const noexcept { return faces_.end(); }
  std::uint64_t key(std::int32_t entity) const noexcept { return entities_.key(entity); }
  std::int32_t find(std::uint64_t key) const noexcept { return entities_.find(key); }
  int dimension(std::int32_t entity) const noexcept { return dimensions_[static_cast<std::size_t>(entity)]; }
  const edge_entities& edge(std::int32_t trace) const noexcept { return edge_lists_[static_cast<std::size_t>(trace)]; }
  const face_entities& face(std::int32_t trace) const noexcept { return face_lists_[static_cast<std::size_t>(trace)]; }

 private:
  void forget();
  void find_numbers(const octant& leaf, const leaf_shape& shape, element_numbers& numbers);
  void begin_octet(std::uint64_t parent);
  std::int32_t entity_at(const half_point& centre, int dimension);
  std::int32_t entity_at(std::uint64_t key, int dimension);
  std::uint64_t trace_key(const half_point& centre) noexcept;
  std::int32_t edge_trace_at(const octant& leaf, int e, const half_point& centre);
  std::int32_t face_trace_at(const octant& leaf, int f, const half_point& centre);

  std::vector<std::uint64_t> leaves_;  ///< codes of the elements that refs_ are of
  std::vector<leaf_shape> shapes_;
  std::vector<element_numbers> refs_;
  entity_table entities_, edges_, faces_;
  std::vector<std::uint8_t> dimensions_;
  std::vector<edge_entities> edge_lists_;
  std::vector<face_entities> face_lists_;
  std::vector<std::int32_t> unused_;
  /// Entities of the siblings that are looked at, by their place in a grid of 5 x 5 x 5 over the parent; -1 where not
  /// known yet.
  std::array<std::int32_t, 125> octet_{};
  std::uint64_t octet_parent_ = 0;
  bool has_own_traces_ = false;
  std::uint64_t next_own_trace_ = 0;
};

}  // namespace adaptive_heat
