// SPDX-License-Identifier: BSD-3-Clause
// Teams before MPI_Init, across MPI_Finalize and after it. One process without a launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <base/internals.hpp>

#include <memory>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <string>
#include <topology/team_state.hpp>

namespace nearfar {
namespace {

using ::testing::HasSubstr;

std::string message_of_making_a_team() {
  try {
    team t(MPI_COMM_WORLD);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "no error";
}

// MPI starts once per process, so this is one test.
TEST(Lifetime, a_team_lives_between_init_and_finalize_and_may_be_freed_later) {
  EXPECT_FALSE(is_mpi_usable());
  EXPECT_THAT(message_of_making_a_team(), HasSubstr("MPI_Init"));
  std::optional<team> survivor;
  std::weak_ptr<int> attached;
  {
    int argc = 0;
    char** argv = nullptr;
    const runtime mpi(argc, argv);
    EXPECT_TRUE(is_mpi_usable());
    survivor.emplace(mpi.world());
    EXPECT_EQ(survivor->size(), 1);
    state_of(*survivor).attachment<int>([&] {
      const auto guest = std::make_shared<int>(7);
      attached = guest;
      return guest;
    });
  }
  EXPECT_FALSE(is_mpi_usable());
  EXPECT_THAT(message_of_making_a_team(), HasSubstr("MPI_Finalize"));
  EXPECT_FALSE(attached.expired());
  survivor.reset();  // would abort if it called MPI
  EXPECT_TRUE(attached.expired());
}

}  // namespace
}  // namespace nearfar
