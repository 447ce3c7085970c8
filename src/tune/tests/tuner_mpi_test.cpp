// SPDX-License-Identifier: BSD-3-Clause
// Races on a clock that only the candidates move on: who wins, who is dropped when, and how many rounds it takes.
#include <mpi_test.hpp>

#include <algorithm>
#include <base/numbers.hpp>
#include <fake_clock.hpp>
#include <nearfar/error.hpp>
#include <tune/tuner.hpp>
#include <utility>

namespace nearfar::tune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr double ms = test::binary_ms;

class RaceTest : public test::MpiTest {
 protected:
  bool is_last() const { return rank() == size() - 1; }

  /// An operation takes so long on the last rank, and half of it on the others: the last one's time counts.
  void pass(double seconds) const { clock.pass(is_last() ? seconds : seconds / 2); }
  std::function<void()> work(double seconds) const {
    return [this, seconds] { pass(seconds); };
  }
  /// One whose runs take the times of a list, again and again.
  std::function<void()> work_by_turns(std::vector<double> seconds) const {
    return [this, seconds, turn = std::size_t{0}]() mutable { pass(seconds[turn++ % seconds.size()]); };
  }
  static std::function<void()> counted(int& runs, const std::function<void()>& run) {
    return [&runs, run] { ++runs, run(); };
  }

  // The decision as one number, equal on all ranks only if the decisions are equal in all figures.
  bool is_same_everywhere(const decision& d) {
    hash64 h;
    h.add(d.chosen).add(text(d.seconds)).add(text(d.spent_s));
    for (const timing& t : d.tried)
      h.add(t.name).add(text(t.median_s)).add(text(t.minimum_s)).add(t.samples).add(t.was_dropped ? 1 : 0);
    const auto mine = static_cast<std::int64_t>(h.value());
    std::int64_t low = 0, high = 0;
    MPI_Allreduce(&mine, &low, 1, MPI_INT64_T, MPI_MIN, comm());
    MPI_Allreduce(&mine, &high, 1, MPI_INT64_T, MPI_MAX, comm());
    return low == high;
  }
  static std::vector<int> samples(const decision& d) {
    std::vector<int> all;
    for (const timing& t : d.tried) all.push_back(t.samples);
    return all;
  }
  static std::vector<bool> dropped(const decision& d) {
    std::vector<bool> all;
    for (const timing& t : d.tried) all.push_back(t.was_dropped);
    return all;
  }

  test::fake_clock clock;
};

TEST_F(RaceTest, the_fastest_wins_wherever_it_stands) {
  const team t(comm());
  struct {
    const char* name;
    double seconds;
  } times[] = {{"plain", 1.5 * ms}, {"slow", 1.75 * ms}, {"fast", ms}};
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<candidate> all;
    for (const auto& [name, seconds] : times) all.push_back({name, work(seconds), name == std::string("plain")});
    const decision d = race(t, all, {.budget_s = 1});
    EXPECT_EQ(d.chosen, "fast");
    EXPECT_EQ(d.seconds, ms);
    EXPECT_EQ(d.spent_s, 7 * 4.25 * ms) << "two rounds to warm up, and five";
    EXPECT_TRUE(is_same_everywhere(d));
    NEARFAR_ASSERT_ALL(d.tried.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(d.tried[i].name, all[i].name);
      EXPECT_EQ(d.tried[i].is_yardstick, all[i].is_yardstick);
      EXPECT_EQ(d.tried[i].samples, 5);
      EXPECT_EQ(d.tried[i].median_s, times[i].seconds);
      EXPECT_EQ(d.tried[i].minimum_s, times[i].seconds);
    }
    std::rotate(std::begin(times), std::begin(times) + 1, std::end(times));
  }
}

TEST_F(RaceTest, the_slowest_rank_s_time_counts) {
  const team t(comm());
  const decision d =
      race(t, {{"uneven", [&] { clock.pass(is_last() ? 4 * ms : 0); }}, {"even", [&] { clock.pass(3 * ms); }}},
           {.budget_s = 1});
  EXPECT_EQ(d.chosen, "even");
  EXPECT_EQ(d.tried[0].median_s, 4 * ms);
  EXPECT_TRUE(is_same_everywhere(d));
}

TEST_F(RaceTest, every_round_has_another_order) {
  const team t(comm());
  std::vector<int> order;
  std::vector<candidate> all;
  for (int i = 0; i < 3; ++i) all.push_back({text("c", i), [&order, this, i] { order.push_back(i), pass(ms); }});
  race(t, all, {.budget_s = 1, .most_rounds = 1});
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 1, 2, 0, 2, 0, 1)) << "two rounds to warm up, and one";
}

// A quarter of the time less is not more than a hysteresis of a quarter.
TEST_F(RaceTest, the_yardstick_wins_unless_it_is_beaten_by_the_hysteresis) {
  const team t(comm());
  const auto winner = [&](double other_s, double hysteresis) {
    const std::vector<candidate> all{{"other", work(other_s)}, {"plain", work(4 * ms), true}};
    return race(t, all, {.budget_s = 1, .hysteresis = hysteresis, .most_rounds = 1}).chosen;
  };
  EXPECT_EQ(winner(3 * ms, 0.25), "plain");
  EXPECT_EQ(winner(2.75 * ms, 0.25), "other");
  EXPECT_EQ(winner(3.75 * ms, 0.0), "other");
  EXPECT_EQ(winner(4 * ms, 0.0), "plain");
}

TEST_F(RaceTest, what_an_operation_costs_in_the_program_alone_is_added) {
  const team t(comm());
  const std::vector<candidate> all{{"two", work(2 * ms)}, {"one and more", work(ms), false, nullptr, 1.5 * ms}};
  const decision d = race(t, all, {.budget_s = 1});
  EXPECT_EQ(d.chosen, "two");
  EXPECT_EQ(d.tried[1].median_s, 2.5 * ms);
}

TEST_F(RaceTest, those_at_eight_times_are_dropped_after_three_rounds) {
  const team t(comm());
  for (const bool is_hopeless : {true, false}) {
    int slow_runs = 0;
    const auto slow = counted(slow_runs, work(is_hopeless ? 9 * ms : 8 * ms));
    const decision d = race(t, {{"slow", slow}, {"fast", work(ms)}}, {.budget_s = 1});
    EXPECT_EQ(d.chosen, "fast");
    EXPECT_THAT(dropped(d), ElementsAre(true, false));
    EXPECT_THAT(samples(d), ElementsAre(is_hopeless ? 1 : 4, 5));
    EXPECT_EQ(slow_runs, is_hopeless ? 3 : 6);
  }
}

TEST_F(RaceTest, those_at_twice_are_dropped_after_four_rounds_that_count) {
  const team t(comm());
  for (const bool is_behind : {true, false}) {
    const decision d = race(t, {{"slow", work(is_behind ? 2.25 * ms : 2 * ms)}, {"fast", work(ms)}}, {.budget_s = 1});
    EXPECT_THAT(dropped(d), ElementsAre(is_behind, false));
    EXPECT_THAT(samples(d), ElementsAre(is_behind ? 4 : 5, 5));
  }
}

// Its fastest run is at three times; but half of the leader's own are slower than that.
TEST_F(RaceTest, nobody_is_dropped_by_noise_alone) {
  const team t(comm());
  for (const bool is_noisy : {true, false}) {
    const auto fast = work_by_turns({ms, ms, is_noisy ? 4 * ms : ms, is_noisy ? 4 * ms : ms});
    const decision d = race(t, {{"steady", work(3 * ms)}, {"fast", fast}}, {.budget_s = 1, .most_rounds = 4});
    EXPECT_EQ(d.chosen, "fast") << "median of two runs at 1 ms and two at 4 ms";
    EXPECT_THAT(dropped(d), ElementsAre(false, false)) << "the race is over";
    const decision longer = race(t, {{"steady", work(3 * ms)}, {"fast", fast}}, {.budget_s = 1, .most_rounds = 5});
    EXPECT_THAT(dropped(longer), ElementsAre(!is_noisy, false));
    EXPECT_THAT(samples(longer), ElementsAre(is_noisy ? 5 : 4, 5));
  }
}

// The first run makes connections, say: ten times as long as the others. Unless another such run would take more than
// the candidate's part of the budget, a second one shows what it takes.
TEST_F(RaceTest, a_first_run_that_takes_longer_is_no_reason_to_be_dropped) {
  const team t(comm());
  for (const bool is_affordable : {true, false}) {
    int runs = 0;
    const auto connecting = [&] { pass(++runs == 1 ? 10 * ms : ms); };
    const decision d = race(t, {{"plain", work(2 * ms), true}, {"connecting", connecting}},
                            {.budget_s = (is_affordable ? 20 : 18) * ms, .least_rounds = 3});
    EXPECT_EQ(d.chosen, is_affordable ? "connecting" : "plain");
    EXPECT_THAT(dropped(d), ElementsAre(false, !is_affordable));
    EXPECT_TRUE(is_same_everywhere(d));
  }
}

TEST_F(RaceTest, long_operations_are_dropped_after_one_run_where_they_are_far_behind) {
  const team t(comm());
  for (const bool is_far_behind : {true, false}) {
    int slow_runs = 0;
    const auto slow = counted(slow_runs, work(is_far_behind ? 31 * ms : 30 * ms));
    const decision d = race(t, {{"slow", slow}, {"fast", work(10 * ms)}},
                            {.budget_s = 60 * ms, .least_rounds = is_far_behind ? 5 : 3});
    EXPECT_EQ(d.chosen, "fast");
    EXPECT_THAT(dropped(d), ElementsAre(is_far_behind, false));
    EXPECT_THAT(samples(d), ElementsAre(is_far_behind ? 1 : 3, is_far_behind ? 5 : 3));
    EXPECT_EQ(slow_runs, is_far_behind ? 1 : 4) << "the first run of long operations does not count";
  }
}

TEST_F(RaceTest, a_lead_of_five_percent_ends_it_after_five_rounds) {
  const team t(comm());
  for (const bool is_clear : {true, false}) {
    const double slow_s = is_clear ? 1.0625 * ms : 1.03125 * ms;
    const int rounds = is_clear ? 5 : 7;
    const decision d = race(t, {{"fast", work(ms)}, {"slow", work(slow_s)}}, {.budget_s = 1, .most_rounds = 7});
    EXPECT_EQ(d.chosen, "fast");
    EXPECT_THAT(samples(d), Each(rounds));
    EXPECT_THAT(dropped(d), Each(false));
    EXPECT_EQ(d.spent_s, (2 + rounds) * (ms + slow_s));
  }
}

// The rounds of a leader count from when it took the lead: its first run that counts is the slowest of all.
TEST_F(RaceTest, a_lead_counts_from_when_it_was_taken) {
  const team t(comm());
  const auto late = work_by_turns({ms, ms, 3 * ms, ms, ms, ms, ms, ms, ms, ms});
  const decision d = race(t, {{"late", late}, {"steady", work(2 * ms)}}, {.budget_s = 1});
  EXPECT_EQ(d.chosen, "late");
  EXPECT_THAT(samples(d), Each(6));
}

TEST_F(RaceTest, a_lead_that_is_not_clear_of_the_noise_ends_nothing) {
  const team t(comm());
  const auto noisy = work_by_turns({ms, ms, 2 * ms});
  const decision d = race(t, {{"noisy", noisy}, {"steady", work(1.5 * ms)}}, {.budget_s = 1, .most_rounds = 12});
  EXPECT_EQ(d.chosen, "noisy");
  EXPECT_THAT(samples(d), Each(12));
}

// The lead is clear from the fifth round on; who is behind by more than a fifth is dropped after the eighth. The others
// go on until half of the budget is spent.
TEST_F(RaceTest, a_deliberate_race_goes_on_with_the_close_ones) {
  const team t(comm());
  const std::vector<candidate> all{{"fast", work(ms)}, {"close", work(1.0625 * ms)}, {"plain", work(1.75 * ms), true}};
  const decision d = race(t, all, {.budget_s = 88 * ms, .least_share = 0.5});
  EXPECT_EQ(d.chosen, "fast");
  EXPECT_THAT(samples(d), ElementsAre(11, 11, 8));
  EXPECT_THAT(dropped(d), ElementsAre(false, false, true));
  EXPECT_EQ(d.spent_s, 10 * 3.8125 * ms + 3 * 2.0625 * ms);
  EXPECT_THAT(samples(race(t, all, {.budget_s = 88 * ms})), Each(5));
  const std::vector<candidate> closer{{"fast", work(ms)}, {"close", work(1.03125 * ms)}, all[2]};
  EXPECT_THAT(dropped(race(t, closer, {.budget_s = 88 * ms, .most_rounds = 9})), Each(false));
}

// A single run that counts, and two: the least of two stands for their median.
TEST_F(RaceTest, the_median_counts_from_three_runs_on) {
  const team t(comm());
  const double wanted[] = {5 * ms, 2 * ms, 3 * ms};
  for (int rounds = 1; rounds <= 3; ++rounds) {
    const auto run = work_by_turns({ms, ms, 5 * ms, 2 * ms, 3 * ms});
    const decision d = race(t, {{"only", run}}, {.budget_s = 1, .most_rounds = rounds});
    EXPECT_EQ(d.seconds, wanted[rounds - 1]);
    EXPECT_EQ(d.tried[0].minimum_s, rounds == 1 ? 5 * ms : 2 * ms);
    EXPECT_THAT(samples(d), ElementsAre(rounds));
  }
}

// Operations that fill a burst alone, and such as do not, and what prepares them.
TEST_F(RaceTest, preparing_counts_where_it_is_timed_however_long_the_operation_is) {
  const team t(comm());
  for (const double unit : {ms, ms / 1024})
    for (const bool is_timed : {false, true}) {
      SCOPED_TRACE(text(unit, " s, timed: ", is_timed));
      const std::vector<candidate> all{{"prepared", work(unit), true, work(3 * unit), 0, is_timed},
                                       {"alone", work(2 * unit)}};
      const decision d = race(t, all, {.budget_s = 1});
      EXPECT_EQ(d.chosen, is_timed ? "alone" : "prepared");
      EXPECT_EQ(d.tried[0].median_s, is_timed ? 4 * unit : unit);
      EXPECT_EQ(d.tried[1].median_s, 2 * unit);
    }
}

// As a peer's cache that has read an array in place: it gives the lines up when they are written anew.
TEST_F(RaceTest, what_one_candidate_leaves_for_preparing_is_not_another_s_to_pay) {
  const team t(comm());
  bool is_left = false;
  const auto prepare = [&] {
    if (std::exchange(is_left, false)) pass(3 * ms);
  };
  // The first one of three comes after one that leaves nothing in every round.
  const std::vector<candidate> all{{"leaves work", [&] { pass(ms), is_left = true; }, true, prepare, 0, true},
                                   {"leaves none", work(2 * ms), false, prepare, 0, true},
                                   {"leaves none, too", work(2.5 * ms), false, prepare, 0, true}};
  const decision d = race(t, all, {.budget_s = 1});
  EXPECT_EQ(d.chosen, "leaves none");
  EXPECT_EQ(d.tried[0].median_s, 4 * ms);
  EXPECT_EQ(d.tried[1].median_s, 2 * ms);
  EXPECT_EQ(d.tried[2].median_s, 2.5 * ms);
}

TEST_F(RaceTest, twins_do_not_race_for_ever) {
  const team t(comm());
  const decision d = race(t, {{"one", work(ms)}, {"two", work(ms)}}, {.budget_s = 15, .hysteresis = 0});
  EXPECT_TRUE(is_same_everywhere(d));
  EXPECT_THAT(samples(d), Each(30));
}

TEST_F(RaceTest, no_budget_still_gives_every_candidate_one_run) {
  const team t(comm());
  std::vector<int> runs(3, 0);
  std::vector<candidate> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.push_back({text("c", i), counted(runs[i], work(i == 1 ? 0 : 20 * ms)), i == 0});
  const decision d = race(t, all, {.budget_s = 0});
  EXPECT_EQ(d.chosen, "c1");
  EXPECT_THAT(runs, Each(1));
  EXPECT_THAT(samples(d), Each(1));
}

TEST_F(RaceTest, the_budget_ends_it) {
  const team t(comm());
  const decision d = race(t, {{"one", work(ms)}, {"two", work(1.03125 * ms)}}, {.budget_s = 21 * ms});
  EXPECT_THAT(samples(d), Each(8)) << "ten rounds of 2.03 ms fit, two of which warm up";
  EXPECT_EQ(d.spent_s, 10 * 2.03125 * ms);
}

// A candidate takes most of the budget: the round after it would be too much, but for the rounds that are asked for.
TEST_F(RaceTest, a_few_rounds_are_run_beyond_the_budget_but_not_many) {
  const team t(comm());
  for (const auto& [asked, wanted] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{2, 3}, std::pair{1000, 5}}) {
    SCOPED_TRACE(asked);
    int runs = 0;
    const decision d = race(t, {{"only", counted(runs, work(30 * ms))}}, {.budget_s = 40 * ms, .least_rounds = asked});
    EXPECT_TRUE(is_same_everywhere(d));
    EXPECT_EQ(runs, wanted);
    EXPECT_EQ(d.spent_s, wanted * 30 * ms);
  }
}

// After a first run, the operations of a burst take 200 us together. Those of short bursts are run once more before it.
TEST_F(RaceTest, short_operations_are_timed_in_bursts) {
  const team t(comm());
  for (const auto& [seconds, burst] : {std::pair{ms / 1024, 210}, std::pair{ms / 64, 14 + 1}}) {
    int runs = 0;
    const decision d = race(t, {{"short", counted(runs, work(seconds))}}, {.budget_s = 1});
    EXPECT_EQ(d.chosen, "short");
    EXPECT_THAT(samples(d), ElementsAre(5));
    EXPECT_EQ(runs, 1 + 6 * burst);
    EXPECT_EQ(d.seconds, seconds);
  }
}

TEST_F(RaceTest, the_root_s_options_count) {
  const team t(comm());
  const double budget_s = t.is_root() ? 0.0 : 5.0;
  const decision d = race(t, {{"a", work(ms)}, {"b", work(ms)}}, {.budget_s = budget_s});
  EXPECT_THAT(samples(d), Each(1));
  EXPECT_TRUE(is_same_everywhere(d));
}

TEST_F(RaceTest, refuses_lists_that_are_empty_or_differ) {
  const team t(comm());
  EXPECT_THROW(race(t, {}, {}), usage_error);
  if (size() == 1) return;
  const std::string name = is_last() ? "odd" : "even";
  EXPECT_THROW(race(t, {{name, [] {}}}, {}), usage_error);
}

TEST_F(RaceTest, exceptions_of_candidates_pass_through) {
  const team t(comm());
  EXPECT_THROW(race(t, {{"bad", [] { throw resource_error("no memory"); }}}, {}), resource_error);
}

TEST(RaceClock, is_the_monotonic_clock) {
  const double before = seconds_now(), read = race_clock(), after = seconds_now();
  EXPECT_LE(before, read);
  EXPECT_LE(read, after);
}

}  // namespace
}  // namespace nearfar::tune
