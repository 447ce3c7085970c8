// SPDX-License-Identifier: BSD-3-Clause
// Halo plans as a program uses them: by hand-checkable numbers, several in flight, views, moves, checks.
#include <cstdlib>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <thread>

#include "methods_here.hpp"

namespace nearfar::test {
namespace {

using ::testing::HasSubstr;

constexpr index_t nx = 12, ny = 10;

class HaloTest : public MpiTest {
 protected:
  static double value(index_t i, index_t j) {
    return 100.0 * static_cast<double>((i + nx) % nx) + static_cast<double>((j + ny) % ny);
  }

  static void fill(const field<double>& f, double add = 0) {
    const box all = f.with_ghosts(), own = f.own();
    for (index_t i = all.lower[0]; i < all.upper[0]; ++i)
      for (index_t j = all.lower[1]; j < all.upper[1]; ++j) {
        const bool is_own = i >= own.lower[0] && i < own.upper[0] && j >= own.lower[1] && j < own.upper[1];
        f(i, j) = is_own ? value(i, j) + add : -1;
      }
  }
  // Ghosts of the doubly periodic grid, corners too.
  static void expect_filled(const field<double>& f, double add = 0) {
    const box all = f.with_ghosts();
    int wrong = 0;
    for (index_t i = all.lower[0]; i < all.upper[0]; ++i)
      for (index_t j = all.lower[1]; j < all.upper[1]; ++j) wrong += f(i, j) == value(i, j) + add ? 0 : 1;
    EXPECT_EQ(wrong, 0) << "elements of " << all.cells();
  }
  static grid torus(const team& members) { return {members, {nx, ny}, {.periodic = {true, true}}}; }
};

TEST_F(HaloTest, tuned_plan_fills_ghosts_and_corners) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 2});
  halo_plan plan(t, {.budget_s = 0.02});
  for (int step = 0; step < 5; ++step) {
    fill(t, step);
    plan.run();
    expect_filled(t, step);
  }
  EXPECT_FALSE(plan.method().empty());
}

TEST_F(HaloTest, creation_leaves_the_data_alone) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 2});
  fill(t);
  const std::vector<double> before(t.data(), t.data() + t.with_ghosts().cells());
  const halo_plan plan(t, {.budget_s = 0.02});
  EXPECT_TRUE(std::equal(before.begin(), before.end(), t.data()));
}

TEST_F(HaloTest, star_stencil_leaves_corners) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 1});
  fill(t);
  halo_plan(t, {.method = "isend", .stencil = stencil::star}).run();
  const box own = t.own();
  EXPECT_EQ(t(own.lower[0] - 1, own.lower[1]), value(own.lower[0] - 1, own.lower[1]));
  EXPECT_EQ(t(own.lower[0], own.upper[1]), value(own.lower[0], own.upper[1]));
  EXPECT_EQ(t(own.lower[0] - 1, own.lower[1] - 1), -1);
  EXPECT_EQ(t(own.upper[0], own.upper[1]), -1);
}

TEST_F(HaloTest, directional_sets_go_in_one_direction) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 1});
  fill(t);
  halo_plan(std::vector<halo_part>{{t, ghosts{{1, 0}, {0, 0}}}}, {.method = "isend"}).run();
  const box own = t.own();
  EXPECT_EQ(t(own.lower[0] - 1, own.lower[1]), value(own.lower[0] - 1, own.lower[1]));
  EXPECT_EQ(t(own.upper[0], own.lower[1]), -1);
  EXPECT_EQ(t(own.lower[0], own.lower[1] - 1), -1);
}

TEST_F(HaloTest, plans_in_flight_together_finish_in_any_order) {
  const team members(comm());
  const grid g = torus(members);
  const field<double> a(g, {.ghosts = 1}), b(g, {.ghosts = 2}), c(g, {.ghosts = 1});
  for (const std::string& method : methods_here(members)) {
    halo_plan first(a, {.name = "first", .method = method}), second(b, {.name = "second", .method = method});
    halo_plan third(c, {.name = "third", .method = "isend"});
    for (int step = 0; step < 4; ++step) {
      fill(a, step), fill(b, step + 0.5), fill(c, -step);
      first.start(), second.start(), third.start();
      if (step % 2 == 0) {
        second.finish(), third.finish(), first.finish();
      } else {
        third.finish(), first.finish(), second.finish();
      }
      expect_filled(a, step), expect_filled(b, step + 0.5), expect_filled(c, -step);
    }
  }
}

// Messages too long for cache lines are read in place, and arrays are the caller's again when peers have read them.
TEST_F(HaloTest, large_plans_may_finish_in_opposite_orders_on_different_ranks) {
  const team members(comm());
  const grid g(members, {2 * members.size(), 4096}, {.periodic = {true, false}, .process_grid = {members.size(), 1}});
  const field<double> a(g, {.ghosts = 1}), b(g, {.ghosts = 1});
  const box own = a.own();
  for (const std::string& method : methods_here(members)) {
    if (method == "node-barrier") continue;  // blocks in finish by design
    halo_plan first(a, {.name = "first", .method = method}), second(b, {.name = "second", .method = method});
    for (int step = 0; step < 6; ++step) {
      for (index_t i = own.lower[0]; i < own.upper[0]; ++i)
        for (index_t j = 0; j < 4096; ++j) a(i, j) = static_cast<double>(i + j + step), b(i, j) = -a(i, j);
      first.start(), second.start();
      if ((step + members.rank()) % 2 == 0)
        first.finish(), second.finish();
      else
        second.finish(), first.finish();
      const index_t above = own.upper[0] % (2 * members.size());
      for (const index_t j : {0, 4095}) {
        EXPECT_EQ(a(own.upper[0], j), static_cast<double>(above + j + step)) << method;
        EXPECT_EQ(b(own.upper[0], j), -static_cast<double>(above + j + step)) << method;
      }
    }
  }
}

TEST_F(HaloTest, test_says_true_in_the_end) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 1});
  for (const std::string& method : methods_here(members)) {
    halo_plan plan(t, {.method = method});
    EXPECT_TRUE(plan.test()) << "nothing in flight";
    fill(t);
    plan.start();
    while (!plan.test()) std::this_thread::yield();
    plan.finish();
    expect_filled(t);
  }
}

TEST_F(HaloTest, fields_of_two_and_three_dimensions_share_a_plan) {
  const team members(comm());
  const grid flat = torus(members), deep(members, {4, nx, ny}, {.periodic = {false, true, true}, .process_grid = {1}});
  const field<double> p(flat, {.ghosts = 1});
  const field<float> u(deep, {.ghosts = ghosts{{0, 0}, {1, 0}, {0, 0}}, .memory_order = {1, 2, 0}});
  fill(p);
  const box own = u.own();
  for (index_t k = 0; k < 4; ++k)
    for (index_t i = own.lower[1]; i < own.upper[1]; ++i)
      for (index_t j = own.lower[2]; j < own.upper[2]; ++j)
        u(k, i, j) = static_cast<float>(value(i, j) + 0.25 * static_cast<double>(k));
  halo_plan plan({p, u}, {.method = "isend"});
  plan.run();
  expect_filled(p);
  for (index_t k = 0; k < 4; ++k)
    EXPECT_EQ(u(k, own.lower[1] - 1, own.lower[2]),
              static_cast<float>(value(own.lower[1] - 1, own.lower[2]) + 0.25 * static_cast<double>(k)));
}

TEST_F(HaloTest, the_callers_own_array) {
  const team members(comm());
  const grid g(members, {4 * size()}, {.periodic = {true}});
  std::vector<int> memory(2 * 6, -1);  // every other element: a stride of 2
  for (int i = 0; i < 4; ++i) memory[static_cast<std::size_t>(2 * (i + 1))] = 4 * rank() + i;
  halo_plan plan(g, array_view<int>{memory.data(), {6}, {2}}, 1);
  plan.run();
  EXPECT_EQ(memory[0], (4 * rank() + 4 * size() - 1) % (4 * size()));
  EXPECT_EQ(memory[10], (4 * rank() + 4) % (4 * size()));
  EXPECT_EQ(memory[1], -1);
}

TEST_F(HaloTest, plan_keeps_fields_alive_and_can_be_moved) {
  const team members(comm());
  std::vector<halo_plan> plans;
  {
    const field<double> t(torus(members), {.ghosts = 1});
    fill(t);
    halo_plan plan(t, {.method = "isend"});
    plans.push_back(std::move(plan));
    EXPECT_THROW(plan.start(), usage_error) << "moved from";
  }
  plans.front().run();
}

TEST_F(HaloTest, ranks_without_cells_take_part) {
  const team members(comm());
  const grid g(members, {2}, {.periodic = {true}, .allow_idle = true});
  for (const std::string& method : methods_here(members)) {
    const field<int> f(g, {.ghosts = 1});
    halo_plan plan(f, {.method = method});
    for (index_t i = g.own().lower[0]; i < g.own().upper[0]; ++i) f(i) = static_cast<int>(10 + i);
    plan.run();
    if (g.own().is_empty()) continue;
    EXPECT_EQ(f(g.own().lower[0] - 1), 10 + (g.own().lower[0] + 1) % 2);
    EXPECT_EQ(f(g.own().upper[0]), 10 + g.own().upper[0] % 2);
  }
}

TEST_F(HaloTest, nothing_to_exchange_is_a_plan_too) {
  const team members(comm());
  const field<double> t(grid(members, {nx, ny}), {.ghosts = 0});
  halo_plan plan(t);
  plan.run();
  EXPECT_THAT(plan.describe(), HasSubstr("0 near and"));
}

TEST_F(HaloTest, description_names_parts_and_neighbours) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 2});
  const halo_plan plan(std::vector<halo_part>{{t, ghosts{{1, 1}, {2, 2}}}}, {.name = "acoustic", .method = "isend"});
  EXPECT_THAT(plan.describe(), HasSubstr("halo \"acoustic\": 1 part, box stencil"));
  EXPECT_THAT(plan.describe(), HasSubstr("part 0: 12 x 10 cells of 8 B, fills (1,1) (2,2) of (2,2) (2,2)"));
  EXPECT_THAT(plan.describe(), HasSubstr("this rank receives"));
}

TEST_F(HaloTest, calls_in_the_wrong_order_are_refused) {
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 1});
  fill(t);
  halo_plan plan(t, {.name = "p", .method = "isend"});
  EXPECT_THROW(plan.finish(), usage_error);
  plan.start();
  EXPECT_THROW(plan.start(), usage_error);
  plan.finish();
  expect_filled(t);
}

class ParanoidHalo : public HaloTest {
 protected:
  void SetUp() override {
    HaloTest::SetUp();
    setenv("NEARFAR_CHECK", "paranoid", 1);
  }
  void TearDown() override {
    unsetenv("NEARFAR_CHECK");
    HaloTest::TearDown();
  }
};

TEST_F(ParanoidHalo, old_ghosts_are_gone_at_once) {
  const team members(comm());
  const field<std::int64_t> f(grid(members, {8 * size()}, {.periodic = {true}}), {.ghosts = 2});
  const index_t first = f.own().lower[0];
  for (index_t i = first; i < f.own().upper[0]; ++i) f(i) = 5;
  halo_plan plan({{f, ghosts{{1, 0}}}}, {.method = "isend"});
  f(first - 1) = f(first - 2) = 9;
  plan.start();
  EXPECT_NE(f(first - 1), 9) << "poisoned, or filled already";
  EXPECT_EQ(f(first - 2), 9) << "not exchanged";
  plan.finish();
  EXPECT_EQ(f(first - 1), 5);
}

TEST_F(ParanoidHalo, writing_what_neighbours_read_is_found) {
  const team members(comm());
  const field<int> f(grid(members, {8 * size()}, {.periodic = {true}}), {.ghosts = 1});
  halo_plan plan(f, {.method = "isend"});
  plan.start();
  f(f.own().lower[0]) += 1;
  EXPECT_THROW(plan.finish(), usage_error);
  plan.start();
  f(f.own().lower[0] + 3) += 1;  // core: allowed
  EXPECT_NO_THROW(plan.finish());
}

TEST_F(ParanoidHalo, unknown_grade_is_refused) {
  setenv("NEARFAR_CHECK", "sometimes", 1);
  const team members(comm());
  const field<double> t(torus(members), {.ghosts = 1});
  EXPECT_THROW(halo_plan{t}, usage_error);
}

TEST_F(HaloTest, other_arrays_of_the_same_layout) {
  const team members(comm());
  const grid g(members, {static_cast<index_t>(4 * members.size()), 6}, {.periodic = {true, true}});
  field<double> first(g, {.ghosts = 1}), second(g, {.ghosts = 1}), wider(g, {.ghosts = 2});
  const auto number = [&](const field<double>& f, double offset) {
    for (index_t j = g.own().lower[0]; j < g.own().upper[0]; ++j)
      for (index_t i = 0; i < 6; ++i) f(j, i) = offset + static_cast<double>(10 * j + i);
  };
  const auto is_right = [&](const field<double>& f, double offset) {
    const index_t above = (g.own().upper[0]) % (4 * members.size()),
                  below = (g.own().lower[0] + 4 * members.size() - 1) % (4 * members.size());
    return f(g.own().upper[0], 6) == offset + static_cast<double>(10 * above) &&
           f(g.own().lower[0] - 1, -1) == offset + static_cast<double>(10 * below + 5);
  };
  for (const std::string method : {"isend", "persistent", "neighbor", "near-direct", "near-cma", "near-piped", ""}) {
    if (method.starts_with("near") && !can_be_had(members, method)) continue;
    number(first, 0), number(second, 0.5);
    halo_plan plan(first, {.method = method, .budget_s = 0.01});
    plan.run();
    EXPECT_TRUE(is_right(first, 0)) << method;
    plan.run(second);
    EXPECT_TRUE(is_right(second, 0.5)) << plan.method();
    number(first, 7);
    plan.start(first), plan.finish();
    EXPECT_TRUE(is_right(first, 7)) << plan.method();
    EXPECT_THROW(plan.start(wider), usage_error);
    std::vector<void*> none;
    EXPECT_THROW(plan.start(none), usage_error);
    std::vector<double> own(static_cast<std::size_t>((g.own().extent(0) + 2) * 8));
    void* const ordinary = own.data();
    if (members.near_size() > 1 && method == "near-direct") {
      EXPECT_THROW(plan.start({&ordinary, 1}), usage_error);
    }
    plan.run();
    EXPECT_TRUE(is_right(first, 7)) << "after refusals";
  }
}

}  // namespace
}  // namespace nearfar::test
