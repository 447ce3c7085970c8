// SPDX-License-Identifier: BSD-3-Clause
// Looks for finer leaves around leaves.
#include <algorithm>
#include <element/entities.hpp>
#include <mortar/leaf_shape.hpp>

namespace adaptive_heat {
namespace {

/// Whether `o` is refined: the leaf that has its first cell is smaller.
bool is_refined(const octant& o, std::span<const octant> all) {
  const auto after =
      std::partition_point(all.begin(), all.end(), [key = o.key()](const octant& leaf) { return leaf.key() <= key; });
  return after != all.begin() && std::prev(after)->level > o.level;
}

template <std::size_t N>
unsigned refined_neighbours(const octant& o, const std::array<direction, N>& directions, std::span<const octant> all) {
  unsigned bits = 0;
  for (std::size_t n = 0; n < N; ++n)
    if (o.has_neighbour(directions[n]) && is_refined(o.neighbour(directions[n]), all)) bits |= 1U << n;
  return bits;
}

leaf_shape shape_of(const octant& o, std::span<const octant> all) {
  leaf_shape shape;
  shape.split_faces = static_cast<std::uint8_t>(refined_neighbours(o, face_directions, all));
  unsigned split = refined_neighbours(o, edge_directions, all);
  for (int e = 0; e < edges; ++e)
    for (int f = 0; f < faces; ++f)
      if ((shape.split_faces >> f & 1) != 0 && edge_is_on_face(e, f)) split |= 1U << e;
  shape.split_edges = static_cast<std::uint16_t>(split);
  return shape;
}

}  // namespace

std::vector<leaf_shape> shapes_of(std::span<const octant> leaves, std::span<const octant> all) {
  int finest = 0;
  for (const octant& o : all) finest = std::max<int>(finest, o.level);
  std::vector<leaf_shape> shapes(leaves.size());
  for (std::size_t n = 0; n < leaves.size(); ++n)
    if (leaves[n].level < finest) shapes[n] = shape_of(leaves[n], all);  // nothing is finer than the finest
  return shapes;
}

}  // namespace adaptive_heat
