// SPDX-License-Identifier: BSD-3-Clause
// Ghosts, mirrors, types of faces and split edges against brute force over the whole mesh; numbers of mortar points
// against NPB's.
#include <set>

#include "mesh_checks.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0}, .on_cluster = false}};

using namespace test;

class MeshGhostsTest : public nearfar::test::MpiTest {
 protected:
  void expect_ghosts_as_by_force(forest& mesh) {
    const codes followed = mesh.ghost_codes();
    const ghost_layer& layer = mesh.ghosts();
    EXPECT_EQ(followed, codes_of(layer.leaves));
    std::vector<octant> expected;
    std::vector<int> owners;
    for (const octant& o : all_leaves(comm(), mesh)) {
      const int owner = mesh.parts().owner(o.key());
      const auto touches = [&](const octant& mine) { return touch(mine, o); };
      if (owner == rank() || std::none_of(mesh.leaves().begin(), mesh.leaves().end(), touches)) continue;
      expected.push_back(o);
      owners.push_back(owner);
    }
    EXPECT_TRUE(layer.leaves == expected);
    EXPECT_EQ(layer.owners, owners);
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    EXPECT_EQ(layer.partners, owners);
  }

  /// What partners read through mirrors lands at the ghosts that it belongs to.
  void expect_mirrors_match(forest& mesh) {
    const ghost_layer& layer = mesh.ghosts();
    codes sent, received(layer.leaves.size());
    for (const std::uint32_t i : layer.mirrors) sent.push_back(mesh.leaves()[i].code());
    std::vector<MPI_Request> requests;
    for (std::size_t k = 0; k < layer.partners.size(); ++k) {
      MPI_Irecv(received.data() + layer.begins[k], static_cast<int>(layer.begins[k + 1] - layer.begins[k]),
                MPI_UINT64_T, layer.partners[k], 0, comm(), &requests.emplace_back());
      MPI_Isend(sent.data() + layer.mirror_begins[k],
                static_cast<int>(layer.mirror_begins[k + 1] - layer.mirror_begins[k]), MPI_UINT64_T, layer.partners[k],
                0, comm(), &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(received, codes_of(layer.leaves));
  }

  static face_type face_by_force(const octant& o, direction d, const std::vector<octant>& all) {
    for (const octant& other : all) {
      if (other == o || !is_at(o, d, other)) continue;
      return other.level < o.level ? face_type::larger : other.level == o.level ? face_type::same : face_type::smaller;
    }
    return face_type::boundary;
  }

  static leaf_sides sides_by_force(const octant& o, const std::vector<octant>& all) {
    leaf_sides s;
    for (std::size_t f = 0; f < 6; ++f) s.faces[f] = face_by_force(o, face_directions[f], all);
    unsigned split = 0;
    for (std::size_t e = 0; e < 12; ++e)
      if (std::any_of(all.begin(), all.end(), [&](const octant& other) {
            return other.level > o.level && is_at(o, edge_directions[e], other);
          }))
        split |= 1U << e;
    s.split_edges = static_cast<std::uint16_t>(split);
    return s;
  }

  void expect_sides_as_by_force(forest& mesh) {
    const std::vector<leaf_sides>& sides = mesh.sides();
    const std::vector<octant> all = all_leaves(comm(), mesh);
    NEARFAR_ASSERT_ALL(sides.size() == mesh.leaves().size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) wrong += sides[i] == sides_by_force(mesh.leaves()[i], all) ? 0 : 1;
    EXPECT_EQ(wrong, 0U);
  }
};

TEST_F(MeshGhostsTest, ghosts_and_sides_are_those_of_the_whole_mesh) {
  const nearfar::team t(comm());
  std::mt19937 bits(21);
  for (int i = 0; i < 8; ++i) {
    forest mesh(t, 1 + i % 5);
    for (int k = 0; k < 3; ++k) {
      mesh.adapt(random_ball(bits, 0.07));
      mesh.move_to(random_splitters(bits, all_leaves(comm(), mesh), size()));
      expect_ghosts_as_by_force(mesh);
      expect_mirrors_match(mesh);
      expect_sides_as_by_force(mesh);
    }
  }
}

/// Ghosts that were known before an adaptation are followed through it, wherever the ball jumps and however the mesh is
/// cut.
TEST_F(MeshGhostsTest, ghosts_are_followed_through_adaptations) {
  const nearfar::team t(comm());
  std::mt19937 bits(22);
  int merges_across = 0;
  for (int i = 0; i < 10; ++i) {
    forest mesh(t, 2 + i % 4);
    for (int k = 0; k < 6; ++k) {
      if (k % 3 == 1) mesh.move_to(random_splitters(bits, all_leaves(comm(), mesh), size()));
      if (k > 0) mesh.ghost_codes();
      const partition before = mesh.parts();
      mesh.adapt(random_ball(bits, 0.07));
      if (!(mesh.parts() == before)) ++merges_across;
      expect_ghosts_as_by_force(mesh);
    }
  }
  if (size() > 1) {
    EXPECT_GT(merges_across, 0);
    EXPECT_LT(merges_across, 60);
  }
}

/// The ball moves by a little each time, as in the benchmark.
TEST_F(MeshGhostsTest, ghosts_are_followed_with_the_ball) {
  const nearfar::team t(comm());
  const problem& p = problem_class("W");
  forest mesh(t, p.levels);
  mesh.start(ball_at(p, 0));
  for (std::size_t i = 1; i < 9; ++i) {
    mesh.adapt(ball_at(p, i));
    expect_ghosts_as_by_force(mesh);
    mesh.rebalance(0.05);
  }
}

/// Geometric identities of a leaf's vertices, conforming edges and faces that are not split, with the numbers of their
/// unknowns.
using entity = std::array<std::uint32_t, 4>;  // twice the centre, and the axis: 0 vertex, 1 … 3 edge, 4 … 6 face

entity entity_at(const octant& o, direction d, std::uint32_t axis) {
  const auto at = [&](std::uint32_t c, int to) { return 2 * c + static_cast<std::uint32_t>(to + 1) * o.side(); };
  return {at(o.x, d.x), at(o.y, d.y), at(o.z, d.z), axis};
}

void add_vertices(const octant& o, std::set<entity>& found) {
  for (int c = 0; c < 8; ++c) {
    const auto end = [c](int bit) { return static_cast<std::int8_t>((c & bit) != 0 ? 1 : -1); };
    found.insert(entity_at(o, {end(1), end(2), end(4)}, 0));
  }
}

void add_edges_and_faces(const octant& o, const leaf_sides& s, std::set<entity>& found) {
  for (std::size_t e = 0; e < 12; ++e) {
    const direction d = edge_directions[e];
    if (!s.is_edge_split(static_cast<int>(e))) found.insert(entity_at(o, d, d.x == 0 ? 1 : d.y == 0 ? 2 : 3));
  }
  for (std::size_t f = 0; f < 6; ++f) {
    const direction d = face_directions[f];
    if (s.faces[f] != face_type::smaller) found.insert(entity_at(o, d, d.x != 0 ? 4 : d.y != 0 ? 5 : 6));
  }
}

/// Those of ghosts of lower ranks, split ones included: none of these is the same as a conforming one of a local leaf.
std::set<entity> entities_of_lower_ranks(const ghost_layer& layer, int rank) {
  std::set<entity> lower;
  for (std::size_t i = 0; i < layer.leaves.size(); ++i) {
    if (layer.owners[i] > rank) break;
    add_vertices(layer.leaves[i], lower);
    add_edges_and_faces(layer.leaves[i], leaf_sides{}, lower);
  }
  return lower;
}

std::array<std::int64_t, 2> vertices_and_mortars_owned(forest& mesh) {
  std::set<entity> mine;
  for (std::size_t i = 0; i < mesh.leaves().size(); ++i) {
    add_vertices(mesh.leaves()[i], mine);
    add_edges_and_faces(mesh.leaves()[i], mesh.sides()[i], mine);
  }
  for (const entity& e : entities_of_lower_ranks(mesh.ghosts(), mesh.team().rank())) mine.erase(e);
  std::array<std::int64_t, 2> count{0, 0};
  for (const entity& e : mine) {
    if (e[3] == 0) ++count[0];
    count[1] += e[3] == 0 ? 1 : e[3] <= 3 ? 3 : 9;
  }
  return count;
}

TEST_F(MeshGhostsTest, vertices_and_mortar_points_are_as_many_as_in_npb) {
  const nearfar::team t(comm());
  const auto run = [&](const char* name, const std::vector<int>& vertices, const std::vector<int>& mortars,
                       std::size_t adaptations) {
    const problem& p = problem_class(name);
    forest mesh(t, p.levels);
    mesh.start(ball_at(p, 0));
    for (std::size_t i = 0; i < adaptations; ++i) {
      if (i > 0) mesh.adapt(ball_at(p, i));
      auto counts = vertices_and_mortars_owned(mesh);
      MPI_Allreduce(MPI_IN_PLACE, counts.data(), 2, MPI_INT64_T, MPI_SUM, comm());
      if (i < vertices.size()) {
        EXPECT_EQ(counts[0], vertices[i]) << name << " " << i;
      }
      EXPECT_EQ(counts[1], mortars[i]) << name << " " << i;
    }
  };
  run("S", vertices_s, mortars_s, 10);
  run("W", {}, mortars_w, 8);
  run("A", {}, mortars_a, 4);
}

}  // namespace
}  // namespace adaptive_heat
