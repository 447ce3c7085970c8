// SPDX-License-Identifier: BSD-3-Clause
// Transpositions that cannot be: every rank gets the same error, which names what is wrong.
#include <sys/mman.h>

#include <functional>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/transpose.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}}};

using ::testing::AllOf;
using ::testing::HasSubstr;

class TransposeRefusal : public MpiTest {
 protected:
  template <class Error = usage_error>
  std::string refusal(const std::function<void()>& step) {
    std::string message = "accepted";
    try {
      step();
    } catch (const Error& e) {
      message = e.what();
    }
    return agreed(message != "accepted")   ? message
           : agreed(message == "accepted") ? "accepted"
                                           : "only some ranks: " + message;
  }
  bool is_last() const { return rank() == size() - 1; }
  team all{nearfar::test::everyone()};
  transpose_side rows{decomposition::slab(all, {12, 6}, 0)}, columns{decomposition::slab(all, {12, 6}, 1)};
  std::vector<double> in = std::vector<double>(200), out = std::vector<double>(200);
  const transpose_options plain{.method = "isend"};
};

TEST_F(TransposeRefusal, decompositions) {
  EXPECT_THAT(refusal([&] { decomposition::slab(all, {12, 6}, 2); }), HasSubstr("axis is 2; axes are 0 to 1"));
  EXPECT_THAT(refusal([&] { decomposition::slab(all, {12, 0}, 0); }), HasSubstr("12 x 0"));
  EXPECT_THAT(refusal([&] { decomposition::blocks(all, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}); }), HasSubstr("1 to 4 axes"));
  EXPECT_THAT(refusal([&] {
                decomposition::blocks(all, {12, 6}, {size() + 1, 1});
              }),
              HasSubstr("does not multiply to the " + std::to_string(size()) + " ranks"));
  EXPECT_THAT(refusal([&] { decomposition::pencil(all, {4, 4, 4}, 1, {1}); }), HasSubstr("2 axes besides"));
  if (size() == 1) return;
  EXPECT_THAT(refusal([&] {
                decomposition::slab(all, {is_last() ? 11 : 12, 6}, 0);
              }),
              AllOf(HasSubstr("11"), HasSubstr("12")));
}

TEST_F(TransposeRefusal, a_start_on_other_arrays_that_is_refused_moves_none_of_them) {
  if (all.nodes() != 1 || size() == 1) return;  // nobody to read from in place
  const transpose_array<double> near_in(rows), near_out(columns), other_out(columns);
  transpose_plan p(rows, columns, near_in, near_out, {.method = "near-direct", .budget_s = no_tuning});
  for (double& x : near_in.field()) x = 1 + rank();
  for (double& x : other_out.field()) x = 7;
  try {
    p.start(in, other_out);
    p.finish();  // near memory is not shared here
    return;
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("field 0 of in is not near memory"));
  }
  p.run();
  for (const double x : other_out.field()) EXPECT_EQ(x, 7);
  const box own = columns.parts.own();
  for (int r = 0; r < size(); ++r)
    for (index_t i = rows.parts.of(r).lower[0]; i < rows.parts.of(r).upper[0]; ++i)
      for (index_t j = own.lower[1]; j < own.upper[1]; ++j) EXPECT_EQ(near_out(i, j), 1 + r);
}

TEST_F(TransposeRefusal, boxes_that_do_not_cover_the_grid_once) {
  const index_t n = size();
  const auto give = [&](index_t lower, index_t upper) {
    return refusal([&] { decomposition::from_boxes(all, {4 * n, 3}, box{2, {lower, 0}, {upper, 3}}); });
  };
  EXPECT_EQ(give(4 * rank(), 4 * rank() + 4), "accepted");
  EXPECT_THAT(give(4 * rank(), 4 * rank() + 3), HasSubstr("element (3, 0) of the grid"));
  EXPECT_THAT(give(4 * rank(), 4 * rank() + 5), size() == 1 ? HasSubstr("outside axis 0") : HasSubstr("outside"));
  if (size() == 1) return;
  EXPECT_THAT(give(rank() == 0 ? 0 : 4 * rank() - 1, 4 * rank() + 4),
              AllOf(HasSubstr("element (3, 0) has two owners"), HasSubstr("rank 0"), HasSubstr("rank 1")));
}

TEST_F(TransposeRefusal, sides) {
  const auto make = [&](const transpose_side& from, const transpose_side& to,
                        transpose_options options = {.method = "isend"}) {
    return refusal([&] { transpose_plan(from, to, in, out, options); });
  };
  EXPECT_EQ(make(rows, columns), "accepted");
  EXPECT_THAT(make(rows, {decomposition::slab(all, {12, 7}, 1)}), AllOf(HasSubstr("12 x 6"), HasSubstr("12 x 7")));
  EXPECT_THAT(make(rows, {columns.parts, {0, 0}}),
              HasSubstr("memory_order is from slow to fast (0, 0); it must name each of the axes 0 to 1"));
  EXPECT_THAT(make(rows, {columns.parts, {}, ghosts{{0, 0}, {-1, 0}}}), HasSubstr("padding of axis 1 is (-1, 0)"));
  EXPECT_THAT(make(rows, columns, {.method = "isend", .fields = 0}), HasSubstr("0 fields"));
  EXPECT_THAT(make({rows.parts, {}, 0, 1}, columns, {.method = "isend", .fields = 2}), HasSubstr("field_stride of 1"));
  EXPECT_THAT(make({rows.parts, {}, 0, 80}, columns, {.method = "isend", .fields = 2}),
              HasSubstr("out has 1 arrays; 2"));
  EXPECT_THAT(make(rows, columns, {.method = "telepathy"}), HasSubstr("isend"));
  EXPECT_THAT(make(rows, columns, {.method = "isend", .without = {"telepathy"}}), HasSubstr("no method"));
  EXPECT_THAT(make(rows, columns, {.method = "isend", .without = {"isend"}}), HasSubstr("compared"));
  if (size() == 1) return;
  EXPECT_THAT(make({rows.parts, is_last() ? std::vector{1, 0} : std::vector{0, 1}}, columns),
              HasSubstr("memory_order of the side from"));
  EXPECT_THAT(make(is_last() ? rows : columns, is_last() ? columns : rows),
              HasSubstr("the process grid of the side from"));
  EXPECT_THAT(make(rows, columns, {.method = is_last() ? "isend" : ""}), HasSubstr("the method"));
  EXPECT_THAT(make(rows, columns, {.without = {is_last() ? "persistent" : "neighbor"}}), HasSubstr("left out"));
}

// Tuning fills arrays of zeros with numbers and stores what is sent anew: not where it may not write.
TEST_F(TransposeRefusal, tuning_writes_no_array_that_is_only_read) {
  constexpr std::size_t bytes = 1 << 16;
  void* const page = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NEARFAR_ASSERT_ALL(page != MAP_FAILED);
  const std::span<const double> zeros(static_cast<const double*>(page), bytes / sizeof(double));
  transpose_plan plan(rows, columns, zeros, out, {.budget_s = 0.02});
  std::fill(out.begin(), out.end(), 1.0);
  plan.run();
  const auto own = static_cast<std::size_t>(columns.parts.own().cells());
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i < own ? 0 : 1) << i;
  munmap(page, bytes);
}

TEST_F(TransposeRefusal, arrays_for_no_side) {
  EXPECT_THROW(transpose_array<double>(std::vector<transpose_side>{}), usage_error);
}

TEST_F(TransposeRefusal, arrays) {
  EXPECT_THAT(
      refusal([&] { transpose_plan(rows, columns, is_last() ? std::span<double>() : std::span(in), out, plain); }),
      AllOf(HasSubstr("array 0 of in is null"), HasSubstr("this rank owns")));
  EXPECT_THAT(refusal([&] { transpose_plan(rows, columns, in, std::span(in).subspan(1), plain); }),
              HasSubstr("overlap"));
  std::vector<float> narrow(200);
  if (rows.parts.own().cells() > 1) {
    EXPECT_THAT(refusal([&] { transpose_plan(rows, columns, std::span(in).first(1), out, plain); }),
                AllOf(HasSubstr("array 0 of in has 1 elements"), HasSubstr("are needed for this rank's")));
  }
  const transpose_side apart{rows.parts, {}, 0, 100}, to_apart{columns.parts, {}, 0, 100};
  const index_t own = rows.parts.own().cells();
  EXPECT_EQ(elements_of(apart, 2), own > 0 ? 100 + own : 0);
  EXPECT_THAT(refusal([&] {
                transpose_plan(apart, to_apart, std::span(in).first(100), out, {.method = "isend", .fields = 2});
              }),
              HasSubstr("array 0 of in has 100 elements"));
  EXPECT_THAT(refusal([&] { transpose_plan(rows, columns, in, narrow, plain); }),
              AllOf(HasSubstr("out has elements of 4 bytes"), HasSubstr("8")));
  EXPECT_THAT(
      refusal<resource_error>([&] {
        transpose_array<double> large(transpose_side{decomposition::slab(all, {index_t{1} << 40, index_t{1} << 8}, 0)});
      }),
      HasSubstr("B asked"));
}

TEST_F(TransposeRefusal, starts) {
  transpose_plan plan(rows, columns, in, out, plain);
  EXPECT_THAT(refusal([&] { plan.finish(); }), HasSubstr("without start()"));
  EXPECT_THAT(refusal([&] { plan.run(in, in); }), HasSubstr("not made in place"));
  plan.start();
  EXPECT_THAT(refusal([&] { plan.start(); }), HasSubstr("in flight"));
  plan.finish();
  const transpose_array<double> near_in(rows);
  transpose_plan reads_in_place(rows, columns, near_in, out, plain);
  EXPECT_THAT(refusal([&] { reads_in_place.run(in, out); }), HasSubstr("near memory"));
  reads_in_place.run();
  transpose_plan moved = std::move(plan);
  EXPECT_THAT(refusal([&] { plan.start(); }), HasSubstr("moved from"));
}

}  // namespace
}  // namespace nearfar::test
