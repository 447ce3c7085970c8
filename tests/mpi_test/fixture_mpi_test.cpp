// SPDX-License-Identifier: BSD-3-Clause
// What the MPI fixture promises to a test that passes.
#include "mpi_test.hpp"

namespace nearfar::test {
namespace {

using FixtureTest = MpiTest;

TEST_F(FixtureTest, every_rank_is_there) {
  int sum = 0;
  const int mine = rank();
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm());
  EXPECT_EQ(sum, size() * (size() - 1) / 2);
}

TEST_F(FixtureTest, one_rank_that_disagrees_is_enough) {
  EXPECT_TRUE(agreed(true));
  EXPECT_FALSE(agreed(rank() != size() - 1));
}

TEST_F(FixtureTest, communicator_is_not_world) {
  int result = MPI_IDENT;
  MPI_Comm_compare(comm(), MPI_COMM_WORLD, &result);
  EXPECT_EQ(result, MPI_CONGRUENT);
}

}  // namespace
}  // namespace nearfar::test
