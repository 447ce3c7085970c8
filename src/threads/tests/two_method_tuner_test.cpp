// SPDX-License-Identifier: BSD-3-Clause
// A tuner of two methods: the quicker one is taken, a change of mind is possible, probes are rare.
#include <gtest/gtest.h>

#include "../two_method_tuner.hpp"

namespace nearfar::threads {
namespace {

/// Runs `calls` calls where method w takes seconds[w]; returns how many used method 1.
int run(two_method_tuner& tuner, int calls, const std::array<double, 2>& seconds) {
  int ones = 0;
  for (int i = 0; i < calls; ++i) {
    ones += tuner.method();
    if (tuner.is_timed()) tuner.note(seconds[as_size(tuner.method())]);
    tuner.advance();
  }
  return ones;
}

TEST(thread_methods, the_quicker_method_is_taken_soon) {
  two_method_tuner first, second;
  EXPECT_EQ(0, run(first, two_method_tuner::probe_calls, {1, 2}));
  EXPECT_EQ(two_method_tuner::probe_calls, run(first, two_method_tuner::probe_calls, {1, 2}));
  EXPECT_EQ(0, run(first, 400, {1, 2}));
  run(second, 2 * two_method_tuner::probe_calls, {2, 1});
  EXPECT_EQ(400, run(second, 400, {2, 1}));
}

TEST(thread_methods, what_changes_is_noticed) {
  two_method_tuner tuner;
  run(tuner, 20, {1, 2});
  run(tuner, two_method_tuner::period, {2, 1});
  EXPECT_EQ(100, run(tuner, 100, {2, 1}));
  run(tuner, two_method_tuner::period, {1, 2});
  EXPECT_EQ(0, run(tuner, 100, {1, 2}));
}

TEST(thread_methods, single_calls_that_differ_do_not_count) {
  two_method_tuner tuner;
  int call = 0, ones = 0;
  for (; call < 400; ++call) {
    const int method = tuner.method();
    ones += method;
    if (tuner.is_timed())
      tuner.note(method == 1 && call % 3 == 0 ? 0.1 : method == 0 && call % 3 == 0 ? 9 : method + 1.0);
    tuner.advance();
  }
  EXPECT_EQ(two_method_tuner::probe_calls, ones);
}

TEST(thread_methods, probes_are_rare) {
  two_method_tuner tuner;
  EXPECT_LE(run(tuner, 100 * two_method_tuner::period, {1, 2}), 101 * two_method_tuner::probe_calls);
}

TEST(thread_methods, only_thread_0_has_a_wish) {
  tuners_by_size all;
  for (int call = 0; call < two_method_tuner::probe_calls; ++call) timed_method(all, 0, 5000).run([] {});
  EXPECT_EQ(1, timed_method(all, 0, 5000).wish());
  EXPECT_EQ(0, timed_method(all, 1, 5000).wish());
  EXPECT_EQ(0, timed_method(all, 0, 100000).wish());
}

}  // namespace
}  // namespace nearfar::threads
