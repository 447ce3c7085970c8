// SPDX-License-Identifier: BSD-3-Clause
// Any cut into ranks and nodes gives what one rank gives; in the ordered form bit for bit.
#include <cstdlib>
#include <mesh/closed_form.hpp>
#include <optional>
#include <solver/simulation.hpp>

#include "cut_mesh.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .node_sizes = {0, 1}, .on_cluster = false}};

class Shapes : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
    all_.emplace(comm());
  }
  void TearDown() override {
    all_.reset();
    MpiTest::TearDown();
  }
  const nearfar::team& all() const { return *all_; }
  const nearfar::team& alone() const {
    static const nearfar::team self(MPI_COMM_SELF);
    return self;
  }

 private:
  std::optional<nearfar::team> all_;
};

/// Seven steps over two meshes, bit for bit what one rank makes of them, with elements of the usual order and of
/// others.
TEST_F(Shapes, ordered_form_has_the_bits_of_one_rank) {
  for (const int order : {4, 2, 5, 8}) {
    problem p = problem_class("S");
    p.steps = 7, p.name = 'U', p.integral = 0;
    if (order != p.order) p.order = order, p.levels = 3, p.radius = 0.15;
    simulation job(all(), p, exchange_form::ordered);
    simulation serial(alone(), p, exchange_form::ordered);
    const run_result together = job.run(), by_one = serial.run();
    EXPECT_EQ(together.integral, by_one.integral);
    EXPECT_EQ(job.solver().residuals(), serial.solver().residuals());
    const auto& leaves = serial.solver().mesh().leaves;
    for (std::size_t n = 0; n < job.solver().mesh().leaves.size(); ++n) {
      const auto at = std::lower_bound(leaves.begin(), leaves.end(), job.solver().mesh().leaves[n]);
      EXPECT_EQ(job.solver().elements().values(n),
                serial.solver().elements().values(static_cast<std::size_t>(at - leaves.begin())));
    }
  }
}

/// The other forms to rounding.
TEST_F(Shapes, forms_agree_with_one_rank) {
  for (const int order : {4, 3, 7}) {
    problem p = problem_class("S");
    p.steps = 7, p.name = 'U', p.integral = 0;
    if (order != p.order) p.order = order, p.levels = 3, p.radius = 0.15;
    const double expected = simulation(alone(), p, exchange_form::copies).run().integral;
    for (const exchange_form form : {exchange_form::copies, exchange_form::assembly, exchange_form::owner})
      EXPECT_NEAR(simulation(all(), p, form).run().integral / expected, 1, 1e-11) << "order " << order;
  }
}

/// Eight elements, all on the last rank.
TEST_F(Shapes, ranks_without_elements_take_part) {
  problem p = problem_class("S");
  p.levels = 1, p.radius = 0.3;
  const auto leaves = closed_form_leaves(moving_ball{.radius = p.radius}.at(0), p.levels);
  std::vector<std::size_t> cuts(static_cast<std::size_t>(size()) + 1, 0);
  cuts.back() = leaves.size();
  const auto heat_of = [&](const nearfar::team& team, const mesh_part& part, exchange_form form) {
    heat_solver solver(team, {.scheme = {.dt = p.time_step()}, .sources = {{{.radius = p.radius}}}, .form = form});
    solver.set_mesh(part);
    for (int step = 0; step < 5; ++step) solver.step(step * p.time_step());
    return solver.integral();
  };
  const double expected = heat_of(alone(), test::cut_mesh(alone(), leaves), exchange_form::copies);
  EXPECT_GT(expected, 0);
  for (const exchange_form form :
       {exchange_form::copies, exchange_form::assembly, exchange_form::owner, exchange_form::ordered})
    EXPECT_NEAR(heat_of(all(), test::cut_mesh(all(), leaves, cuts), form) / expected, 1, 1e-11);
}

/// A part may begin at any leaf: at the first one and behind the last one too, where ranks have none.
TEST_F(Shapes, a_cut_may_be_anywhere) {
  const problem p = problem_class("S");
  const auto leaves = closed_form_leaves(region_of(p, 0), p.levels);
  heat_solver serial(alone(), options_of(p, exchange_form::copies)),
      parallel(all(), options_of(p, exchange_form::copies));
  const auto first_steps = [](heat_solver& solver, const mesh_part& part) {
    solver.set_mesh(part);
    solver.step(0);
    return std::pair(solver.integral(), solver.residuals().back());
  };
  const auto expected = first_steps(serial, test::cut_mesh(alone(), leaves));
  for (std::size_t cut = 0; cut <= leaves.size(); cut += size() == 2 ? 1 : 9) {
    std::vector<std::size_t> cuts{0, leaves.size(), cut};
    if (size() == 3) cuts.push_back(cut * 5 % (leaves.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    const auto found = first_steps(parallel, test::cut_mesh(all(), leaves, cuts));
    EXPECT_NEAR(found.first / expected.first, 1, 1e-11) << "cut before leaf " << cut;
    EXPECT_NEAR(found.second / expected.second, 1, 1e-9) << "cut before leaf " << cut;
  }
}

/// While sums travel between ranks, only elements are worked on that refer to no point of which another rank has a
/// copy.
TEST_F(Shapes, inner_elements_need_nothing_that_travels) {
  const problem p = problem_class("W");
  heat_solver solver(all(), options_of(p, exchange_form::copies));
  solver.set_mesh(test::cut_mesh(all(), closed_form_leaves(region_of(p, 0), p.levels)));
  const mortar_layout& layout = solver.layout();
  const auto travels = [&](std::int32_t point) { return point >= layout.own_private && point < layout.total(); };
  const auto trace_travels = [&](std::int32_t place) {
    for (const trace_list* const traces : {&layout.edge_traces, &layout.face_traces})
      for (std::size_t n = 0; n < traces->size(); ++n)
        if (const auto t = (*traces)[n]; t.place == place)
          return std::any_of(t.points.begin(), t.points.end(), travels);
    return travels(place);
  };
  const auto boundary = static_cast<std::size_t>(solver.elements().boundary_blocks()) * simd_lanes;
  std::size_t inner = 0;
  for (std::size_t n = 0; n < solver.mesh().leaves.size(); ++n) {
    if (solver.elements().slot_of(n) < boundary) continue;
    ++inner;
    for (const std::int32_t place : layout.places[n]) EXPECT_FALSE(trace_travels(place)) << "element " << n;
  }
  EXPECT_GT(inner, solver.mesh().leaves.size() / 4);
}

/// A ball between all points heats none of them: zero everywhere, and no quotient of zeros.
TEST_F(Shapes, nothing_comes_of_a_ball_that_no_point_is_in) {
  problem p = problem_class("S");
  p.levels = 1, p.steps = 1, p.name = 'U', p.integral = 0;
  EXPECT_EQ(simulation(alone(), p, exchange_form::copies).run().integral, 0);
}

}  // namespace
}  // namespace adaptive_heat
