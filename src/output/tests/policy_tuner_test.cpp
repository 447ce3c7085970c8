// SPDX-License-Identifier: BSD-3-Clause
// Tuning of who writes and how many, with times that are made up.
// One MPI: it is serial.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <policy_tuner.hpp>
#include <utility>

namespace nearfar::output {
namespace {

using ::testing::HasSubstr;
using seconds_of = std::function<double(taker, int)>;

constexpr auto all_takers = {taker::caller, taker::thread, taker::process};

/// Runs steps until the tuning is over. @returns how many that were, and how often the method changed.
std::pair<int, int> run(policy_tuner& tuner, const seconds_of& per_step) {
  double clock = 0;
  int steps = 0, changes = 0;
  for (; tuner.is_on() && steps < 10'000; ++steps) {
    const writing_method method = tuner.now();
    if (tuner.note_step(clock)) tuner.next(tuner.seconds());
    changes += tuner.now().who != method.who || tuner.now().writers != method.writers ? 1 : 0;
    clock += per_step(tuner.now().who, tuner.now().writers);
  }
  return {steps, changes};
}

TEST(policy_tuner, who_needs_least_wins_and_then_the_number_that_needs_least) {
  policy_tuner tuner(all_takers, {1, 2, 4}, 2);
  run(tuner, [](taker who, int writers) { return (who == taker::thread ? 1.0 : 3.0) * (writers == 2 ? 0.5 : 1.0); });
  EXPECT_EQ(tuner.now().who, taker::thread);
  EXPECT_EQ(tuner.now().writers, 2);
  EXPECT_THAT(tuner.describe(),
              HasSubstr("the least of synchronous 3.00 s, thread 1.00 s, writer 3.00 s; of "
                        "1 writer per node 1.00 s, 2 writers per node 500 ms, 4 writers per node 1.00 s"));
}

TEST(policy_tuner, the_first_stays_unless_another_gains_two_percent) {
  for (const double gain : {0.99, 0.97}) {
    policy_tuner tuner(all_takers, {1, 2}, 3);
    run(tuner,
        [&](taker who, int writers) { return (who == taker::process ? gain : 1.0) * (writers == 2 ? gain : 1.0); });
    EXPECT_EQ(tuner.now().who, gain < 0.98 ? taker::process : taker::caller);
    EXPECT_EQ(tuner.now().writers, gain < 0.98 ? 2 : 1);
  }
}

TEST(policy_tuner, steps_that_fill_the_ring_do_not_count) {
  policy_tuner tuner({taker::caller, taker::thread}, {1}, 2);
  int of_block = 0;
  taker before = taker::caller;
  // A thread takes no time for two steps, and then more than the caller.
  run(tuner, [&](taker who, int) {
    of_block = who == before ? of_block + 1 : 0;
    before = who;
    return who == taker::caller ? 1.0 : of_block < 2 ? 0.0 : 1.5;
  });
  EXPECT_EQ(tuner.now().who, taker::caller);
}

TEST(policy_tuner, who_is_much_slower_is_not_tried_again) {
  const auto steps_of = [](double of_caller, double of_process) {
    policy_tuner tuner(all_takers, {1}, 2);
    int slow = 0;
    run(tuner, [&](taker who, int) {
      slow += who == taker::caller ? 1 : 0;
      return who == taker::caller ? of_caller : who == taker::process ? of_process : 1.0;
    });
    EXPECT_EQ(tuner.now().who, taker::thread);
    return slow;
  };
  EXPECT_EQ(steps_of(1.05, 2), 2 + 3);
  EXPECT_EQ(steps_of(1.2, 2), 2);
  EXPECT_EQ(steps_of(1.2, 1.05), 2);
}

TEST(policy_tuner, nothing_is_tried_where_there_is_one_method) {
  const policy_tuner tuner({taker::thread}, {3}, 2);
  EXPECT_FALSE(tuner.is_on());
  EXPECT_FALSE(policy_tuner().is_on());
  EXPECT_EQ(tuner.now().writers, 3);
}

TEST(policy_tuner, numbers_alone_are_tried_with_who_is_given) {
  policy_tuner tuner({taker::process}, {1, 2}, 1);
  const auto [steps, changes] = run(tuner, [](taker, int writers) { return writers == 2 ? 0.9 : 1.0; });
  EXPECT_EQ(tuner.now().who, taker::process);
  EXPECT_EQ(tuner.now().writers, 2);
  EXPECT_GE(changes, 3);
  EXPECT_LE(steps, 2 * 2 * (1 + 2 + 1));
}

}  // namespace
}  // namespace nearfar::output
