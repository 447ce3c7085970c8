// SPDX-License-Identifier: BSD-3-Clause
// Which transpositions are tried past the caches, and that the plan so made moves the right elements.
#include <array>
#include <base/internals.hpp>
#include <mpi_test.hpp>
#include <nearfar/transpose.hpp>
#include <topology/team_state.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3, 4}, .node_sizes = {0, 2}, .on_cluster = false}};

using ::testing::HasSubstr;
using ::testing::Not;

using at = std::array<index_t, 3>;

class TransposeStores : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    state_of(all).core_cache_bytes = 1 << 16;
    state_of(all).cache_share_bytes = 1 << 30;
  }

  /// What a plan for n^3 doubles says of itself, which has moved them.
  std::string plan_for(index_t n, const transpose_options& options) {
    const transpose_side rows{decomposition::slab(all, {n, n, n}, 0), {0, 1, 2}},
        columns{decomposition::slab(all, {n, n, n}, 2), {2, 1, 0}};
    transpose_array<double> in(rows), out(columns);
    const auto number = [n](const at& p) { return static_cast<double>((p[0] * n + p[1]) * n + p[2]); };
    for_part(rows, [&](const at& p) { in(p[0], p[1], p[2]) = number(p); });
    for_part(columns, [&](const at& p) { out(p[0], p[1], p[2]) = -1; });
    transpose_plan plan(rows, columns, in, out, options);
    plan.run(in, out);
    index_t wrong = 0;
    for_part(columns, [&](const at& p) { wrong += out(p[0], p[1], p[2]) != number(p); });
    EXPECT_EQ(wrong, 0);
    return plan.describe();
  }

  template <class Body>
  static void for_part(const transpose_side& side, Body body) {
    const box own = side.parts.own();
    for (index_t i = own.lower[0]; i < own.upper[0]; ++i)
      for (index_t j = own.lower[1]; j < own.upper[1]; ++j)
        for (index_t k = own.lower[2]; k < own.upper[2]; ++k) body(at{i, j, k});
  }

  bool is_somebody_near() const { return state_of(all).largest_node > 1; }
  team all{nearfar::test::everyone()};
  const transpose_options quick{.budget_s = 0.02};
};

TEST_F(TransposeStores, what_a_core_caches_by_itself_is_not_tried_past_the_caches) {
  EXPECT_THAT(plan_for(12, quick), Not(HasSubstr("near-direct-streamed")));
}

TEST_F(TransposeStores, what_it_cannot_is) {
  if (!is_somebody_near()) GTEST_SKIP() << "nobody is near";
  EXPECT_THAT(plan_for(40, quick), HasSubstr("near-direct-streamed"));
}

TEST_F(TransposeStores, unless_it_goes_there_anyhow) {
  state_of(all).cache_share_bytes = 1 << 16;
  EXPECT_THAT(plan_for(44, quick), Not(HasSubstr("near-direct-streamed")));
}

TEST_F(TransposeStores, or_is_left_out) {
  EXPECT_THAT(plan_for(48, {.without = {"near-direct-streamed"}, .budget_s = 0.02}),
              Not(HasSubstr("near-direct-streamed")));
}

TEST_F(TransposeStores, arrays_of_zeros_hold_zeros_when_the_race_is_over) {
  const transpose_side rows{decomposition::slab(all, {12, 9, 7}, 0)}, columns{decomposition::slab(all, {12, 9, 7}, 2)};
  transpose_array<double> in(rows), out(columns);
  for_part(rows, [&](const at& p) { in(p[0], p[1], p[2]) = 0; });
  for_part(columns, [&](const at& p) { out(p[0], p[1], p[2]) = 5; });
  const transpose_plan plan(rows, columns, in, out, quick);
  index_t wrong = 0;
  for_part(rows, [&](const at& p) { wrong += in(p[0], p[1], p[2]) != 0; });
  for_part(columns, [&](const at& p) { wrong += out(p[0], p[1], p[2]) != 5; });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace nearfar::test
