// SPDX-License-Identifier: BSD-3-Clause
// Partitions made to hurt: all ten meshes of class S with a splitter before each element in turn, ranks with one
// element between.
#include <mortar/entity_table.hpp>
#include <mortar/layout.hpp>

#include "cut_mesh.hpp"
#include "mesh_checks.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .node_sizes = {0}, .on_cluster = false}};

using namespace test;

/// A mortar point in space: the centre of its entity, whose coordinates end in many zeros in so coarse meshes, and its
/// number there.
std::uint64_t point_id(const octant& leaf, int entity, int inner) {
  return entity_key(point_in(leaf, entity_quarters[static_cast<std::size_t>(entity)])) + static_cast<unsigned>(inner);
}

class MeshCuts : public nearfar::test::MpiTest {
 protected:
  /// Ranks get everything before, one element each, and everything from k + ranks - 2 on.
  std::vector<std::size_t> cuts_at(std::size_t k, std::size_t leaves) const {
    std::vector<std::size_t> cuts{0};
    for (int r = 1; r < size(); ++r) cuts.push_back(std::min(k + static_cast<std::size_t>(r) - 1, leaves));
    cuts.push_back(leaves);
    return cuts;
  }
  static std::vector<std::uint64_t> keys_at(const std::vector<std::size_t>& cuts, const std::vector<octant>& all) {
    std::vector<std::uint64_t> keys;
    for (const std::size_t cut : cuts) keys.push_back(cut < all.size() ? all[cut].key() : key_end);
    keys.front() = 0;
    return keys;
  }
  /// Whether it holds on all ranks.
  bool on_all(bool here) const {
    int all = here ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm());
    return all != 0;
  }
  void expect_one_number_per_point(const mesh_part& part, const mortar_layout& layout, const codes& expected,
                                   std::size_t cut);
};

/// The ids of all mortar points of a mesh, ascending: those of its vertices, of edges and of faces that nothing finer
/// lies on.
codes points_of(const std::vector<octant>& all, const std::vector<leaf_shape>& shapes) {
  codes ids;
  const point_counts counts;
  for (std::size_t n = 0; n < all.size(); ++n)
    for (int e = 0; e < entities; ++e)
      for (int p = 0; p < (is_split(shapes[n], e) ? 0 : counts.of_entity(e)); ++p)
        ids.push_back(1 + point_id(all[n], e, p));
  sort_unique(ids);
  return ids;
}

/// The ids of this rank's points by their places, as its elements have them; 0 where only a trace of one refers to the
/// point.
std::vector<std::uint64_t> ids_by_place(const mesh_part& part, const mortar_layout& layout) {
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(layout.total()), 0);
  const point_counts counts;
  bool is_clash = false;
  for (std::size_t n = 0; n < part.leaves.size(); ++n)
    for (int e = 0; e < entities; ++e)
      for (int p = 0; p < (is_split(part.shapes[n], e) ? 0 : counts.of_entity(e)); ++p) {
        std::uint64_t& id = ids[static_cast<std::size_t>(layout.places[n][static_cast<std::size_t>(e)] + p)];
        const std::uint64_t found = 1 + point_id(part.leaves[n], e, p);
        is_clash = is_clash || (id != 0 && id != found);
        id = found;
      }
  EXPECT_FALSE(is_clash) << "two points at one place";
  return ids;
}

/// Every point of the mesh has one owner, and ghosts are what their owners have.
void MeshCuts::expect_one_number_per_point(const mesh_part& part, const mortar_layout& layout, const codes& expected,
                                           std::size_t cut) {
  const std::vector<std::uint64_t> here = ids_by_place(part, layout);
  const auto own = static_cast<std::size_t>(layout.own());
  const codes all = gathered(comm(), codes(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(own)));
  EXPECT_EQ(all.size(), expected.size()) << "cut " << cut;
  if (rank() == 0) {
    codes known;  // of those that owners' own elements have as points
    std::copy_if(all.begin(), all.end(), std::back_inserter(known), [](std::uint64_t id) { return id != 0; });
    std::sort(known.begin(), known.end());
    EXPECT_EQ(std::adjacent_find(known.begin(), known.end()), known.end()) << "cut " << cut;
    EXPECT_TRUE(std::includes(expected.begin(), expected.end(), known.begin(), known.end())) << "cut " << cut;
  }
  int strangers = 0;
  for (std::size_t g = 0; g < layout.ghost_index_all.size(); ++g) {
    const auto at = static_cast<std::size_t>(layout.ghost_index_all[g]);
    const std::uint64_t at_owner = at < all.size() ? all[at] : ~std::uint64_t{0};
    strangers += here[own + g] == 0 || at_owner == 0 || here[own + g] == at_owner ? 0 : 1;
  }
  EXPECT_EQ(strangers, 0) << "cut " << cut;
}

TEST_F(MeshCuts, mortars_of_every_cut_have_one_number) {
  const nearfar::team t(comm());
  const problem& p = problem_class("S");
  layout_maker maker(t);
  mortar_layout layout;
  for (std::size_t i = 0; i < elements_s.size(); ++i) {
    const std::vector<octant> all = closed_form_leaves(ball_at(p, i), p.levels);
    std::vector<leaf_shape> shapes;
    for (const octant& o : all) shapes.push_back(shape_in(o, all));
    const codes expected = points_of(all, shapes);
    EXPECT_EQ(expected.size(), static_cast<std::size_t>(mortars_s[i]));
    for (std::size_t k = 0; k <= all.size(); k += size() == 2 ? 1 : 5) {
      const std::vector<std::size_t> cuts = cuts_at(k, all.size());
      const mesh_part part = cut_mesh(t, all, shapes, cuts);
      maker.make({part.leaves, part.shapes, part.first_key, part.partners}, layout);
      expect_one_number_per_point(part, layout, expected, k);
      if (!on_all(!HasFailure())) return;
    }
  }
}

/// From each mesh to the next and back, so that leaves of several ranks are merged wherever the splitters are.
TEST_F(MeshCuts, meshes_adapt_across_every_cut) {
  const nearfar::team t(comm());
  const problem& p = problem_class("S");
  forest mesh(t, p.levels);
  for (std::size_t i = 0; i < elements_s.size(); ++i) {
    const ball here = ball_at(p, i), next = ball_at(p, (i + 1) % elements_s.size());
    const codes before = codes_of(closed_form_leaves(here, p.levels)),
                after = codes_of(closed_form_leaves(next, p.levels));
    const std::vector<octant> all = closed_form_leaves(here, p.levels);
    mesh.start(here);
    for (std::size_t k = 0; k <= all.size(); ++k) {
      mesh.move_to(keys_at(cuts_at(k, all.size()), all));
      mesh.adapt(next);
      EXPECT_TRUE(gathered(comm(), codes_of(mesh.leaves())) == after) << "mesh " << i << ", cut " << k;
      mesh.adapt(here);
      EXPECT_TRUE(gathered(comm(), codes_of(mesh.leaves())) == before) << "back from mesh " << i << ", cut " << k;
      if (!on_all(!HasFailure())) return;
    }
  }
}

}  // namespace
}  // namespace adaptive_heat
