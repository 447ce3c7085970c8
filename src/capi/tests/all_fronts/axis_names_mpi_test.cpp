// SPDX-License-Identifier: BSD-3-Clause
// Descriptions and messages name axes as their reader does: from 0, slowest first, unless the text is asked for from 1,
// fastest first. No marks are left in either, nor in what programs read.
#include <nearfar/nearfar.h>

#include <mpi_test.hpp>

#include <complex>
#include <nearfar/nearfar.hpp>
#include <vector>

namespace nearfar::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AxisNames : public MpiTest {
 public:
  static constexpr bool on_cluster = false;
};

bool has_marks(const std::string& text) { return text.find_first_of("\1\2\3") != text.npos; }

template <class Plan>
void expect_no_marks(const Plan& plan) {
  EXPECT_FALSE(has_marks(plan.describe())) << plan.describe();
  if constexpr (requires { plan.describe_json(); }) {
    EXPECT_FALSE(has_marks(plan.describe_json()));
  }
}

TEST_F(AxisNames, leave_no_marks_in_what_cpp_describes) {
  const team all{everyone()};
  expect_no_marks(all);
  const grid cells{all, {24, 18}, {.periodic = {true, false}}};
  expect_no_marks(cells);
  field<double> pressure{cells, {.ghosts = 1}};
  expect_no_marks(halo_plan{pressure});
  const auto rows = decomposition::slab(all, {24, 18}, 0), columns = decomposition::slab(all, {24, 18}, 1);
  expect_no_marks(rows);
  std::vector<double> in(24 * 18), out(24 * 18);
  expect_no_marks(transpose_plan{{rows}, {columns}, in, out});
  const fft_layout layout{all, {.extents = {24, 18, 6}}};
  expect_no_marks(layout);
  std::vector<std::complex<double>> physical(24 * 18 * 8), spectral = physical;
  expect_no_marks(fft_plan<double>{layout, physical, spectral});
  expect_no_marks(fft_plan<double>{layout, physical, spectral, {.fusion = fft_fusion::never}});
  const std::vector<index_t> references{0};
  const irregular_plan gather{distribution::block(all, 24), references};
  expect_no_marks(gather);
  double number = 1, sum = 0;
  expect_no_marks(collective_plan{all, calls::allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM)});
}

TEST_F(AxisNames, leave_no_marks_in_what_cpp_throws) {
  const team all{everyone()};
  try {
    grid(all, {24, 0}, {});
    ADD_FAILURE() << "accepted";
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("dimension 1 of the grid"));
    EXPECT_FALSE(has_marks(e.what()));
  }
}

// The text is told, not the thread: both can be had, in any order.
TEST_F(AxisNames, are_those_of_the_text_that_is_asked_for_in_c) {
  nearfar_team* all = nullptr;
  NEARFAR_ASSERT_ALL(nearfar_team_create(everyone(), nullptr, &all) == NEARFAR_OK);
  const int64_t extents[] = {24, 18, 6};
  nearfar_grid* cells = nullptr;
  EXPECT_EQ(nearfar_grid_create(all, 3, extents, nullptr, &cells), NEARFAR_OK);
  nearfar_decomposition* slab = nullptr;
  EXPECT_EQ(nearfar_decomposition_slab(all, 3, extents, 0, &slab), NEARFAR_OK);
  for (const char* zero : {nearfar_grid_describe(cells), nearfar_decomposition_describe(slab)}) {
    const char* one = nearfar_from_one(zero);
    EXPECT_THAT(zero, HasSubstr("24 x 18 x 6"));
    EXPECT_THAT(one, HasSubstr("6 x 18 x 24"));
    EXPECT_FALSE(has_marks(zero) || has_marks(one));
  }
  nearfar_decomposition* none = nullptr;
  EXPECT_EQ(nearfar_decomposition_slab(all, 3, extents, 3, &none), NEARFAR_USAGE_ERROR);
  EXPECT_THAT(nearfar_last_error(), HasSubstr("axis is 3; axes are 0 to 2"));
  EXPECT_THAT(nearfar_from_one(nearfar_last_error()), HasSubstr("axis is 0; axes are 1 to 3"));
  const char* all_in_words = nearfar_team_describe(all);
  EXPECT_STREQ(all_in_words, nearfar_from_one(all_in_words));
  EXPECT_STREQ(nearfar_from_one(nullptr), "");
  EXPECT_EQ(nearfar_team_free(&all), NEARFAR_OK);
}

}  // namespace
}  // namespace nearfar::test
