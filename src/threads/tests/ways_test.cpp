// SPDX-License-Identifier: BSD-3-Clause
// Trials of two ways: the quicker one is taken, a change of mind is possible, trials are rare.
#include <gtest/gtest.h>

#include "../way_trials.hpp"

namespace nearfar::threads {
namespace {

/// Runs `calls` calls where way w takes seconds[w]; returns how many went way 1.
int run(way_trials& trials, int calls, const std::array<double, 2>& seconds) {
  int ones = 0;
  for (int i = 0; i < calls; ++i) {
    ones += trials.way();
    if (trials.is_timed()) trials.note(seconds[as_size(trials.way())]);
    trials.advance();
  }
  return ones;
}

TEST(thread_ways, the_quicker_way_is_taken_soon) {
  way_trials first, second;
  EXPECT_EQ(0, run(first, way_trials::trial_calls, {1, 2}));
  EXPECT_EQ(way_trials::trial_calls, run(first, way_trials::trial_calls, {1, 2}));
  EXPECT_EQ(0, run(first, 400, {1, 2}));
  run(second, 2 * way_trials::trial_calls, {2, 1});
  EXPECT_EQ(400, run(second, 400, {2, 1}));
}

TEST(thread_ways, what_changes_is_noticed) {
  way_trials trials;
  run(trials, 20, {1, 2});
  run(trials, way_trials::period, {2, 1});
  EXPECT_EQ(100, run(trials, 100, {2, 1}));
  run(trials, way_trials::period, {1, 2});
  EXPECT_EQ(0, run(trials, 100, {1, 2}));
}

TEST(thread_ways, single_calls_that_differ_do_not_count) {
  way_trials trials;
  int call = 0, ones = 0;
  for (; call < 400; ++call) {
    const int way = trials.way();
    ones += way;
    if (trials.is_timed()) trials.note(way == 1 && call % 3 == 0 ? 0.1 : way == 0 && call % 3 == 0 ? 9 : way + 1.0);
    trials.advance();
  }
  EXPECT_EQ(way_trials::trial_calls, ones);
}

TEST(thread_ways, trials_are_rare) {
  way_trials trials;
  EXPECT_LE(run(trials, 100 * way_trials::period, {1, 2}), 101 * way_trials::trial_calls);
}

TEST(thread_ways, only_thread_0_has_a_wish) {
  ways_by_size all;
  for (int call = 0; call < way_trials::trial_calls; ++call) timed_way(all, 0, 5000).run([] {});
  EXPECT_EQ(1, timed_way(all, 0, 5000).wish());
  EXPECT_EQ(0, timed_way(all, 1, 5000).wish());
  EXPECT_EQ(0, timed_way(all, 0, 100000).wish());
}

}  // namespace
}  // namespace nearfar::threads
