// SPDX-License-Identifier: BSD-3-Clause
// Grids: tiles cover the cells once, placements pay, and bad input is refused on every rank.
#include <algorithm>
#include <base/internals.hpp>
#include <functional>
#include <halo/grid_state.hpp>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <topology/team_state.hpp>

namespace nearfar::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GridTest : public MpiTest {
 protected:
  // The message of the usage_error that every rank must get.
  std::string refusal(const std::function<void(const team&)>& step) {
    const team members(comm());
    try {
      step(members);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  }
  std::string refusal(std::vector<index_t> extents, const grid_options& options = {}) {
    return refusal([&](const team& t) { grid(t, extents, options); });
  }
  // Sum of a value that every rank counts on its own cells.
  index_t sum(index_t mine) {
    index_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm());
    return all;
  }
  // How many tiles hold each cell: a sum over all ranks of their own cells' marks.
  bool covers_once(const grid& g) {
    const box all{g.dimensions(), {}, {g.extents()[0], g.extents()[1]}};
    std::vector<int> marks(static_cast<std::size_t>(all.cells())), total(marks.size());
    for (index_t i = g.own().lower[0]; i < g.own().upper[0]; ++i)
      for (index_t j = g.own().lower[1]; j < g.own().upper[1]; ++j)
        ++marks[static_cast<std::size_t>(i * g.extents()[1] + j)];
    MPI_Allreduce(marks.data(), total.data(), static_cast<int>(marks.size()), MPI_INT, MPI_SUM, comm());
    return std::all_of(total.begin(), total.end(), [](int count) { return count == 1; });
  }
};

TEST_F(GridTest, tiles_cover_the_cells_once) {
  const team members(comm());
  for (const placement p : {placement::rank_order, placement::node_tiles}) {
    const grid g(members, {13, 17}, {.placement = p});
    EXPECT_TRUE(covers_once(g));
    EXPECT_EQ(g.process_grid()[0] * g.process_grid()[1], size());
    EXPECT_FALSE(g.own().is_empty());
  }
}

TEST_F(GridTest, rank_order_is_that_of_cartesian_communicators) {
  const team members(comm());
  const grid g(members, {60, 60});  // both come out even for up to six tiles
  MPI_Comm cartesian = MPI_COMM_NULL;
  const std::array<int, 2> periods{};
  MPI_Cart_create(comm(), 2, g.process_grid().data(), periods.data(), 0, &cartesian);
  std::array<int, 2> c{};
  MPI_Cart_coords(cartesian, rank(), 2, c.data());
  EXPECT_EQ(g.own().lower[0], c[0] * 60 / g.process_grid()[0]);
  EXPECT_EQ(g.own().lower[1], c[1] * 60 / g.process_grid()[1]);
  MPI_Comm_free(&cartesian);
}

TEST_F(GridTest, cuts_where_told) {
  const team members(comm());
  std::vector<index_t> widths(static_cast<std::size_t>(size()), 2);
  widths.front() = 5;
  const index_t rows = 2 * size() + 3;
  const grid g(members, {rows, 4}, {.tile_extents = {widths}});
  EXPECT_THAT(g.process_grid(), ElementsAre(size(), 1));
  EXPECT_EQ(g.own().extent(0), rank() == 0 ? 5 : 2);
  EXPECT_TRUE(covers_once(g));
  const grid columns(members, {4, 100}, {.process_grid = {1}});
  EXPECT_EQ(columns.own().extent(0), 4);
}

TEST_F(GridTest, node_tiles_have_no_more_far_cells_than_rank_order) {
  const team members(comm());
  for (const index_t n : {16, 23, 60}) {
    const grid g(members, {n, n}, {.periodic = {true, false}, .placement = placement::node_tiles});
    const grid_state& s = state_of(g);
    EXPECT_LE(s.faces.far_cells, s.in_rank_order.far_cells);
    EXPECT_EQ(s.faces.cells, s.in_rank_order.cells);
    EXPECT_EQ(s.faces.far_faces == 0, members.nodes() == 1);
  }
}

TEST_F(GridTest, node_tiles_share_the_longer_faces) {
  const team members(comm());
  const bool is_two_by_two = size() == 4 && members.nodes() == 2 && state_of(members).largest_node == 2;
  if (!is_two_by_two) GTEST_SKIP() << "needs two nodes of two ranks";
  const grid g(members, {200, 40}, {.process_grid = {2, 2}, .placement = placement::node_tiles});
  EXPECT_EQ(state_of(g).in_rank_order.far_cells, 2 * 40) << "each node has a row of tiles";
  const grid turned(members, {40, 200}, {.process_grid = {2, 2}, .placement = placement::node_tiles});
  EXPECT_EQ(state_of(turned).in_rank_order.far_cells, 2 * 200);
  EXPECT_EQ(state_of(turned).faces.far_cells, 2 * 40);
  EXPECT_THAT(turned.describe(), HasSubstr("node tiles, 2 x 1 on each node"));
}

TEST_F(GridTest, description_counts_far_faces) {
  const team members(comm());
  const grid g(members, {12, 12}, {.periodic = {true}});
  EXPECT_THAT(g.describe(), HasSubstr("grid of 12 x 12 cells, periodic in 0 on " + std::to_string(size()) + " ranks"));
  EXPECT_THAT(g.describe(), HasSubstr("placement: rank order"));
  EXPECT_THAT(g.describe(), HasSubstr("far faces: "));
}

TEST_F(GridTest, some_ranks_may_own_nothing) {
  const team members(comm());
  for (const placement p : {placement::rank_order, placement::node_tiles}) {
    const grid g(members, {1, 2}, {.placement = p, .allow_idle = true});
    EXPECT_EQ(sum(g.own().cells()), 2);
    EXPECT_EQ(sum(g.own().is_empty() ? 0 : 1), std::min(2, size()));
    EXPECT_TRUE(covers_once(g));
  }
}

TEST_F(GridTest, tiles_of_any_cover) {
  const team members(comm());
  const index_t rows = 3 * size();
  const box mine{2, {3 * (size() - 1 - rank()), 0}, {3 * (size() - rank()), 5}};
  const grid g = grid::from_tiles(members, {rows, 5}, mine, {true, false});
  EXPECT_EQ(g.own(), mine);
  EXPECT_TRUE(covers_once(g));
  EXPECT_TRUE(g.process_grid().empty());
  EXPECT_TRUE(g.is_periodic(0));
  EXPECT_THAT(g.describe(), HasSubstr("tiles given by their ranks"));
}

TEST_F(GridTest, refuses_extents_that_cannot_be) {
  EXPECT_THAT(refusal(std::vector<index_t>{}), HasSubstr("1 to 4 dimensions, not 0"));
  EXPECT_THAT(refusal({1, 2, 3, 4, 5}), HasSubstr("1 to 4 dimensions, not 5"));
  EXPECT_THAT(refusal({10, 0}), HasSubstr("dimension 1 of the grid has 0 cells"));
  EXPECT_THAT(refusal({-3}), HasSubstr("dimension 0 of the grid has -3 cells"));
  EXPECT_THAT(refusal({index_t{1} << 40, index_t{1} << 40}), HasSubstr("too large"));
}

TEST_F(GridTest, refuses_options_that_do_not_fit) {
  EXPECT_THAT(refusal({100}, {.periodic = {true, true}}),
              HasSubstr("periodic has 2 entries for a grid of 1 dimensions"));
  EXPECT_THAT(refusal({100}, {.process_grid = {-1}}), HasSubstr("asks for -1 tiles along dimension 0"));
  EXPECT_THAT(refusal({100}, {.process_grid = {size() + 1}}),
              HasSubstr("makes " + std::to_string(size() + 1) + " tiles"));
  EXPECT_THAT(refusal({100}, {.tile_extents = {{50, 49}}}), HasSubstr("add up to 99; the grid has 100"));
  EXPECT_THAT(refusal({100}, {.tile_extents = {{100, 0}}}), HasSubstr("a tile of 0 cells"));
  EXPECT_THAT(refusal({100}, {.process_grid = {2}, .tile_extents = {{100}}}), HasSubstr("tile_extents gives 1"));
  if (size() > 1) {
    EXPECT_THAT(refusal({1, 1}), HasSubstr("more than the 1 cells of the grid 1 x 1"));
  }
}

TEST_F(GridTest, refuses_arguments_that_differ_across_ranks) {
  if (size() == 1) return;
  const bool is_last = rank() == size() - 1;
  EXPECT_THAT(refusal({100, is_last ? 99 : 100}), HasSubstr("number of cells per dimension"));
  EXPECT_THAT(refusal({100}, {.periodic = {is_last}}), HasSubstr("periodicity"));
  EXPECT_THAT(refusal({100}, {.allow_idle = is_last}), HasSubstr("options"));
  EXPECT_THAT(refusal({is_last ? -1 : 100}), HasSubstr("has -1 cells"));
}

TEST_F(GridTest, refuses_tiles_that_overlap_or_leave_gaps) {
  const auto with_tile = [&](const box& mine) {
    return refusal([&](const team& t) { grid::from_tiles(t, {10, 5}, mine); });
  };
  const box all{2, {0, 0}, {10, 5}}, none{};
  EXPECT_THAT(with_tile(rank() == 0 ? box{2, {0, 0}, {10, 6}} : none),
              HasSubstr("reaches outside the grid [0,10)x[0,5)"));
  EXPECT_THAT(with_tile(rank() == 0 ? box{2, {2, 0}, {10, 5}} : none),
              HasSubstr("cover 40 of the grid's 50 cells; no rank owns [0,2)x[0,5)"));
  EXPECT_THAT(with_tile(rank() == 0 ? box{1, {0}, {10}} : none), HasSubstr("tile has 1 dimensions, the grid 2"));
  EXPECT_EQ(with_tile(rank() == 0 ? all : none), "accepted");
  if (size() > 1) {
    EXPECT_THAT(with_tile(rank() == 0   ? all
                          : rank() == 1 ? box{2, {4, 4}, {5, 5}}
                                        : none),
                HasSubstr("tiles of ranks 0 and 1 overlap"));
  }
}

}  // namespace
}  // namespace nearfar::test
