// SPDX-License-Identifier: BSD-3-Clause
// Trials of who writes and how many, with times that are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <policy_trial.hpp>
#include <utility>

namespace nearfar::output {
namespace {

using ::testing::HasSubstr;
using seconds_of = std::function<double(taker, int)>;

constexpr auto all_takers = {taker::caller, taker::thread, taker::process};

/// Runs steps until the trial is over. @returns how many that were, and how often the way changed.
std::pair<int, int> run(policy_trial& trial, const seconds_of& per_step) {
  double clock = 0;
  int steps = 0, changes = 0;
  for (; trial.is_on() && steps < 10'000; ++steps) {
    const writing_way way = trial.now();
    if (trial.note_step(clock)) trial.next(trial.seconds());
    changes += trial.now().who != way.who || trial.now().writers != way.writers ? 1 : 0;
    clock += per_step(trial.now().who, trial.now().writers);
  }
  return {steps, changes};
}

TEST(policy_trial, who_needs_least_wins_and_then_the_number_that_needs_least) {
  policy_trial trial(all_takers, {1, 2, 4}, 2);
  run(trial, [](taker who, int writers) { return (who == taker::thread ? 1.0 : 3.0) * (writers == 2 ? 0.5 : 1.0); });
  EXPECT_EQ(trial.now().who, taker::thread);
  EXPECT_EQ(trial.now().writers, 2);
  EXPECT_THAT(trial.describe(),
              HasSubstr("the least of synchronous 3.00 s, thread 1.00 s, writer 3.00 s; of "
                        "1 writer per node 1.00 s, 2 writers per node 500 ms, 4 writers per node 1.00 s"));
}

TEST(policy_trial, the_first_stays_unless_another_gains_two_percent) {
  for (const double gain : {0.99, 0.97}) {
    policy_trial trial(all_takers, {1, 2}, 3);
    run(trial,
        [&](taker who, int writers) { return (who == taker::process ? gain : 1.0) * (writers == 2 ? gain : 1.0); });
    EXPECT_EQ(trial.now().who, gain < 0.98 ? taker::process : taker::caller);
    EXPECT_EQ(trial.now().writers, gain < 0.98 ? 2 : 1);
  }
}

TEST(policy_trial, steps_that_fill_the_ring_do_not_count) {
  policy_trial trial({taker::caller, taker::thread}, {1}, 2);
  int of_block = 0;
  taker before = taker::caller;
  // A thread takes no time for two steps, and then more than the caller.
  run(trial, [&](taker who, int) {
    of_block = who == before ? of_block + 1 : 0;
    before = who;
    return who == taker::caller ? 1.0 : of_block < 2 ? 0.0 : 1.5;
  });
  EXPECT_EQ(trial.now().who, taker::caller);
}

TEST(policy_trial, who_is_much_slower_is_not_tried_again) {
  const auto steps_of = [](double of_caller, double of_process) {
    policy_trial trial(all_takers, {1}, 2);
    int slow = 0;
    run(trial, [&](taker who, int) {
      slow += who == taker::caller ? 1 : 0;
      return who == taker::caller ? of_caller : who == taker::process ? of_process : 1.0;
    });
    EXPECT_EQ(trial.now().who, taker::thread);
    return slow;
  };
  EXPECT_EQ(steps_of(1.05, 2), 2 + 3);
  EXPECT_EQ(steps_of(1.2, 2), 2);
  EXPECT_EQ(steps_of(1.2, 1.05), 2);
}

TEST(policy_trial, nothing_is_tried_where_there_is_one_way) {
  const policy_trial trial({taker::thread}, {3}, 2);
  EXPECT_FALSE(trial.is_on());
  EXPECT_FALSE(policy_trial().is_on());
  EXPECT_EQ(trial.now().writers, 3);
}

TEST(policy_trial, numbers_alone_are_tried_with_who_is_given) {
  policy_trial trial({taker::process}, {1, 2}, 1);
  const auto [steps, changes] = run(trial, [](taker, int writers) { return writers == 2 ? 0.9 : 1.0; });
  EXPECT_EQ(trial.now().who, taker::process);
  EXPECT_EQ(trial.now().writers, 2);
  EXPECT_GE(changes, 3);
  EXPECT_LE(steps, 2 * 2 * (1 + 2 + 1));
}

}  // namespace
}  // namespace nearfar::output
