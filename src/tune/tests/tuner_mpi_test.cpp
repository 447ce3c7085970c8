// SPDX-License-Identifier: BSD-3-Clause
// Races of candidates that differ so much in time that the winner is known beforehand.
#include <mpi_test.hpp>

#include <algorithm>
#include <base/clock.hpp>
#include <base/numbers.hpp>
#include <chrono>
#include <memory>
#include <nearfar/error.hpp>
#include <stdexcept>
#include <thread>
#include <tune/tuner.hpp>
#include <utility>

namespace nearfar::tune {
namespace {

using ::testing::HasSubstr;

std::function<void()> sleeper(double seconds) {
  return [seconds] { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
}

class RaceTest : public test::MpiTest {
 protected:
  // The decision as one number, equal on all ranks only if the decisions are equal in all figures.
  bool is_same_everywhere(const decision& d) {
    hash64 h;
    h.add(d.chosen).add(text(d.seconds)).add(text(d.spent_s));
    for (const trial& t : d.tried)
      h.add(t.name).add(text(t.median_s)).add(text(t.minimum_s)).add(t.samples).add(t.was_dropped ? 1 : 0);
    const auto mine = static_cast<std::int64_t>(h.value());
    std::int64_t low = 0, high = 0;
    MPI_Allreduce(&mine, &low, 1, MPI_INT64_T, MPI_MIN, comm());
    MPI_Allreduce(&mine, &high, 1, MPI_INT64_T, MPI_MAX, comm());
    return low == high;
  }
};

TEST_F(RaceTest, the_fastest_wins_wherever_it_stands) {
  const team t(comm());
  std::vector<candidate> all{{"plain", sleeper(15e-3), true}, {"slow", sleeper(30e-3)}, {"fast", sleeper(0.5e-3)}};
  for (int turn = 0; turn < 3; ++turn) {
    const decision d = race(t, all, {.budget_s = 0.5});
    EXPECT_EQ(d.chosen, "fast");
    EXPECT_TRUE(is_same_everywhere(d));
    NEARFAR_ASSERT_ALL(d.tried.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(d.tried[i].name, all[i].name);
      EXPECT_GE(d.tried[i].samples, 1);
      EXPECT_GE(d.tried[i].median_s, d.tried[i].minimum_s);
      EXPECT_GT(d.tried[i].minimum_s, 0.4e-3);
    }
    std::rotate(all.begin(), all.begin() + 1, all.end());
  }
}

TEST_F(RaceTest, the_slowest_rank_s_time_counts) {
  const team t(comm());
  const bool is_last = t.rank() == t.size() - 1;
  const decision d = race(t, {{"uneven", sleeper(is_last ? 25e-3 : 0)}, {"even", sleeper(2e-3)}}, {.budget_s = 0.5});
  EXPECT_EQ(d.chosen, "even");
  EXPECT_GT(d.tried[0].median_s, 24e-3);
}

TEST_F(RaceTest, the_yardstick_wins_unless_it_is_beaten_by_the_hysteresis) {
  const team t(comm());
  // The other takes a tenth of the time, which a hysteresis of 95 % does not accept and one of 5 % does.
  const std::vector<candidate> all{{"other", sleeper(2e-3)}, {"plain", sleeper(20e-3), true}};
  EXPECT_EQ(race(t, all, {.budget_s = 0.3, .hysteresis = 0.95}).chosen, "plain");
  EXPECT_EQ(race(t, all, {.budget_s = 0.3, .hysteresis = 0.05}).chosen, "other");
}

TEST_F(RaceTest, far_slower_ones_are_dropped_early) {
  const team t(comm());
  int slow_runs = 0;
  const auto slow = [&] { ++slow_runs, sleeper(100e-3)(); };
  const decision d = race(t, {{"slow", slow}, {"fast", sleeper(0.2e-3)}}, {.budget_s = 3});
  EXPECT_EQ(d.chosen, "fast");
  EXPECT_TRUE(d.tried[0].was_dropped);
  EXPECT_FALSE(d.tried[1].was_dropped);
  EXPECT_LE(slow_runs, 8);
  EXPECT_GE(d.tried[1].samples, 5);
}

TEST_F(RaceTest, long_operations_are_dropped_after_one_run_where_they_are_far_behind) {
  const team t(comm());
  int slow_runs = 0;
  const auto slow = [&] { ++slow_runs, sleeper(120e-3)(); };
  const decision d = race(t, {{"slow", slow}, {"fast", sleeper(10e-3)}}, {.budget_s = 0.2, .least_rounds = 3});
  EXPECT_EQ(d.chosen, "fast");
  EXPECT_EQ(slow_runs, 1);
  EXPECT_GE(d.tried[1].samples, 3);
}

TEST_F(RaceTest, a_clear_leader_ends_it_before_the_budget) {
  const team t(comm());
  const decision d = race(t, {{"fast", sleeper(0.3e-3)}, {"slow", sleeper(20e-3)}}, {.budget_s = 15});
  EXPECT_EQ(d.chosen, "fast");
  EXPECT_LT(d.spent_s, 10);
}

// The lead over the plain one is clear from the fifth round on.
TEST_F(RaceTest, a_deliberate_race_goes_on_with_the_close_ones) {
  const team t(comm());
  const std::vector<candidate> all{
      {"fast", sleeper(1e-3)}, {"close", sleeper(1.05e-3)}, {"plain", sleeper(1.8e-3), true}};
  bool was_seen = false;
  for (int tries = 0; tries < 6 && !was_seen; ++tries) {  // a busy machine may hide who is behind
    const decision d = race(t, all, {.budget_s = 0.2, .least_share = 0.5});
    EXPECT_NE(d.chosen, "plain");
    EXPECT_GE(d.spent_s, 0.5 * 0.2);
    was_seen = d.tried[2].was_dropped && !d.tried[0].was_dropped && !d.tried[1].was_dropped &&
               d.tried[0].samples > d.tried[2].samples;
  }
  EXPECT_TRUE(was_seen);
}

// An operation that fills a burst alone, and what prepares it.
TEST_F(RaceTest, preparing_counts_where_it_is_timed_however_long_the_operation_is) {
  const team t(comm());
  for (const bool is_timed : {false, true}) {
    SCOPED_TRACE(is_timed);
    const std::vector<candidate> all{{"prepared", sleeper(1e-3), true, sleeper(30e-3), 0, is_timed},
                                     {"alone", sleeper(12e-3)}};
    EXPECT_EQ(race(t, all, {.budget_s = 0.2, .least_rounds = 5}).chosen, is_timed ? "alone" : "prepared");
  }
}

// As a peer's cache that has read an array in place: it gives the lines up when they are written anew.
TEST_F(RaceTest, what_one_candidate_leaves_for_preparing_is_not_another_s_to_pay) {
  const team t(comm());
  bool is_left = false;
  const auto prepare = [&is_left] {
    if (std::exchange(is_left, false)) sleeper(30e-3)();
  };
  // The first one of three comes after one that leaves nothing in every round.
  const std::vector<candidate> all{{"leaves work", [&] { sleeper(6e-3)(), is_left = true; }, true, prepare, 0, true},
                                   {"leaves none", sleeper(12e-3), false, prepare, 0, true},
                                   {"leaves none, too", sleeper(12e-3), false, prepare, 0, true}};
  EXPECT_NE(race(t, all, {.budget_s = 0.3, .least_rounds = 5}).chosen, "leaves work");
}

TEST_F(RaceTest, twins_do_not_race_for_ever) {
  const team t(comm());
  const decision d = race(t, {{"one", sleeper(0.3e-3)}, {"two", sleeper(0.3e-3)}}, {.budget_s = 15, .hysteresis = 0});
  EXPECT_TRUE(is_same_everywhere(d));
  EXPECT_LT(d.spent_s, 15);
}

TEST_F(RaceTest, no_budget_still_gives_every_candidate_one_run) {
  const team t(comm());
  std::vector<int> runs(3, 0);
  std::vector<candidate> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.push_back({text("c", i), [&runs, i] { ++runs[i], sleeper(i == 1 ? 0 : 20e-3)(); }, i == 0});
  const decision d = race(t, all, {.budget_s = 0});
  EXPECT_EQ(d.chosen, "c1");
  EXPECT_THAT(runs, ::testing::Each(1));
  for (const trial& one : d.tried) EXPECT_EQ(one.samples, 1);
}

// A candidate takes most of the budget: the round after it would be too much, but for the rounds that are asked for.
TEST_F(RaceTest, a_few_rounds_are_run_beyond_the_budget_but_not_many) {
  const team t(comm());
  for (const int asked : {0, 1, 1000}) {
    SCOPED_TRACE(asked);
    int runs = 0;
    const auto nap = [&] { ++runs, sleeper(30e-3)(); };
    const decision d = race(t, {{"only", nap}}, {.budget_s = 40e-3, .least_rounds = asked});
    EXPECT_TRUE(is_same_everywhere(d));
    EXPECT_EQ(runs > 1, asked > 0);
    EXPECT_LE(runs, 5);
  }
}

TEST_F(RaceTest, short_operations_are_timed_in_bursts) {
  const team t(comm());
  int runs = 0;
  const decision d = race(t, {{"short", [&] { ++runs; }}}, {.budget_s = 1});
  EXPECT_EQ(d.chosen, "short");
  EXPECT_GE(d.tried[0].samples, 5);
  EXPECT_GT(runs, 100);
  EXPECT_LT(d.seconds, 1e-3);
}

TEST_F(RaceTest, the_root_s_options_count) {
  const team t(comm());
  const double budget_s = t.is_root() ? 0.0 : 5.0;
  const decision d = race(t, {{"a", sleeper(1e-3)}, {"b", sleeper(1e-3)}}, {.budget_s = budget_s});
  EXPECT_EQ(d.tried[0].samples, 1);
  EXPECT_TRUE(is_same_everywhere(d));
}

TEST_F(RaceTest, refuses_lists_that_are_empty_or_differ) {
  const team t(comm());
  EXPECT_THROW(race(t, {}, {}), usage_error);
  if (size() == 1) return;
  const std::string name = rank() == size() - 1 ? "odd" : "even";
  EXPECT_THROW(race(t, {{name, [] {}}}, {}), usage_error);
}

TEST_F(RaceTest, exceptions_of_candidates_pass_through) {
  const team t(comm());
  EXPECT_THROW(race(t, {{"bad", [] { throw resource_error("no memory"); }}}, {}), resource_error);
}

}  // namespace
}  // namespace nearfar::tune
