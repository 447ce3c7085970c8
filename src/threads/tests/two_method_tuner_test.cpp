// SPDX-License-Identifier: BSD-3-Clause
// Two ways of a call: thread 0 finds the quicker one by itself, for each size, and changes its mind.
#include <gtest/gtest.h>

#include <fake_clock.hpp>

#include "../two_method_tuner.hpp"

namespace nearfar::threads {
namespace {

class thread_methods : public ::testing::Test {
 protected:
  /// Runs `calls` calls where method w takes seconds[w]; returns how many went the second way.
  int run(int calls, const std::array<double, 2>& seconds, int me = 0, index_t bytes = 5000) {
    int seconds_taken = 0;
    for (int i = 0; i < calls; ++i) {
      timed_method method(all_, me, bytes);
      seconds_taken += method.wish();
      method.run([&] { clock_.pass(seconds[as_size(method.wish())]); });
    }
    return seconds_taken;
  }
  tuners_by_size all_;

 private:
  test::fake_clock clock_;
};

TEST_F(thread_methods, the_quicker_method_is_taken_soon) {
  run(250, {2e-6, 1e-6});
  EXPECT_GT(run(1000, {2e-6, 1e-6}), 950);
}

TEST_F(thread_methods, the_first_stays_where_it_is_the_quicker_one_and_probes_are_rare) {
  EXPECT_LT(run(100'000, {1e-6, 2e-6}), 2500);
}

TEST_F(thread_methods, what_changes_is_noticed) {
  run(5000, {1e-6, 2e-6});
  run(5000, {2e-6, 1e-6});
  EXPECT_GT(run(1000, {2e-6, 1e-6}), 900);
}

TEST_F(thread_methods, only_thread_0_has_a_wish_and_each_size_its_own) {
  run(1000, {2e-6, 1e-6});
  EXPECT_EQ(0, run(100, {2e-6, 1e-6}, 1));
  EXPECT_EQ(0, run(100, {2e-6, 1e-6}, 0, 100'000));
}

}  // namespace
}  // namespace nearfar::threads
