// SPDX-License-Identifier: BSD-3-Clause
// NPB's numbers of mortar points, and sums through vectors that are distributed by them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mesh/closed_form.hpp>
#include <mortar/numbering.hpp>
#include <mortar/rank_loads.hpp>
#include <mortar/traffic.hpp>
#include <numeric>
#include <solver/simulation.hpp>

#include "cut_mesh.hpp"
#include "mesh_tables.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

using place = std::array<std::int64_t, 3>;  ///< in half units of the finest level

std::int64_t middle(std::uint32_t low, std::uint32_t side, int twice) { return 2 * std::int64_t{low} + side * twice; }

/// Centre of an entity; `twice` is 0, 1 or 2 half sides per axis.
place centre_of(const octant& o, int entity) {
  std::array<int, 3> twice{};
  for (int axis = 0; axis < 3; ++axis) {
    auto& t = twice[static_cast<std::size_t>(axis)];
    if (entity < first_edge) {
      t = 2 * vertex_side(entity, axis);
    } else if (entity < first_face) {
      const edge_place& e = edge_places[static_cast<std::size_t>(entity - first_edge)];
      t = e.axis == axis ? 1 : 2 * e.side[static_cast<std::size_t>(axis)];
    } else {
      const int face = entity - first_face;
      t = face_axis(face) == axis ? 2 * face_side(face) : 1;
    }
  }
  const std::array<std::uint32_t, 3> low{o.x, o.y, o.z};
  return {middle(low[0], o.side(), twice[0]), middle(low[1], o.side(), twice[1]), middle(low[2], o.side(), twice[2])};
}

bool has_points(const leaf_shape& s, int entity) {
  if (entity < first_edge) return true;
  if (entity < first_face) return (s.split_edges >> (entity - first_edge) & 1) == 0;
  return (s.split_faces >> (entity - first_face) & 1) == 0;
}

/// First numbers of entities, by walking over the whole mesh as NPB does.
std::map<place, std::int64_t> numbers_of(std::span<const octant> all) {
  const std::vector<int> edges_of_face[] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}, {10, 11}, {}, {}};
  std::map<place, std::int64_t> first;
  std::int64_t next = 0;
  const auto number = [&](const octant& o, const leaf_shape& s, int entity) {
    if (has_points(s, entity) && first.emplace(centre_of(o, entity), next).second)
      next += point_counts{}.of_entity(entity);
  };
  for (const octant& o : all)
    for (int v = 0; v < vertices; ++v) number(o, {}, v);
  for (const octant& o : all) {
    const leaf_shape s = test::shape_in(o, all);
    for (int f = 0; f < faces; ++f) {
      for (const int e : edges_of_face[f]) number(o, s, first_edge + e);
      number(o, s, first_face + f);
    }
  }
  return first;
}

class Distributions : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
  }
};

TEST_F(Distributions, numbers_are_those_of_npb_for_any_cut) {
  const problem& p = problem_class("S");
  const auto all = closed_form_leaves(test::ball_at(p, 2), p.levels);
  const auto expected = numbers_of(all);
  const nearfar::team team(comm());
  heat_solver solver(team, options_of(p, exchange_form::owner));
  const auto ranks = static_cast<std::size_t>(size());
  for (const std::size_t first_cut : {all.size() / ranks, std::size_t{0}, std::size_t{5}}) {
    std::vector<std::size_t> cuts{0};
    for (std::size_t r = 1; r < ranks; ++r) cuts.push_back(std::min(r * first_cut, all.size()));
    cuts.push_back(all.size());
    solver.set_mesh(test::cut_mesh(team, all, cuts));
    const auto& layout = solver.layout();
    const auto& part = solver.mesh();
    const global_numbers numbers = number_points(team, layout, part.shapes);
    EXPECT_EQ(numbers.vertices, 420);
    EXPECT_EQ(numbers.all, 11559);
    for (std::size_t n = 0; n < part.leaves.size(); ++n)
      for (int e = 0; e < entities; ++e) {
        if (!has_points(part.shapes[n], e)) continue;
        const auto at = static_cast<std::size_t>(layout.places[n][static_cast<std::size_t>(e)]);
        for (std::size_t q = 0; q < static_cast<std::size_t>(layout.counts.of_entity(e)); ++q)
          EXPECT_EQ(numbers.points[at + q], expected.at(centre_of(part.leaves[n], e)) + static_cast<std::int64_t>(q))
              << "element " << n << ", entity " << e;
      }
  }
}

/// What is counted for ranks that are not there is what plans of ranks that are there move.
TEST_F(Distributions, loads_are_those_of_real_plans) {
  const problem& p = problem_class("S");
  const auto all = closed_form_leaves(test::ball_at(p, 2), p.levels);
  const nearfar::team team(comm()), alone(MPI_COMM_SELF);
  heat_solver whole(alone, options_of(p, exchange_form::copies)), own(team, options_of(p, exchange_form::copies));
  whole.set_mesh(test::cut_mesh(alone, all));
  own.set_mesh(test::cut_mesh(team, all));
  const std::vector<rank_load> loads = loads_of(whole.layout(), whole.mesh().shapes, size());
  const rank_load& load = loads.at(static_cast<std::size_t>(rank()));
  const std::vector<std::int64_t> real = values_by_owner(team, own.exchange());
  EXPECT_EQ(load.elements, static_cast<std::int64_t>(own.mesh().leaves.size()));
  EXPECT_EQ(load.values, std::accumulate(real.begin(), real.end(), std::int64_t{0}));
  EXPECT_EQ(load.partners, std::count_if(real.begin(), real.end(), [](std::int64_t v) { return v > 0; }));
  EXPECT_EQ(load.partners, size() - 1);
}

TEST_F(Distributions, class_s_is_verified_with_each) {
  for (const point_distribution d : all_point_distributions) {
    simulation job(nearfar::team(comm()), problem_class("S"), exchange_form::distributed, mesh_source::forest, 1, d);
    const run_result r = job.run();
    EXPECT_TRUE(r.is_verified) << name_of(d);
    EXPECT_LT(r.relative_error, 1e-11) << name_of(d);
  }
}

TEST_F(Distributions, an_unknown_one_is_refused_with_what_there_is) {
  try {
    point_distribution_named("blocks");
    ADD_FAILURE() << "it was taken";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("reversed-two-block"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace adaptive_heat
