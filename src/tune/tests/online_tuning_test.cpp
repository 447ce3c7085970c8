// SPDX-License-Identifier: BSD-3-Clause
// Seasons made up: calls go on, machines change, and ranks that measure different things take the same candidate after
// the same call.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tune/online_tuning.hpp>

namespace nearfar::tune {
namespace {

constexpr double us = 1e-6;

// What a call takes with each candidate, on this rank.
using season = std::array<double, 3>;

struct rank {
  online_tuning races{{"a", "b", "c"}, 0};
  std::array<long, 3> calls{}, timed{};
  long changed_at = 0;

  std::size_t call(const season& s) {
    const std::size_t who = races.next();
    ++calls[who];
    if (races.is_timed()) {
      ++timed[who];
      races.note(who, 0.25 * s[who] * us, 0.75 * s[who] * us);
    }
    return who;
  }
};

// Ranks in step; each hears the others' figures at once, or some calls late.
struct program {
  std::vector<rank> ranks;
  std::vector<online_tuning::figures> told;
  explicit program(std::size_t size) : ranks(size), told(size) {}

  void call(const std::function<season(std::size_t)>& of_rank, long number) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      ranks[r].call(of_rank(r));
      if (ranks[r].races.has_news()) told[r] = ranks[r].races.mine();
    }
    for (rank& r : ranks)
      if (r.races.awaits_verdict() && r.races.settle(all())) r.changed_at = number;
  }
  online_tuning::figures all() const {
    online_tuning::figures f;
    for (const auto& t : told) f.include(t);
    return f;
  }
};

TEST(OnlineTuningTest, the_fastest_of_the_first_race_is_taken) {
  program p(1);
  for (long i = 0; i < 300; ++i) p.call([](std::size_t) { return season{3, 2, 1}; }, i);
  EXPECT_EQ(p.ranks[0].races.now(), 2U);
  EXPECT_EQ(p.ranks[0].races.races(), 1);
}

TEST(OnlineTuningTest, nothing_is_tried_before_some_calls_have_passed) {
  rank r;
  for (int i = 0; i < 150; ++i) EXPECT_EQ(r.call({3, 2, 1}), 0U);
  EXPECT_EQ(r.timed[0], 0);
  EXPECT_TRUE(r.races.is_resting());
}

TEST(OnlineTuningTest, choices_follow_seasons) {
  program p(1);
  long number = 0;
  for (int year = 0; year < 3; ++year) {
    for (int i = 0; i < 20'000; ++i) p.call([](std::size_t) { return season{1, 1.5, 1.9}; }, ++number);
    EXPECT_EQ(p.ranks[0].races.now(), 0U) << year;
    for (int i = 0; i < 20'000; ++i) p.call([](std::size_t) { return season{1.9, 1.6, 1}; }, ++number);
    EXPECT_EQ(p.ranks[0].races.now(), 2U) << year;
  }
}

TEST(OnlineTuningTest, one_that_was_hopeless_is_looked_at_again_now_and_then) {
  program p(1);
  long number = 0;
  for (int i = 0; i < 5'000; ++i) p.call([](std::size_t) { return season{1, 1.5, 30}; }, ++number);
  for (int i = 0; i < 100'000; ++i) p.call([](std::size_t) { return season{1, 1.5, 0.2}; }, ++number);
  EXPECT_EQ(p.ranks[0].races.now(), 2U);
}

TEST(OnlineTuningTest, what_is_better_by_a_hair_changes_nothing) {
  program p(1);
  for (long i = 0; i < 20'000; ++i) p.call([](std::size_t) { return season{1, 0.97, 0.98}; }, i);
  EXPECT_EQ(p.ranks[0].races.now(), 0U);
}

TEST(OnlineTuningTest, the_slowest_ranks_decide_and_all_change_after_the_same_call) {
  program p(3);
  // Rank 2 is the only one with much to do; it is the one for whom b is better.
  const auto of_rank = [](std::size_t r) {
    return r == 2 ? season{9, 5, 20} : r == 1 ? season{1, 2, 2} : season{0, 0, 0};
  };
  for (long i = 0; i < 30'000; ++i) p.call(of_rank, i);
  for (const rank& r : p.ranks) {
    EXPECT_EQ(r.races.now(), 1U);
    EXPECT_EQ(r.changed_at, p.ranks[0].changed_at);
    EXPECT_EQ(r.calls, p.ranks[0].calls);
    EXPECT_EQ(r.races.races(), p.ranks[0].races.races());
  }
}

TEST(OnlineTuningTest, one_that_hears_late_decides_alike_and_is_in_step_again) {
  program p(2);
  const season s{3, 1, 2};
  rank late;
  online_tuning::figures told;
  std::map<int, online_tuning::figures> verdicts;
  long heard = 0;
  for (int i = 0; i < 40'000; ++i) {
    late.call(s);
    rank& other = p.ranks[0];
    other.call(s);
    if (other.races.has_news()) told = other.races.mine();
    if (other.races.awaits_verdict()) verdicts[other.races.races()] = told, other.races.settle(told);
    late.races.has_news();
    const auto v = verdicts.find(late.races.races());
    if (late.races.awaits_verdict() && v != verdicts.end() && ++heard % 30 == 0) late.races.settle(v->second);
  }
  EXPECT_EQ(late.races.now(), 1U);
  EXPECT_GE(late.races.races(), p.ranks[0].races.races() - 1);
  EXPECT_GT(late.races.races(), 10);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(late.timed[c] > 0, p.ranks[0].timed[c] > 0);
}

TEST(OnlineTuningTest, calls_with_others_take_less_than_a_fiftieth_of_the_time) {
  for (const season s : {season{1, 1.5, 1.9}, season{1, 3, 7}, season{100, 120, 400}, season{0.2, 0.3, 0.3}}) {
    program p(1);
    const long number = 200'000;
    for (long i = 0; i < number; ++i) p.call([&](std::size_t) { return s; }, i);
    const auto& calls = p.ranks[0].calls;
    const double all_s = static_cast<double>(number) * s[0];
    const double tried_s = static_cast<double>(calls[1]) * s[1] + static_cast<double>(calls[2]) * s[2];
    EXPECT_LT(tried_s, all_s / 50);
    EXPECT_GT(calls[1], 20) << "races are held at all";
  }
}

TEST(OnlineTuningTest, what_cannot_be_carried_out_is_never_taken) {
  program p(1);
  rank& r = p.ranks[0];
  for (long i = 0; i < 50'000; ++i) {
    const std::size_t who = r.races.next();
    if (r.races.is_timed())
      r.races.note(who, who == 1 ? std::numeric_limits<double>::infinity() : 2 * us, who == 0 ? us : 2 * us);
    r.races.has_news();
    if (r.races.awaits_verdict()) r.races.settle(r.races.mine());
    ASSERT_NE(r.races.now(), 1U);
  }
  EXPECT_GT(r.races.races(), 10) << "the others are raced on";
}

TEST(OnlineTuningTest, ranks_with_nothing_to_do_keep_what_they_have) {
  program p(2);
  for (long i = 0; i < 10'000; ++i) p.call([](std::size_t) { return season{0, 0, 0}; }, i);
  for (const rank& r : p.ranks) EXPECT_EQ(r.races.now(), 0U);
}

}  // namespace
}  // namespace nearfar::tune
