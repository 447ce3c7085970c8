// SPDX-License-Identifier: BSD-3-Clause
// Tests that go wrong on one rank only; ctest checks how each of them is reported.
#include <unistd.h>

#include <stdexcept>

#include "mpi_test.hpp"

namespace nearfar::test {
namespace {

const shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

using MustFail = MpiTest;

TEST_F(MustFail, DISABLED_one_rank_fails) { EXPECT_NE(rank(), 1); }

TEST_F(MustFail, DISABLED_assert_all) {
  NEARFAR_ASSERT_ALL(rank() != 1);
  ADD_FAILURE() << "no rank may come here";
}

TEST_F(MustFail, DISABLED_one_rank_stuck) {
  if (rank() == 1) pause();
}

TEST_F(MustFail, DISABLED_one_rank_throws) {
  if (rank() == 1) throw std::runtime_error("on rank 1");
}

}  // namespace
}  // namespace nearfar::test
