// SPDX-License-Identifier: BSD-3-Clause
// Plans that do not belong together are told apart: by their names when they are made, by their numbers at their first
// start.
#include <strings.h>

#include <mpi_test.hpp>

#include <functional>
#include <nearfar/nearfar.hpp>
#include <vector>

namespace nearfar::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// What must not compile: results never go into what is const.
template <class Buffer>
concept can_receive = requires(const team& t, Buffer& x) {
  bcast(t, x, 0);
}
|| requires(const team& t, Buffer& x) { allreduce(t, x, reduce_op::sum); };
static_assert(can_receive<std::vector<int>> && can_receive<int[4]>);
static_assert(!can_receive<const std::vector<int>> && !can_receive<const int[4]>);
static_assert(std::is_convertible_v<std::vector<double>&, writable_transpose_arrays>);
static_assert(!std::is_convertible_v<const std::vector<double>&, writable_transpose_arrays>);

// POSIX has a function `index`: the library's integer is called otherwise.
static_assert(std::is_same_v<index_t, std::int64_t>);

class PlanOrder : public MpiTest {
 public:
  static constexpr bool on_cluster = false;

 protected:
  bool is_odd_one() { return rank() == size() - 1 && size() > 1; }
  std::string complaint(const std::function<void()>& body) {
    try {
      body();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  }
  void fill() {
    const box o = cells.own();
    for (index_t j = o.lower[0]; j < o.upper[0]; ++j)
      for (index_t i = o.lower[1]; i < o.upper[1]; ++i) pressure(j, i) = 1, wind(j, i) = 2;
  }
  double corner(const field<double>& f) { return f(cells.own().lower[0] - 1, cells.own().lower[1] - 1); }

  team all{nearfar::test::everyone()};
  grid cells{all, {16, 16}, {.periodic = {true, true}}};
  field<double> pressure{cells, {.ghosts = 1}}, wind{cells, {.ghosts = 1}};
};

TEST_F(PlanOrder, another_order_of_names_is_an_error_on_every_rank_with_both_names_and_places) {
  const auto make = [&] {
    std::vector<halo_plan> plans;
    if (is_odd_one()) plans.push_back(halo_plan(wind, {.name = "wind", .budget_s = no_tuning}));
    plans.push_back(halo_plan(pressure, {.name = "pressure", .budget_s = no_tuning}));
  };
  if (size() == 1) return;
  EXPECT_THAT(complaint(make), AllOf(HasSubstr("halo \"pressure\" (plan_order_mpi_test.cpp:"),
                                     HasSubstr("halo \"wind\" (plan_order_mpi_test.cpp:"), HasSubstr("in one order")));
}

TEST_F(PlanOrder, elements_of_other_types_are_an_error_on_every_rank_where_those_of_two_are_known) {
  const auto make = [&](const char* of_all, const char* of_the_odd_one) {
    return complaint(
        [&] { halo_plan(wind, {.budget_s = no_tuning, .type_name = is_odd_one() ? of_the_odd_one : of_all}); });
  };
  EXPECT_EQ(make("float64", "float64"), "accepted");
  EXPECT_EQ(make("float64", ""), "accepted");
  EXPECT_EQ(make("", "float64"), "accepted");
  if (size() == 1) return;
  EXPECT_THAT(make("float64", "int64"),
              AllOf(HasSubstr("or of other elements"), HasSubstr("halo \"halo\" of float64 ("),
                    HasSubstr("halo \"halo\" of int64 (")));
}

TEST_F(PlanOrder, plans_of_different_fronts_are_told_apart) {
  if (size() == 1) return;
  const distribution where = distribution::block(all, 10);
  const std::vector<index_t> references{3};
  EXPECT_THAT(complaint([&] {
                if (is_odd_one())
                  irregular_plan(where, references, {.budget_s = no_tuning});
                else
                  halo_plan(wind, {.budget_s = no_tuning});
              }),
              AllOf(HasSubstr("halo \"halo\""), HasSubstr("irregular \"irregular\"")));
}

TEST_F(PlanOrder, plans_that_look_alike_are_started_in_one_order) {
  fill();
  halo_plan first(pressure, {.budget_s = no_tuning}), second(wind, {.budget_s = no_tuning});
  const bool is_swapped = is_odd_one();
  halo_plan& a = is_swapped ? second : first;
  halo_plan& b = is_swapped ? first : second;
  a.start(), b.start();
  const std::string of_a = complaint([&] { a.finish(); }), of_b = complaint([&] { b.finish(); });
  if (size() == 1) {
    EXPECT_EQ(of_a, "accepted");
    return;
  }
  bool has_odd_neighbour = is_swapped;  // others have exchanged what belongs together
  for (const std::string& words : {of_a, of_b})
    if (words != "accepted") has_odd_neighbour = true;
  if (!has_odd_neighbour) return;
  EXPECT_THAT(of_a, AllOf(HasSubstr("started in another order"), HasSubstr("number 1"), HasSubstr("number 2")));
}

TEST_F(PlanOrder, another_order_that_all_ranks_have_is_right) {
  fill();
  halo_plan first(pressure, {.budget_s = no_tuning}), second(wind, {.budget_s = no_tuning});
  second.start(), first.start();
  first.finish(), second.finish();
  EXPECT_EQ(corner(pressure), 1);
  EXPECT_EQ(corner(wind), 2);
  first.run(), second.run(), second.run();
  EXPECT_EQ(corner(wind), 2);
}

TEST_F(PlanOrder, one_that_was_started_before_there_was_another_is_not_compared) {
  fill();
  halo_plan first(pressure, {.budget_s = no_tuning});
  if (is_odd_one()) MPI_Barrier(comm());
  first.start();
  if (!is_odd_one()) MPI_Barrier(comm());
  first.finish();
  halo_plan second(wind, {.budget_s = no_tuning});
  first.run(), second.run();
  EXPECT_EQ(corner(pressure), 1);
  EXPECT_EQ(corner(wind), 2);
}

// Collective plans do not: each has channels of its own and may be started in any order.
TEST_F(PlanOrder, transpositions_and_gathers_compare) {
  if (size() == 1) return;
  const auto swapped = [&](auto& x, auto& y, auto run) { return complaint([&] { is_odd_one() ? run(y) : run(x); }); };
  const transpose_side rows{decomposition::slab(all, {12, 12}, 0)}, columns{decomposition::slab(all, {12, 12}, 1)};
  const transpose_array<double> u(rows), v(columns), w(rows), x(columns);
  transpose_plan t1(rows, columns, u, v, {.budget_s = no_tuning}), t2(rows, columns, w, x, {.budget_s = no_tuning});
  if (size() == 2) {  // with more, ranks that no odd one is beside would wait for it
    EXPECT_THAT(swapped(t1, t2, [](auto& p) { p.run(); }), HasSubstr("transpose \"transpose\""));
    const distribution where = distribution::block(all, 10);
    const std::vector<index_t> references{0, 9};
    std::vector<double> out(2), own(static_cast<std::size_t>(where.owned()), 1.0);
    irregular_plan g1(where, references, {.budget_s = no_tuning}), g2(where, references, {.budget_s = no_tuning});
    EXPECT_THAT(swapped(g1, g2, [&](auto& p) { p.gather(own, out); }), HasSubstr("irregular \"irregular\""));
  }
}

}  // namespace
}  // namespace nearfar::test
