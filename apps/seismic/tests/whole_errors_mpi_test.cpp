// SPDX-License-Identifier: BSD-3-Clause
// What is left of errors in space and in time, far from the source, at the step that a run chooses.
#include <filesystem>
#include <mpi_test.hpp>

#include "own_folder.hpp"
#include "whole_errors.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .node_sizes = {0}, .on_cluster = false}};

class whole_errors : public nearfar::test::MpiTest {};

TEST_F(whole_errors, are_below_a_hundredth_after_3_km_of_15_hz) {
  const own_folder folder;
  const auto errors = whole_error_run{folder / ""}.in_one_dimension(nearfar::team(comm()), 3000);
  for (std::size_t q = 0; q < errors.size(); ++q) EXPECT_LT(errors[q], 0.01) << whole_error_run::endings[q];
}

}  // namespace
}  // namespace seismic::test
