// SPDX-License-Identifier: BSD-3-Clause
// Ranks that sleep are woken by rings, and not by luck: naps here are so long that a lost ring is seen to be slept out.
#include <chrono>
#include <cstdlib>
#include <mpi_test.hpp>
#include <near/bells.hpp>
#include <nearfar/error.hpp>
#include <thread>
#include <topology/team_state.hpp>

namespace nearfar::near {
namespace {

class bells_of_a_node : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    setenv("NEARFAR_NAP_US", "100000", 1);
  }
  void TearDown() override {
    unsetenv("NEARFAR_NAP_US");
    MpiTest::TearDown();
  }
  static team short_of_cores(const team& t) {
    t.state().is_short_of_cores = true;
    return t;
  }
};

TEST_F(bells_of_a_node, wake_who_sleeps) {
  const team t = short_of_cores(team(comm()));
  const team_state& s = t.state();
  const bells& b = bells::of(t);
  EXPECT_EQ(b.may_nap(), s.near_size > 1);
  if (!b.may_nap()) return;
  // A token goes round the near ranks: each sleeps until it comes.
  const block own = arena::of(t).allocate(index{sizeof(signal)});
  const handle mine = arena::of(t).find(own.data(), 1);
  std::vector<handle> all(as_size(s.near_size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, s.node_comm);
  const int right = (s.near_rank + 1) % s.near_size;
  const mapping m = arena::of(t).attach(all[as_size(right)]);
  auto* const of_right = reinterpret_cast<signal*>(m.at(all[as_size(right)]));
  const auto* const token = reinterpret_cast<const signal*>(own.data());
  constexpr std::uint64_t rounds = 100;
  int naps = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    if (s.near_rank > 0 || round > 1) {
      const std::uint64_t wanted = s.near_rank > 0 ? round : round - 1;
      while (!token->has_reached(wanted))
        if (b.nap_unless([&] { return token->has_reached(wanted); }) != bells::nap::unneeded) ++naps;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // until the others have fallen asleep
    of_right->set(round);
    b.ring(right);
  }
  EXPECT_GT(naps, 0);
  EXPECT_LT(b.naps_slept_out(), naps / 2 + 1);  // some may be where the machine has other work
  MPI_Barrier(s.node_comm);
}

TEST_F(bells_of_a_node, let_nobody_sleep_who_has_what_it_waits_for) {
  const team t = short_of_cores(team(comm()));
  const bells& b = bells::of(t);
  if (b.may_nap()) {
    EXPECT_EQ(b.nap_unless([] { return true; }), bells::nap::unneeded);
    EXPECT_EQ(b.nap_unless([] { return false; }), bells::nap::slept_out);
    EXPECT_EQ(b.naps_slept_out(), 1);
  }
  MPI_Barrier(comm());
}

TEST_F(bells_of_a_node, are_not_hung_where_cores_are_to_spare) {
  const team t(comm());
  t.state().is_short_of_cores = false;
  EXPECT_FALSE(bells::of(t).may_nap());
  bells::of(t).ring(t.state().near_rank);
}

TEST_F(bells_of_a_node, can_be_gone_without_by_one_rank_alone) {
  if (rank() == 0) {
    EXPECT_FALSE(bells::none().may_nap());
    bells::none().ring(0);
  }
}

TEST_F(bells_of_a_node, are_silent_if_naps_last_no_time) {
  setenv("NEARFAR_NAP_US", "0", 1);
  const team t = short_of_cores(team(comm()));
  EXPECT_FALSE(bells::of(t).may_nap());
}

TEST_F(bells_of_a_node, refuse_naps_out_of_range_on_every_rank) {
  if (rank() == size() - 1) setenv("NEARFAR_NAP_US", "-1", 1);
  const team t = short_of_cores(team(comm()));
  try {
    bells::of(t);
    ADD_FAILURE() << "NEARFAR_NAP_US=-1 was taken";
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("NEARFAR_NAP_US=-1 is not"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace nearfar::near
