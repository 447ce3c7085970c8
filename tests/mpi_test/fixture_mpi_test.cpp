// SPDX-License-Identifier: BSD-3-Clause
// What the MPI fixture promises to a test that passes.
#include "mpi_test.hpp"

#include <cstdlib>

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

TEST_F(FixtureTest, communicator_is_the_test_s_own) {
  int result = MPI_IDENT;
  MPI_Comm_compare(comm(), everyone(), &result);
  EXPECT_EQ(result, MPI_CONGRUENT);
}

TEST_F(FixtureTest, nodes_are_those_of_the_shape) {
  const char* asked = std::getenv("NEARFAR_NODE_SIZE");
  EXPECT_EQ(agreed(asked == nullptr), asked == nullptr);
  if (asked != nullptr) {
    EXPECT_LT(std::atoi(asked), size());
  }
}

}  // namespace
}  // namespace nearfar::test
