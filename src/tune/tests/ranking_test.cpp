// SPDX-License-Identifier: BSD-3-Clause
// Races made up: who is taken when machines change, and when the next race is due.
#include <gtest/gtest.h>

#include <cmath>
#include <tune/ranking.hpp>

namespace nearfar::tune {
namespace {

constexpr double hysteresis = 0.04, budget_s = 0.1, race_s = 0.06;

// Times in us; 0: not in the race.
decision race_of(double plain, double a, double b) {
  decision d;
  d.spent_s = 0.05;
  if (plain > 0) d.tried.push_back({.name = "plain", .median_s = 1e-6 * plain, .is_yardstick = true});
  if (a > 0) d.tried.push_back({.name = "a", .median_s = 1e-6 * a});
  if (b > 0) d.tried.push_back({.name = "b", .median_s = 1e-6 * b});
  return d;
}

// Like the engine: takes whom the ranking names after each race.
struct season {
  ranking seen{hysteresis, budget_s};
  std::string now = "plain";
  std::string after(double plain, double a, double b) {
    seen.note(race_of(plain, a, b), race_s);
    return now = seen.best(now);
  }
};

TEST(RankingTest, one_race_names_the_fastest_but_the_plain_method_where_little_is_won) {
  EXPECT_EQ(season().after(3, 2, 1), "b");
  EXPECT_EQ(season().after(3, 1, 2), "a");
  EXPECT_EQ(season().after(1, 0.97, 2), "plain");
  EXPECT_EQ(season().after(1, 0.95, 2), "a");
}

TEST(RankingTest, a_choice_stays_until_another_is_clearly_faster) {
  season s;
  EXPECT_EQ(s.after(3, 1, 1.5), "a");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(s.after(3, 1, 0.98), "a");
  for (int i = 0; i < 5; ++i) s.after(3, 1, 0.9);
  EXPECT_EQ(s.now, "b");
}

TEST(RankingTest, a_choice_slower_than_the_plain_method_is_given_up) {
  season s;
  EXPECT_EQ(s.after(1, 0.9, 1.5), "a");
  for (int i = 0; i < 5; ++i) s.after(1, 0.99, 1.5);
  EXPECT_EQ(s.now, "a") << "not worth a change back";
  for (int i = 0; i < 5; ++i) s.after(1, 1.01, 1.5);
  EXPECT_EQ(s.now, "plain");
}

TEST(RankingTest, one_disturbed_race_among_many_changes_nothing) {
  season s;
  for (int i = 0; i < 5; ++i) s.after(2, 1, 1.4);
  EXPECT_EQ(s.after(0.5, 40, 1), "a");
  EXPECT_EQ(s.after(2, 1, 1.4), "a");
}

TEST(RankingTest, a_machine_that_changes_changes_the_choice) {
  season s;
  for (int i = 0; i < 20; ++i) s.after(2, 1, 1.4);
  EXPECT_EQ(s.now, "a");
  int races = 0;
  for (; s.now == "a" && races < 10; ++races) s.after(2, 1.8, 1);
  EXPECT_EQ(s.now, "b");
  EXPECT_LE(races, 3) << "the majority of five";
}

TEST(RankingTest, short_races_are_among_those_near_the_best) {
  season s;
  s.after(4, 1, 1.5);
  EXPECT_TRUE(s.seen.is_wanted("a"));
  EXPECT_TRUE(s.seen.is_wanted("b"));
  EXPECT_TRUE(s.seen.is_wanted("plain")) << "the plain method comes along unless it is hopeless";
  EXPECT_TRUE(s.seen.is_wanted("never seen"));
  season t;
  t.after(9, 1, 1.5);
  EXPECT_FALSE(t.seen.is_wanted("plain"));
  season u;
  u.after(4, 1, 2.5);
  EXPECT_FALSE(u.seen.is_wanted("b"));
  EXPECT_LT(u.seen.budget_s(), budget_s);
}

TEST(RankingTest, who_was_left_out_comes_back_in_a_full_race_and_is_judged_afresh) {
  season s;
  s.after(4, 1, 3);
  int short_races = 0;
  for (; !s.seen.is_wanted("b"); ++short_races) s.after(4, 1, 0);
  EXPECT_EQ(short_races, 7);
  s.after(4, 1, 0.5);
  EXPECT_TRUE(s.seen.is_wanted("b")) << "it was the best of the full race";
  s.after(4, 1, 0.5);
  EXPECT_EQ(s.after(4, 1, 0.5), "b");
}

TEST(RankingTest, without_rivals_the_next_race_is_one_of_all_and_late) {
  season s;
  s.after(9, 1, 3);
  EXPECT_TRUE(s.seen.is_wanted("b"));
  EXPECT_EQ(s.seen.budget_s(), budget_s);
  EXPECT_EQ(s.seen.calls_until_next(1e-3), std::llround(64 * race_s / 1e-3));
}

TEST(RankingTest, pauses_double_up_to_a_small_share_of_the_time) {
  season s;
  s.after(2, 1, 1.5);
  const double preparation_s = 0.01;
  EXPECT_NEAR(static_cast<double>(s.seen.calls_until_next(1e-3)), (budget_s / 8 + preparation_s) / 1e-3, 0.6)
      << "what a short race should cost";
  for (int k = 1; k < 7; ++k) {
    s.after(2, 1, 1.5);
    EXPECT_EQ(s.seen.calls_until_next(1e-3), std::llround(race_s * std::exp2(k) / 1e-3)) << "what it did cost";
  }
  EXPECT_EQ(s.seen.calls_until_next(1e9), 1);
}

TEST(RankingTest, times_are_those_of_the_latest_race_that_one_took_part_in) {
  season s;
  s.after(4, 1, 3);
  s.after(5, 2, 0);
  EXPECT_DOUBLE_EQ(s.seen.seconds_of("plain"), 5e-6);
  EXPECT_DOUBLE_EQ(s.seen.seconds_of("b"), 3e-6);
  EXPECT_EQ(s.seen.seconds_of("unknown"), 0);
}

}  // namespace
}  // namespace nearfar::tune
