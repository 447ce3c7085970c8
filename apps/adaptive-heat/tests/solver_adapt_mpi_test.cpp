// SPDX-License-Identifier: BSD-3-Clause
// Values that follow the mesh, and what is kept from mesh to mesh.
#include <cstdlib>
#include <mesh/closed_form.hpp>
#include <optional>
#include <random>
#include <solver/adapt.hpp>

#include "cut_mesh.hpp"
#include "mesh_tables.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

class Adapt : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
    team_.emplace(comm());
  }
  void TearDown() override {
    team_.reset();
    MpiTest::TearDown();
  }
  const nearfar::team& team() const { return *team_; }

 private:
  std::optional<nearfar::team> team_;
};

double polynomial(double x, double y, double z) {
  return 1 + x * x * x * x - 2 * y * y * y * z + z * z * x * y + 3 * y * z * z * z * z - x * x * y * y * z * z;
}

/// Of degree 4 in each variable, which splitting, merging and moving leave what it is.
element_values polynomial_on(const octant& o) {
  element_values u(125);
  const auto at = [&](std::uint32_t anchor, std::size_t i) {
    return (anchor + o.side() * (ops(usual_order).zeta[i] + 1) / 2) / cube_side;
  };
  for (std::size_t p = 0; p < u.size(); ++p) u[p] = polynomial(at(o.x, p % 5), at(o.y, p / 5 % 5), at(o.z, p / 25));
  return u;
}

double farthest_from_polynomial(const heat_solver& s) {
  double farthest = 0;
  for (std::size_t n = 0; n < s.mesh().leaves.size(); ++n) {
    const element_values expected = polynomial_on(s.mesh().leaves[n]), u = s.elements().values(n);
    for (std::size_t p = 0; p < u.size(); ++p) farthest = std::max(farthest, std::abs(u[p] - expected[p]));
  }
  return farthest;
}

/// SIMD lanes without an element must stay zero, or they give heat to others.
double sum_over_simd_lanes(heat_solver& s) {
  const auto size = static_cast<std::size_t>(s.elements().blocks() * s.elements().counts().stored()) * simd_lanes;
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += s.elements().fields().u[i];
  return sum;
}

/// Whatever leaves move between ranks, and whichever elements become or cease to be boundary elements.
TEST_F(Adapt, polynomials_follow_the_mesh) {
  const problem& p = problem_class("S");
  for (const mesh_source source : {mesh_source::forest, mesh_source::closed_form})
    for (const double imbalance : {0.0, 0.1, 10.0}) {
      forest tree(team(), p.levels);
      heat_solver solver(team(), {.scheme = {.dt = p.time_step()}, .sources = {{{.radius = p.radius}}}});
      tree.start(test::ball_at(p, 0));
      solver.set_mesh(part_of(tree));
      for (std::size_t n = 0; n < solver.mesh().leaves.size(); ++n)
        solver.elements().set_values(n, polynomial_on(solver.mesh().leaves[n]));
      value_transfer values;
      adaptation_times spent;
      for (std::size_t i = 1; i <= 9; ++i) {
        adapt({test::ball_at(p, i), source, imbalance}, tree, solver, values, spent);
        ASSERT_EQ(solver.mesh().all_leaves,
                  static_cast<std::int64_t>(closed_form_leaves(test::ball_at(p, i), p.levels).size()));
        ASSERT_LT(farthest_from_polynomial(solver), 1e-12) << "after adaptation " << i;
        double expected = 0;
        for (const octant& o : solver.mesh().leaves)
          for (const double u : polynomial_on(o)) expected += u;
        ASSERT_NEAR(sum_over_simd_lanes(solver), expected, 1e-9);
      }
    }
}

bool are_equal(const mortar_layout& a, const mortar_layout& b) {
  return a.own_private == b.own_private && a.own_shared == b.own_shared && a.ghosts == b.ghosts &&
         a.traces_begin == b.traces_begin && a.size == b.size && a.places == b.places &&
         a.edge_traces == b.edge_traces && a.face_traces == b.face_traces &&
         a.shared_edge_traces == b.shared_edge_traces && a.shared_face_traces == b.shared_face_traces &&
         a.is_boundary == b.is_boundary && a.entity_dimensions == b.entity_dimensions && a.surface == b.surface &&
         a.ghost_index == b.ghost_index && a.shared_sizes == b.shared_sizes && a.ghost_index_all == b.ghost_index_all &&
         a.own_vertices == b.own_vertices && a.private_entities == b.private_entities && a.sharers == b.sharers;
}

/// A numbering that was made for other meshes before is the one that a mesh alone gets: meshes far apart, and the same
/// cut otherwise.
TEST_F(Adapt, layouts_do_not_depend_on_the_meshes_before) {
  const problem& p = problem_class("S");
  std::mt19937 random(7);
  for (const bool has_own_traces : {false, true}) {
    layout_maker kept(team());
    mortar_layout layout;
    for (const std::size_t i : {0U, 1U, 2U, 2U, 9U, 0U, 5U, 6U}) {
      const auto all = closed_form_leaves(test::ball_at(p, i), p.levels);
      std::vector<std::size_t> cuts{0};
      for (int r = 1; r < size(); ++r) cuts.push_back(random() % (all.size() + 1));
      cuts.push_back(all.size());
      std::sort(cuts.begin(), cuts.end());
      const mesh_part part = test::cut_mesh(team(), all, cuts);
      const layout_request request{part.leaves, part.shapes, part.first_key, part.partners, has_own_traces};
      kept.make(request, layout);
      layout_maker fresh(team());
      mortar_layout expected;
      fresh.make(request, expected);
      EXPECT_TRUE(are_equal(layout, expected)) << "mesh " << i;
    }
  }
}

}  // namespace
}  // namespace adaptive_heat
