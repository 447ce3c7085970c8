// SPDX-License-Identifier: BSD-3-Clause
// Old and new elements are walked along together.
#include <base/resize_anew.hpp>
#include <mortar/element_references.hpp>

namespace adaptive_heat {
namespace {

int dimension_at(int a, int b) { return a % 2 + b % 2; }

/// Places of the entities of each of eight siblings in a grid over their parent, whose points lie half a sibling's side
/// apart.
constexpr std::array<std::array<std::uint8_t, entities>, 8> make_octet_grid() {
  std::array<std::array<std::uint8_t, entities>, 8> grid{};
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t e = 0; e < entities; ++e) {
      const auto at = [&](std::size_t axis) {
        return 2 * static_cast<int>(c >> axis & 1) + entity_quarters[e][axis] / 2;
      };
      grid[c][e] = static_cast<std::uint8_t>(at(0) + 5 * (at(1) + 5 * at(2)));
    }
  return grid;
}
constexpr auto octet_grid = make_octet_grid();

constexpr std::uint64_t no_octet = ~std::uint64_t{0};

/// Makes room for the record with that number.
template <class T>
T& record(std::vector<T>& list, std::int32_t number) {
  const auto n = static_cast<std::size_t>(number);
  if (n >= list.size()) list.resize(n + 1);
  return list[n];
}

}  // namespace

void element_references::renew(std::span<const octant> leaves, std::span<const leaf_shape> shapes, bool has_own_traces,
                               std::vector<element_numbers>& memory) {
  if (has_own_traces != has_own_traces_) forget();
  has_own_traces_ = has_own_traces;
  resize_anew(memory, leaves.size());
  octet_parent_ = no_octet;
  std::size_t old = 0;
  for (std::size_t n = 0; n < leaves.size(); ++n) {
    const std::uint64_t code = leaves[n].code();
    while (old < leaves_.size() && leaves_[old] < code) ++old;
    if (old < leaves_.size() && leaves_[old] == code && shapes_[old] == shapes[n])
      memory[n] = refs_[old];
    else
      find_numbers(leaves[n], shapes[n], memory[n]);
  }
  refs_.swap(memory);
  leaves_.clear();
  for (const octant& leaf : leaves) leaves_.push_back(leaf.code());
  shapes_.assign(shapes.begin(), shapes.end());
}

void element_references::forget() {
  leaves_.clear(), shapes_.clear();
  entities_.clear(), edges_.clear(), faces_.clear();
}

void element_references::find_numbers(const octant& leaf, const leaf_shape& shape, element_numbers& numbers) {
  begin_octet(leaf.level == 0 ? 0 : leaf.parent().code());
  const auto& in_grid = octet_grid[static_cast<std::size_t>(leaf.child_index())];
  std::array<std::uint64_t, entities> keys;
  for (std::size_t e = 0; e < entities; ++e)
    if (octet_[in_grid[e]] < 0) {
      keys[e] = lasting_key(point_in(leaf, entity_quarters[e]), dimension_of(static_cast<int>(e)));
      entities_.prefetch(keys[e]);
    }
  for (std::size_t e = 0; e < entities; ++e)
    if (octet_[in_grid[e]] < 0) entities_.prefetch_key(keys[e]);
  for (int e = 0; e < entities; ++e) {
    const auto s = static_cast<std::size_t>(e);
    if (!is_split(shape, e)) {
      std::int32_t& known = octet_[in_grid[s]];
      if (known < 0) known = entity_at(keys[s], dimension_of(e));
      numbers[s] = known;
      continue;
    }
    const half_point centre = point_in(leaf, entity_quarters[s]);
    numbers[s] =
        ~(e >= first_face ? face_trace_at(leaf, e - first_face, centre) : edge_trace_at(leaf, e - first_edge, centre));
  }
}

/// Siblings share many entities, which need be looked for once.
void element_references::begin_octet(std::uint64_t parent) {
  if (octet_parent_ == parent) return;
  octet_parent_ = parent;
  octet_.fill(-1);
}

std::int32_t element_references::entity_at(const half_point& centre, int dimension) {
  return entity_at(lasting_key(centre, dimension), dimension);
}

std::int32_t element_references::entity_at(std::uint64_t key, int dimension) {
  const auto [n, is_new] = entities_.insert(key);
  if (is_new) record(dimensions_, n) = static_cast<std::uint8_t>(dimension);
  return n;
}

/// Traces at the same place are the same, unless each element has its own.
std::uint64_t element_references::trace_key(const half_point& centre) noexcept {
  return has_own_traces_ ? next_own_trace_++ : entity_key(centre);
}

std::int32_t element_references::edge_trace_at(const octant& leaf, int e, const half_point& centre) {
  const auto [n, is_new] = edges_.insert(trace_key(centre));
  if (!is_new) return n;
  edge_entities& list = record(edge_lists_, n);
  std::array<int, 3> quarters = entity_quarters[static_cast<std::size_t>(first_edge + e)];
  for (int a = 0; a < 5; ++a) {
    quarters[static_cast<std::size_t>(edge_places[static_cast<std::size_t>(e)].axis)] = a;
    list[static_cast<std::size_t>(a)] = entity_at(point_in(leaf, quarters), dimension_at(a, 0));
  }
  return n;
}

std::int32_t element_references::face_trace_at(const octant& leaf, int f, const half_point& centre) {
  const auto [n, is_new] = faces_.insert(trace_key(centre));
  if (!is_new) return n;
  face_entities& list = record(face_lists_, n);
  std::array<int, 3> quarters = entity_quarters[static_cast<std::size_t>(first_face + f)];
  for (int b = 0; b < 5; ++b)
    for (int a = 0; a < 5; ++a) {
      quarters[static_cast<std::size_t>(first_axis_of_face(f))] = a;
      quarters[static_cast<std::size_t>(second_axis_of_face(f))] = b;
      list[static_cast<std::size_t>(5 * b + a)] = entity_at(point_in(leaf, quarters), dimension_at(a, b));
    }
  return n;
}

void element_references::drop_unused(std::span<const std::int32_t> entities, std::span<const std::int32_t> edges,
                                     std::span<const std::int32_t> faces, std::int32_t unused) {
  const auto drop = [&](entity_table& table, std::span<const std::int32_t> places) {
    unused_.clear();
    for (std::int32_t n = 0; n < table.end(); ++n)
      if (places[static_cast<std::size_t>(n)] == unused && table.is_used(n)) unused_.push_back(n);
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < unused_.size(); ++i) {
      if (i + ahead < unused_.size()) table.prefetch(table.key(unused_[i + ahead]));
      table.erase(unused_[i]);
    }
  };
  drop(entities_, entities), drop(edges_, edges), drop(faces_, faces);
}

}  // namespace adaptive_heat
