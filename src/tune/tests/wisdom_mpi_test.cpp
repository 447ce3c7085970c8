// SPDX-License-Identifier: BSD-3-Clause
// Wisdom of a team: what the root keeps, all ranks find.
#include <base/internals.hpp>
#include <mpi_test.hpp>

#include <array>
#include <base/text.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <topology/team_state.hpp>
#include <tune/wisdom.hpp>

#include <own_wisdom.hpp>

namespace nearfar::tune {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using WisdomTest = test::OwnWisdomTest;

TEST_F(WisdomTest, all_ranks_find_what_was_kept) {
  const team t(comm());
  EXPECT_FALSE(find_wisdom(t, "plan"));
  keep_wisdom(t, "plan", {"near-pull+persistent", 2.5e-6});
  const auto found = find_wisdom(t, "plan");
  NEARFAR_ASSERT_ALL(found.has_value());
  EXPECT_EQ(found->method, "near-pull+persistent");
  EXPECT_EQ(found->seconds, 2.5e-6);
  EXPECT_FALSE(find_wisdom(t, "another plan"));
}

TEST_F(WisdomTest, the_root_s_key_and_file_count) {
  const team t(comm());
  if (rank() != 0) ::setenv("NEARFAR_WISDOM", "off", 1);
  keep_wisdom(t, rank() == 0 ? "plan" : "else", {rank() == 0 ? "isend" : "else", 0});
  const auto found = find_wisdom(t, rank() == 0 ? "plan" : "else");
  NEARFAR_ASSERT_ALL(found.has_value());
  EXPECT_EQ(found->method, "isend");
}

TEST_F(WisdomTest, off_finds_and_keeps_nothing) {
  const team t(comm());
  ::setenv("NEARFAR_WISDOM", "off", 1);
  keep_wisdom(t, "plan", {"isend", 0});
  EXPECT_FALSE(find_wisdom(t, "plan"));
}

TEST_F(WisdomTest, jobs_that_keep_at_once_lose_nothing) {
  const team alone(MPI_COMM_SELF);
  for (int i = 0; i < 5; ++i) keep_wisdom(alone, text("plan ", rank(), " ", i), {text("method-", rank()), 0});
  MPI_Barrier(comm());
  for (int i = 0; i < 5; ++i) {
    const auto found = find_wisdom(alone, text("plan ", rank(), " ", i));
    EXPECT_EQ(found ? found->method : "none", text("method-", rank()));
  }
}

TEST_F(WisdomTest, the_signature_tells_machines_libraries_and_shapes_apart) {
  const team all(comm(), {.node_size = 100}), far(comm(), {.node_size = 1}), alone(MPI_COMM_SELF);
  EXPECT_THAT(machine_signature(all), HasSubstr(mpi_library()));
  EXPECT_THAT(machine_signature(all), HasSubstr(state_of(all).processor));
  EXPECT_EQ(machine_signature(all), machine_signature(team(comm(), {.node_size = 100})));
  EXPECT_EQ(machine_signature(all) == machine_signature(far), all.nodes() == far.nodes());
  EXPECT_EQ(machine_signature(all) == machine_signature(alone), size() == 1);
}

// Whatever one of these numbers changes, what was measured before says nothing about.
TEST_F(WisdomTest, the_signature_tells_every_number_of_the_team_s_shape_apart) {
  const team all(comm());
  const team_state& s = state_of(all);
  std::set<std::string> known{machine_signature(s)};
  const auto changed = [&](auto team_state::*what) {
    team_state& other = const_cast<team_state&>(s);
    const auto before = other.*what;
    other.*what = before + 7;
    known.insert(machine_signature(other));
    other.*what = before;
  };
  changed(&team_state::size);
  changed(&team_state::nodes);
  changed(&team_state::smallest_node);
  changed(&team_state::largest_node);
  changed(&team_state::ranks_here);
  changed(&team_state::hardware_threads);
  EXPECT_EQ(known.size(), 7U);
}

}  // namespace
}  // namespace nearfar::tune
