// SPDX-License-Identifier: BSD-3-Clause
// Columns of Q for every shape, and the element matrix applied to them.
#include <algorithm>
#include <element/kernels.hpp>
#include <element/operators.hpp>
#include <mortar/shape_diagonal.hpp>

namespace adaptive_heat {
namespace {

diagonal_part diagonal_at(const operators& o, int point) {
  const auto at = [&](int axis) { return static_cast<std::size_t>(o.counts.coordinate(point, axis)); };
  const std::size_t i = at(0), j = at(1), k = at(2);
  const double wi = o.weight[i], wj = o.weight[j], wk = o.weight[k];
  return {wj * wk * o.stiffness[i][i] + wi * wk * o.stiffness[j][j] + wi * wj * o.stiffness[k][k], wi * wj * wk};
}

int edge_along(int axis, std::array<int, 3> side) {
  side[static_cast<std::size_t>(axis)] = 0;
  for (int e = 0; e < edges; ++e) {
    const edge_place& place = edge_places[static_cast<std::size_t>(e)];
    if (place.axis == axis && place.side == side) return e;
  }
  return -1;
}

/// Numbers the mortars of a shape, and says which ones lie along its split edges and on its split faces.
class shape_mortars {
 public:
  shape_mortars(int order, const leaf_shape& shape) : counts_{order} {
    for (int e = 0; e < entities; ++e) {
      first_[static_cast<std::size_t>(e)] = count_;
      const int inner = counts_.inner_line();
      count_ += !is_split(shape, e) ? counts_.of_entity(e) : e < first_face ? inner : inner * inner;
    }
  }
  const point_counts& counts() const { return counts_; }
  int count() const { return count_; }
  int first(int e) const { return first_[static_cast<std::size_t>(e)]; }

  /// Point p along edge e.
  int on_edge(int e, int p) const {
    if (!is_end(p)) return first(first_edge + e) + p - 1;
    const edge_place& place = edge_places[static_cast<std::size_t>(e)];
    std::array<int, 3> side = place.side;
    side[static_cast<std::size_t>(place.axis)] = p == 0 ? 0 : 1;
    return side[0] + 2 * side[1] + 4 * side[2];
  }
  /// Point (p, q) on face f.
  int on_face(int f, int p, int q) const {
    if (!is_end(p) && !is_end(q)) return first(first_face + f) + counts_.inner_line() * (q - 1) + p - 1;
    const int a = first_axis_of_face(f), b = second_axis_of_face(f);
    std::array<int, 3> side{};
    side[static_cast<std::size_t>(face_axis(f))] = face_side(f);
    const bool is_along_first = is_end(q);
    side[static_cast<std::size_t>(is_along_first ? b : a)] = (is_along_first ? q : p) == 0 ? 0 : 1;
    return on_edge(edge_along(is_along_first ? a : b, side), is_along_first ? p : q);
  }

 private:
  bool is_end(int p) const { return p == 0 || p == counts_.line() - 1; }

  point_counts counts_;
  std::array<int, entities> first_{};
  int count_ = 0;
};

void add_face(const shape_mortars& m, int f, std::vector<projection_entry>& entries) {
  const point_counts& counts = m.counts();
  const matrix& P = ops(counts.order).projection;
  const int offset = counts.offset(first_face + f);
  for (int j = 0; j < counts.inner(); ++j)
    for (int i = 0; i < counts.inner(); ++i)
      for (int q = 0; q < counts.line(); ++q)
        for (int p = 0; p < counts.line(); ++p)
          entries.push_back({offset + counts.inner() * j + i, m.on_face(f, p, q), P[i][p] * P[j][q]});
}

void add_edge(const shape_mortars& m, int e, std::vector<projection_entry>& entries) {
  const point_counts& counts = m.counts();
  const int offset = counts.offset(first_edge + e);
  for (int i = 0; i < counts.inner(); ++i)
    for (int p = 0; p < counts.line(); ++p)
      entries.push_back({offset + i, m.on_edge(e, p), ops(counts.order).projection[i][p]});
}

/// Of mortars begin … end - 1. Eight columns at a time: the matrix applied, and the products with the columns.
std::vector<diagonal_part> diagonal_of(int order, const shape_projection& projection, int begin, int end) {
  std::vector<diagonal_part> parts;
  const std::span<const int> boundary = points_of(order).boundary;
  const auto size = static_cast<std::size_t>(point_counts{order}.volume() * simd_lanes);
  aligned_vector<double> column(size), stiffness(size), mass(size);
  for (int first = begin; first < end; first += simd_lanes) {
    std::fill(column.begin(), column.end(), 0.0);
    for (const projection_entry& e : projection.entries)
      if (e.mortar >= first && e.mortar < first + simd_lanes)
        column[static_cast<std::size_t>(boundary[static_cast<std::size_t>(e.point)] * simd_lanes + e.mortar - first)] +=
            e.factor;
    kernels(order).operate(column.data(), stiffness.data(), mass.data());
    for (int l = 0; l < std::min(simd_lanes, end - first); ++l) {
      diagonal_part& part = parts.emplace_back();
      for (std::size_t n = static_cast<std::size_t>(l); n < column.size(); n += simd_lanes)
        part.stiffness += column[n] * stiffness[n], part.mass += column[n] * mass[n];
    }
  }
  return parts;
}

unsigned edges_of_faces(unsigned split_faces) {
  unsigned bits = 0;
  for (int f = 0; f < faces; ++f)
    for (int e = 0; e < edges; ++e)
      if ((split_faces >> f & 1) != 0 && edge_is_on_face(e, f)) bits |= 1U << e;
  return bits;
}

bool vertex_is_on_edge(int v, int e) {
  const edge_place& place = edge_places[static_cast<std::size_t>(e)];
  for (int axis = 0; axis < 3; ++axis)
    if (axis != place.axis && vertex_side(v, axis) != place.side[static_cast<std::size_t>(axis)]) return false;
  return true;
}

/// Of what is split in a shape only that which touches an entity: columns of its mortars have nothing elsewhere.
leaf_shape shape_around(const leaf_shape& shape, int entity) {
  unsigned near_faces = 0, near_edges = 0;
  for (int f = 0; f < faces; ++f)
    if (entity < first_edge   ? vertex_is_on_face(entity, f)
        : entity < first_face ? edge_is_on_face(entity - first_edge, f)
                              : f == entity - first_face)
      near_faces |= 1U << f;
  for (int e = 0; e < edges; ++e)
    if (entity < first_edge ? vertex_is_on_edge(entity, e) : e == entity - first_edge) near_edges |= 1U << e;
  near_faces &= shape.split_faces;
  return {static_cast<std::uint16_t>((near_edges & shape.split_edges) | edges_of_faces(near_faces)),
          static_cast<std::uint8_t>(near_faces)};
}

/// Inner points of edges and faces that are not split are touched by nothing that is.
bool is_affected(const leaf_shape& shape, int entity) {
  if (entity >= first_face) return (shape.split_faces >> (entity - first_face) & 1) != 0;
  if (entity >= first_edge) return (shape.split_edges >> (entity - first_edge) & 1) != 0;
  return !shape_around(shape, entity).is_plain();
}

}  // namespace

std::vector<diagonal_part> plain_diagonal(int order) {
  std::vector<diagonal_part> table;
  for (const int point : points_of(order).boundary) table.push_back(diagonal_at(ops(order), point));
  return table;
}

std::vector<diagonal_part> interior_diagonal(int order) {
  const point_list_view lists = points_of(order);
  std::vector<diagonal_part> table(static_cast<std::size_t>(lists.kinds));
  for (std::size_t n = 0; n < lists.interior.size(); ++n)
    table[static_cast<std::size_t>(lists.interior_kind[n])] = diagonal_at(ops(order), lists.interior[n]);
  return table;
}

shape_projection projection_of(int order, const leaf_shape& shape) {
  const point_counts counts{order};
  const shape_mortars m(order, shape);
  shape_projection made{m.count(), {}, {}};
  for (int e = 0; e < entities; ++e) {
    made.first[static_cast<std::size_t>(e)] = m.first(e);
    if (!is_split(shape, e))
      for (int p = 0; p < counts.of_entity(e); ++p) made.entries.push_back({counts.offset(e) + p, m.first(e) + p, 1});
    else if (e < first_face)
      add_edge(m, e - first_edge, made.entries);
    else
      add_face(m, e - first_face, made.entries);
  }
  return made;
}

const shape_diagonals::parts_of_shape& shape_diagonals::of(const leaf_shape& shape) {
  const auto [n, is_new] = shapes_.insert(shape.bits());
  if (!is_new) return known_[static_cast<std::size_t>(n)];
  parts_of_shape& made = known_.emplace_back();
  for (int e = 0; e < entities; ++e)
    if (is_affected(shape, e)) {
      made.affected |= 1U << e;
      made.part[static_cast<std::size_t>(e)] = part_at(shape_around(shape, e), e);
    }
  return made;
}

std::int16_t shape_diagonals::part_at(const leaf_shape& shape, int entity) {
  const auto [n, is_new] = cases_.insert(std::uint64_t{shape.bits()} << 5 | static_cast<unsigned>(entity));
  if (is_new) {
    const shape_projection projection = projection_of(order_, shape);
    const auto e = static_cast<std::size_t>(entity);
    parts_.push_back(diagonal_of(order_, projection, projection.first[e],
                                 e + 1 < entities ? projection.first[e + 1] : projection.mortars));
  }
  return static_cast<std::int16_t>(n);
}

}  // namespace adaptive_heat
