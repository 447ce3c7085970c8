// SPDX-License-Identifier: BSD-3-Clause
// Ranks that sleep are woken by rings and by nothing else: naps would last an hour, so that a lost ring is a hang.
#include <sched.h>
#include <unistd.h>
#include <base/internals.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mpi_test.hpp>
#include <near/doorbells.hpp>
#include <nearfar/error.hpp>
#include <string>
#include <thread>
#include <topology/team_state.hpp>

namespace nearfar::near {
namespace {

class doorbells_of_a_node : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    doorbells::most_nap_us = 3'600'000'000;
    setenv("NEARFAR_NAP_US", "3600000000", 1);
  }
  void TearDown() override {
    unsetenv("NEARFAR_NAP_US");
    doorbells::most_nap_us = usual_most_us;
    MpiTest::TearDown();
  }
  static team short_of_cores(const team& t) {
    state_of(t).is_short_of_cores = true;
    return t;
  }
  const std::int64_t usual_most_us = doorbells::most_nap_us;
};

/// A token that goes round the near ranks: each sleeps until its left neighbour brings it.
class token_ring {
 public:
  explicit token_ring(const team& t)
      : b_(doorbells::of(t)), s_(state_of(t)), own_(arena::of(t).allocate(2 * index_t{sizeof(signal)})) {
    const handle mine = arena::of(t).find(own_.data(), 1);
    std::vector<handle> all(as_size(s_.near_size));
    std::vector<int> processes(all.size());
    const int me = getpid();
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, s_.node_comm);
    MPI_Allgather(&me, 1, MPI_INT, processes.data(), 1, MPI_INT, s_.node_comm);
    right_ = (s_.near_rank + 1) % s_.near_size;
    stat_of_right_ = "/proc/" + std::to_string(processes[as_size(right_)]) + "/stat";
    mapped_ = arena::of(t).attach(all[as_size(right_)]);
    token_ = reinterpret_cast<signal*>(own_.data());
    of_right_ = reinterpret_cast<signal*>(mapped_.at(all[as_size(right_)]));
  }
  ~token_ring() { MPI_Barrier(s_.node_comm); }
  token_ring(const token_ring&) = delete;
  token_ring& operator=(const token_ring&) = delete;

  template <class Before>
  void go_round(std::uint64_t rounds, Before before_passing_on) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (s_.near_rank == 0) before_passing_on(round), pass_on(round);
      sleep_until(round);
      if (s_.near_rank > 0) before_passing_on(round), pass_on(round);
    }
  }

  /// Returns when the right neighbour is in the kernel, waiting for this round's token.
  void await_sleep_of_right(std::uint64_t round) const {
    while (!of_right_[1].has_reached(round) || !is_right_asleep()) sched_yield();
  }
  std::uint64_t rung() const { return rung_; }

 private:
  void sleep_until(std::uint64_t round) {
    token_[1].set(round);
    while (!token_->has_reached(round))
      if (b_.nap_unless([&] { return token_->has_reached(round); }) == doorbells::nap::rung) ++rung_;
  }
  void pass_on(std::uint64_t round) {
    of_right_->set(round);
    b_.ring(right_);
  }
  bool is_right_asleep() const {
    std::ifstream file(stat_of_right_);
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    const auto end_of_name = words.rfind(')');
    return end_of_name != std::string::npos && words.compare(end_of_name, 3, ") S") == 0;
  }

  const doorbells& b_;
  const team_state& s_;
  block own_;       ///< the token that has come, and the one that is waited for
  mapping mapped_;  ///< of the right neighbour
  signal *token_ = nullptr, *of_right_ = nullptr;
  int right_ = 0;
  std::string stat_of_right_;
  std::uint64_t rung_ = 0;
};

TEST_F(doorbells_of_a_node, wake_who_sleeps) {
  const team t = short_of_cores(team(comm()));
  const doorbells& b = doorbells::of(t);
  EXPECT_EQ(b.may_nap(), t.near_size() > 1);
  if (!b.may_nap()) return;
  constexpr std::uint64_t rounds = 100;
  token_ring ring(t);
  ring.go_round(rounds, [&](std::uint64_t round) { ring.await_sleep_of_right(round); });
  EXPECT_EQ(ring.rung(), rounds);
  EXPECT_EQ(b.naps_slept_out(), 0);
}

// The token comes before the neighbour lies down, while it does, and after.
TEST_F(doorbells_of_a_node, lose_no_ring) {
  const team t = short_of_cores(team(comm()));
  const doorbells& b = doorbells::of(t);
  if (!b.may_nap()) return;
  token_ring ring(t);
  ring.go_round(500, [](std::uint64_t round) {
    for (volatile std::uint64_t n = 0; n < round % 16 * 200;) n = n + 1;  // no yield: on a busy machine that takes long
  });
  EXPECT_EQ(b.naps_slept_out(), 0);
}

// A signal ends a nap that no ring has ended; it is no ring, and the nap was not slept out.
TEST_F(doorbells_of_a_node, know_a_signal_from_a_ring) {
  const team t = short_of_cores(team(comm()));
  const doorbells& b = doorbells::of(t);
  if (b.may_nap()) {
    struct sigaction does_nothing = {}, before = {};
    does_nothing.sa_handler = [](int) {};
    EXPECT_EQ(sigaction(SIGUSR1, &does_nothing, &before), 0);
    std::atomic<bool> is_awake = false;
    std::thread disturber([&is_awake, sleeper = pthread_self()] {
      while (!is_awake) pthread_kill(sleeper, SIGUSR1), std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    EXPECT_EQ(b.nap_unless([] { return false; }), doorbells::nap::disturbed);
    is_awake = true;
    disturber.join();
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(b.naps_slept_out(), 0);
  }
  MPI_Barrier(comm());
}

TEST_F(doorbells_of_a_node, let_nobody_sleep_who_has_what_it_waits_for) {
  setenv("NEARFAR_NAP_US", "1000", 1);
  const team t = short_of_cores(team(comm()));
  const doorbells& b = doorbells::of(t);
  if (b.may_nap()) {
    EXPECT_EQ(b.nap_unless([] { return true; }), doorbells::nap::unneeded);
    EXPECT_EQ(b.nap_unless([] { return false; }), doorbells::nap::slept_out);
    EXPECT_EQ(b.naps_slept_out(), 1);
  }
  MPI_Barrier(comm());
}

TEST_F(doorbells_of_a_node, are_not_hung_where_cores_are_to_spare) {
  const team t(comm());
  state_of(t).is_short_of_cores = false;
  EXPECT_FALSE(doorbells::of(t).may_nap());
  doorbells::of(t).ring(state_of(t).near_rank);
}

TEST_F(doorbells_of_a_node, can_be_gone_without_by_one_rank_alone) {
  if (rank() == 0) {
    EXPECT_FALSE(doorbells::none().may_nap());
    doorbells::none().ring(0);
  }
}

TEST_F(doorbells_of_a_node, are_silent_if_naps_last_no_time) {
  setenv("NEARFAR_NAP_US", "0", 1);
  const team t = short_of_cores(team(comm()));
  EXPECT_FALSE(doorbells::of(t).may_nap());
}

TEST_F(doorbells_of_a_node, refuse_naps_out_of_range_on_every_rank) {
  doorbells::most_nap_us = usual_most_us;
  for (const std::string value : {"-1", "100001"}) {
    setenv("NEARFAR_NAP_US", rank() == size() - 1 ? value.c_str() : "100000", 1);
    const team t = short_of_cores(team(comm()));
    try {
      doorbells::of(t);
      ADD_FAILURE() << "NEARFAR_NAP_US=" << value << " was taken";
    } catch (const usage_error& e) {
      EXPECT_NE(std::string(e.what()).find("NEARFAR_NAP_US=" + value + " is not"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace nearfar::near
