// SPDX-License-Identifier: BSD-3-Clause
// Process grids: all of them are listed, ranks stand where their order says, loads are those counted element by
// element, and the choice is one.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/process_grid.hpp>
#include <set>
#include <transpose/test_values.hpp>

#include "../grid_candidates.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 4, 6}, .node_sizes = {0, 2}}};

using ::testing::AllOf;
using ::testing::HasSubstr;

class ProcessGrid : public MpiTest {
 protected:
  /// The team's ranks own elements by these coordinates.
  int owner_of(const decomposition& d, index_t i, index_t j, index_t k) const {
    for (int r = 0; r < size(); ++r) {
      const box b = d.of(r);
      const std::array<index_t, 3> at{i, j, k};
      bool is_in = !b.is_empty();
      for (std::size_t a = 0; a < 3; ++a) is_in = is_in && b.lower[a] <= at[a] && at[a] < b.upper[a];
      if (is_in) return r;
    }
    return -1;
  }
  std::string refusal(const std::vector<index_t>& extents, const process_grid_options& o) const {
    std::string message = "accepted";
    try {
      tune_process_grid(all, extents, o);
    } catch (const usage_error& e) {
      message = e.what();
    }
    return agreed(message != "accepted") ? message : "accepted by some";
  }
  team all{nearfar::test::everyone()};
  const process_grid_options quick{.budget_s = 0.01};
};

TEST_F(ProcessGrid, every_factorisation_is_a_candidate_once) {
  for (const int ranks : {1, 2, 12, 30, 64})
    for (const std::size_t axes : {1, 2, 3}) {
      const auto listed = grid_candidates(ranks, axes, true);
      std::set<std::pair<std::vector<int>, bool>> seen;
      for (const process_grid& g : listed)
        EXPECT_TRUE(seen.insert({g.parts, g.order == rank_order::first_axis_first}).second) << name_of(g);
      std::size_t expected = 0;
      for (int a = 1; a <= ranks; ++a)
        for (int b = 1; b <= (axes >= 2 ? ranks : 1); ++b)
          for (int c = 1; c <= (axes >= 3 ? ranks : 1); ++c) {
            if (a * b * c != ranks) continue;
            std::vector<int> parts{a, b, c};
            parts.resize(axes);
            const bool has_orders = (a > 1) + (b > 1) + (c > 1) > 1;
            expected += has_orders ? 2 : 1;
            EXPECT_EQ(seen.count({parts, false}), 1);
            EXPECT_EQ(seen.count({parts, true}), has_orders ? 1 : 0);
          }
      EXPECT_EQ(listed.size(), expected);
      EXPECT_LE(*std::max_element(listed[0].parts.begin(), listed[0].parts.end()),
                *std::max_element(listed.back().parts.begin(), listed.back().parts.end()));
    }
}

TEST_F(ProcessGrid, ranks_follow_each_other_along_the_axis_that_is_named) {
  const int rows = size() % 2 == 0 ? 2 : 1, columns = size() / rows;
  const auto last = decomposition::pencil(all, {8, 5, 12}, 1, {rows, columns});
  const auto first = decomposition::pencil(all, {8, 5, 12}, 1, {rows, columns}, rank_order::first_axis_first);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const box expected = last.of(row * columns + column);
      EXPECT_EQ(expected.lower[0], 8 / rows * row);
      EXPECT_EQ(first.of(column * rows + row).lower, expected.lower);
      EXPECT_EQ(first.of(column * rows + row).upper, expected.upper);
    }
}

TEST_F(ProcessGrid, elements_arrive_between_different_orders_of_ranks) {
  const int rows = size() % 2 == 0 ? 2 : 1, columns = size() / rows;
  const std::vector<index_t> n{6, 5, 7};
  const transpose_side from{decomposition::pencil(all, n, 2, {rows, columns})};
  const transpose_side to{decomposition::pencil(all, n, 0, {rows, columns}, rank_order::first_axis_first), {1, 2, 0}};
  transpose_array<index_t> a(from), b(to);
  const auto set = [&](const box& own, auto body) {
    for (index_t i = own.lower[0]; i < own.upper[0]; ++i)
      for (index_t j = own.lower[1]; j < own.upper[1]; ++j)
        for (index_t k = own.lower[2]; k < own.upper[2]; ++k) body(i, j, k, (i * n[1] + j) * n[2] + k);
  };
  set(from.parts.own(), [&](index_t i, index_t j, index_t k, index_t number) { a(i, j, k) = number; });
  transpose_plan plan(from, to, a, b, {.method = "isend"});
  plan.run(a, b);
  set(to.parts.own(), [&](index_t i, index_t j, index_t k, index_t number) { EXPECT_EQ(b(i, j, k), number); });
}

TEST_F(ProcessGrid, loads_are_those_counted_element_by_element) {
  const std::vector<index_t> n{6, 7, 5};
  for (const process_grid& g : grid_candidates(size(), 2, true)) {
    const std::vector<transpose_side> sides{{decomposition::pencil(all, n, 2, g.parts, g.order)},
                                            {decomposition::pencil(all, n, 1, g.parts, g.order)}};
    grid_load mine;
    std::set<int> far_there, far_back;
    for (index_t i = 0; i < n[0]; ++i)
      for (index_t j = 0; j < n[1]; ++j)
        for (index_t k = 0; k < n[2]; ++k) {
          const int a = owner_of(sides[0].parts, i, j, k), b = owner_of(sides[1].parts, i, j, k);
          for (const auto& [from, to, met] : {std::tuple{a, b, &far_there}, std::tuple{b, a, &far_back}}) {
            if (from != rank()) continue;
            const bool is_far = !all.is_near(to);
            (to == from ? mine.own_bytes : is_far ? mine.far_bytes : mine.near_bytes) += 8;
            if (is_far) met->insert(to);
          }
        }
    mine.far_messages = static_cast<index_t>(far_there.size() + far_back.size());
    double most_s = 0, mine_s = mine.seconds();
    MPI_Allreduce(&mine_s, &most_s, 1, MPI_DOUBLE, MPI_MAX, comm());
    EXPECT_DOUBLE_EQ(busiest_load(all, sides, 8).seconds(), most_s) << name_of(g);
  }
}

TEST_F(ProcessGrid, the_choice_is_the_same_everywhere_and_makes_pencils) {
  const tuned_process_grid best = tune_process_grid(all, {12, 10, 8}, quick);
  const std::array<index_t, 3> mine{best.grid.parts.at(0), best.grid.parts.at(1),
                                    static_cast<index_t>(best.grid.order)};
  std::array<index_t, 3> least{}, most{};
  MPI_Allreduce(mine.data(), least.data(), 3, MPI_INT64_T, MPI_MIN, comm());
  MPI_Allreduce(mine.data(), most.data(), 3, MPI_INT64_T, MPI_MAX, comm());
  EXPECT_EQ(least, most);
  EXPECT_EQ(mine[0] * mine[1], size());
  EXPECT_EQ(best.seconds > 0, size() > 1);
  const auto lines = std::count(best.report.begin(), best.report.end(), '\n');
  EXPECT_EQ(lines, std::min<index_t>(4, static_cast<index_t>(grid_candidates(size(), 2, all.nodes() > 1).size())))
      << best.report;
  decomposition::pencil(all, {12, 10, 8}, 1, best.grid.parts, best.grid.order);
}

TEST_F(ProcessGrid, a_choice_is_remembered) {
  int writer = static_cast<int>(getpid());
  MPI_Bcast(&writer, 1, MPI_INT, 0, comm());
  const auto file = std::filesystem::temp_directory_path() / ("nearfar-grid-" + std::to_string(writer) + ".jsonl");
  const char* before = std::getenv("NEARFAR_WISDOM");
  const std::string kept = before != nullptr ? before : "off";
  setenv("NEARFAR_WISDOM", file.c_str(), 1);
  const tuned_process_grid tuned = tune_process_grid(all, {4, 6}, {.fields = 2, .budget_s = 0.01}),
                           again = tune_process_grid(all, {4, 6}, {.fields = 2, .budget_s = 0.01}),
                           cubes = tune_process_grid(all, {6, 4, 4}, quick),
                           cubes_again = tune_process_grid(all, {6, 4, 4}, quick);
  EXPECT_EQ(again.grid, tuned.grid);
  EXPECT_EQ(cubes_again.grid, cubes.grid);
  const bool has_choice = grid_candidates(size(), 2, all.nodes() > 1).size() > 1;
  if (has_choice) {
    EXPECT_THAT(cubes_again.report, HasSubstr("from wisdom"));
  }
  setenv("NEARFAR_WISDOM", kept.c_str(), 1);
  MPI_Barrier(comm());
  if (rank() == 0) std::filesystem::remove(file), std::filesystem::remove(file.string() + ".lock");
}

TEST_F(ProcessGrid, refusals_name_what_is_wrong) {
  EXPECT_THAT(refusal({8}, quick), HasSubstr("2 to 4 axes, not 1"));
  EXPECT_THAT(refusal({8, 8}, {.whole_axes = {0, 2}}), HasSubstr("axis 2 does not exist; axes are 0 to 1"));
  EXPECT_THAT(refusal({8, 8}, {.fields = 0}), HasSubstr("1 field or more"));
  if (size() == 1) return;
  EXPECT_THAT(refusal({8, 8, 8}, {.fields = 1 + rank()}), AllOf(HasSubstr("fields"), HasSubstr("2")));
  EXPECT_THAT(refusal({8, 8, 8 + rank()}, quick), AllOf(HasSubstr("extents"), HasSubstr("9")));
  EXPECT_THAT(refusal({8, 0, 8}, quick), HasSubstr("8 x 0 x 8"));
}

TEST_F(ProcessGrid, what_is_only_timed_is_neither_zero_nor_far_from_one) {
  const std::vector<transpose_side> sides{{decomposition::slab(all, {5, 6, 7}, 0)},
                                          {decomposition::slab(all, {5, 6, 7}, 1)}};
  constexpr index_t fields = 2;
  std::vector<void*> starts;
  const auto memory = allocate_near(sides, fields, sizeof(double), starts);
  fill_with_test_values(sides, fields, sizeof(double), starts);
  ASSERT_EQ(starts.size(), static_cast<std::size_t>(fields));
  for (void* const start : starts)
    for (index_t i = 0; i < shape_of(sides[1]).elements; ++i) {
      const double number = static_cast<const double*>(start)[i];
      EXPECT_TRUE(number > 0 && number < 2) << number;
      for (const index_t half : {0, 1}) {
        const float single = static_cast<const float*>(start)[2 * i + half];
        EXPECT_TRUE(single >= 1 && single < 2) << single;
      }
    }
}

}  // namespace
}  // namespace nearfar::test
