// SPDX-License-Identifier: BSD-3-Clause
// Fields: layout, alignment, zeroes, core and edge, and what is refused.
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>

namespace nearfar::test {
namespace {

using ::testing::HasSubstr;

class FieldTest : public MpiTest {};

TEST_F(FieldTest, elements_are_zero_and_found_by_global_index) {
  const team members(comm());
  const grid g(members, {12, 20});
  field<double> f(g, {.ghosts = ghosts{{1, 2}, {3, 0}}});
  EXPECT_EQ(f.layout().extents[0], g.own().extent(0) + 3);
  EXPECT_EQ(f.layout().strides_bytes[1], 8);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(f.data()) % 64, 0u);
  const box all = f.with_ghosts();
  double sum = 0;
  for (index_t i = all.lower[0]; i < all.upper[0]; ++i)
    for (index_t j = all.lower[1]; j < all.upper[1]; ++j) sum += std::abs(f(i, j));
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(&f(all.lower[0], all.lower[1]), f.data());
  f(all.upper[0] - 1, all.upper[1] - 1) = 7;
  EXPECT_EQ(f.data()[all.cells() - 1], 7);
}

TEST_F(FieldTest, memory_order_decides_the_strides) {
  const team members(comm());
  const grid g(members, {12, 20, 4});
  const field<float> f(g, {.ghosts = 1, .memory_order = {1, 2, 0}});
  EXPECT_EQ(f.layout().strides_bytes[0], 4);
  EXPECT_EQ(f.layout().strides_bytes[2], 4 * f.layout().extents[0]);
  EXPECT_EQ(f.layout().strides_bytes[1], 4 * f.layout().extents[0] * f.layout().extents[2]);
}

template <class View, class T>
void expect_places(const View& view, const field<T>& f) {
  const box all = f.with_ghosts();
  const auto& strides = f.layout().strides_bytes;
  for (index_t k = all.lower[0]; k < all.upper[0]; ++k)
    for (index_t j = all.lower[1]; j < all.upper[1]; ++j)
      for (index_t i = all.lower[2]; i < all.upper[2]; ++i) {
        const index_t bytes =
            (k - all.lower[0]) * strides[0] + (j - all.lower[1]) * strides[1] + (i - all.lower[2]) * strides[2];
        EXPECT_EQ(&view(k, j, i), f.data() + bytes / static_cast<index_t>(sizeof(T))) << k << " " << j << " " << i;
      }
}

TEST_F(FieldTest, accesses_of_all_kinds_find_the_same_elements) {
  const team members(comm());
  const grid g(members, {7, 6, 5});
  const ghosts uneven{{1, 2}, {0, 3}, {2, 1}};
  const field<short> rows(g, {.ghosts = uneven}), columns(g, {.ghosts = uneven, .memory_order = {2, 0, 1}});
  const element_view<short> view = rows;
  const element_view<const short> read = rows;
  expect_places(rows, rows), expect_places(view, rows), expect_places(read, rows);
  expect_places(rows.any_view(), rows), expect_places(columns, columns), expect_places(columns.any_view(), columns);
}

TEST_F(FieldTest, a_view_by_rows_is_refused_where_there_are_no_rows) {
  const team members(comm());
  const field<float> f(grid(members, {12, 20}), {.memory_order = {1, 0}});
  std::string refused = f.own().is_empty() ? "stride of" : "";
  try {
    (void)f.view();
  } catch (const usage_error& e) {
    refused = e.what();
  }
  EXPECT_THAT(refused, HasSubstr("stride of"));
}

TEST_F(FieldTest, core_and_edge_make_up_the_own_cells) {
  const team members(comm());
  const grid g(members, {30, 20});
  for (const int width : {0, 1, 2, 40}) {
    const field<char> f(g, {.ghosts = ghosts{{width, 0}, {width, width}}});
    region parts = f.edge();
    for (const box& b : f.core()) {
      parts.push_back(b);
      EXPECT_EQ(b.lower[0], g.own().lower[0] + width);
      EXPECT_EQ(b.upper[0], g.own().upper[0]) << "no ghosts on this side";
    }
    index_t cells = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      cells += parts[i].cells();
      EXPECT_EQ(intersection(parts[i], g.own()), parts[i]);
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersection(parts[i], parts[j]).is_empty());
    }
    EXPECT_EQ(cells, g.own().cells());
    EXPECT_EQ(f.core().empty(), width == 40);
    EXPECT_EQ(f.edge().empty(), width == 0);
  }
}

TEST_F(FieldTest, rank_without_cells_has_no_elements) {
  const team members(comm());
  const grid g(members, {1}, {.allow_idle = true});
  const field<int> f(g, {.ghosts = 2});
  EXPECT_EQ(f.data() == nullptr, g.own().is_empty());
  EXPECT_EQ(f.with_ghosts().cells(), g.own().is_empty() ? 0 : 5);
  EXPECT_EQ(f.core().size() + f.edge().size(), g.own().is_empty() ? 0u : 1u);
}

TEST_F(FieldTest, copies_share_the_memory) {
  const team members(comm());
  const grid g(members, {50});
  field<int> a(g);
  const field<int> b = a;
  a(g.own().lower[0]) = 3;
  EXPECT_EQ(b(g.own().lower[0]), 3);
}

TEST_F(FieldTest, bad_arguments_are_refused_on_every_rank) {
  const team members(comm());
  const grid g(members, {50, 50});
  const bool is_last = rank() == size() - 1;
  const auto refusal = [&](std::size_t bytes, const field_options& options) -> std::string {
    try {
      field_base(g, bytes, options);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal(8, {.ghosts = is_last ? -1 : 1}), HasSubstr("ghost widths (-1, -1) in dimension 0"));
  EXPECT_THAT(refusal(8, {.memory_order = {0, 0}}), HasSubstr("memory_order is (0, 0)"));
  EXPECT_THAT(refusal(8, {.memory_order = {0}}), HasSubstr("each of the dimensions 0 to 1"));
  EXPECT_THAT(refusal(is_last ? 0 : 8, {}), HasSubstr("elements of 0 bytes; 1 to 65536"));
}

TEST_F(FieldTest, too_much_memory_is_an_error_on_every_rank) {
  const team members(comm());
  const grid g(members, {index_t{1} << 45});
  EXPECT_THROW(field<double>{g}, resource_error);
}

}  // namespace
}  // namespace nearfar::test
