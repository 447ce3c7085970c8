// SPDX-License-Identifier: BSD-3-Clause
// Which problem a settings file means, and what is said about one that means none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <app/notes.hpp>
#include <filesystem>
#include <fstream>
#include <nearfar/error.hpp>
#include <settings/settings.hpp>
#include <sstream>

namespace adaptive_heat {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* least = "[mesh]\nlevels = 5\n[source]\nradius = 0.1\n[time]\nsteps = 20\n";

std::string refusal(const std::string& text) {
  try {
    problem_in(text, "own.toml");
  } catch (const nearfar::usage_error& e) {
    return e.what();
  }
  return "none";
}

std::string shipped(const std::string& name) {
  std::ifstream file(std::filesystem::path(ADAPTIVE_HEAT_SETTINGS) / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Settings, what_is_left_out_is_as_in_the_benchmark) {
  const problem p = problem_in(least, "own.toml"), w = problem_class("W");
  EXPECT_EQ(p.name, 'U');
  EXPECT_EQ(p.integral, 0);
  EXPECT_EQ(p.levels, 5);
  EXPECT_EQ(p.steps, 20);
  EXPECT_EQ(p.radius, 0.1);
  EXPECT_EQ(p.centre, w.centre);
  EXPECT_EQ(p.velocity, w.velocity);
  EXPECT_EQ(p.flow, w.flow);
  EXPECT_EQ(p.viscosity, w.viscosity);
  EXPECT_EQ(p.iterations, w.iterations);
  EXPECT_EQ(p.adapt_every, 5);
  EXPECT_NEAR(p.time_step(), w.time_step(), 1e-18);
}

TEST(Settings, all_keys_arrive) {
  const problem p = problem_in(shipped("laser.toml"), "laser.toml");
  EXPECT_EQ(p.length, 10);
  EXPECT_EQ(p.velocity, (std::array<double, 3>{50, 0, 0}));
  EXPECT_EQ(p.flow, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(p.place_in_cube(p.centre), (std::array<double, 3>{0.15, 0.5, 0.5}));
  EXPECT_EQ(p.strength, 5000);
  EXPECT_EQ(p.time_step(), 4e-4);
}

TEST(Settings, the_benchmark_written_out_is_the_benchmark) {
  const problem p = problem_in(shipped("benchmark.toml"), "benchmark.toml"), s = problem_class("S");
  EXPECT_EQ(p.levels, s.levels);
  EXPECT_EQ(p.steps, s.steps);
  EXPECT_EQ(p.iterations, s.iterations);
  EXPECT_EQ(p.radius, s.radius);
  EXPECT_EQ(p.centre, s.centre);
  EXPECT_EQ(p.time_step(), s.time_step());
}

TEST(Settings, all_that_are_shipped_can_be_read) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(ADAPTIVE_HEAT_SETTINGS)) {
    EXPECT_NO_THROW(problem_in(shipped(file.path().filename()), file.path().filename())) << file.path();
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(Settings, several_sources_and_balls_that_are_hot_at_the_start) {
  const problem p = problem_in(
      "[domain]\norigin = [1, 1, 1]\nlength = 2\n[mesh]\nlevels = 5\n[time]\nsteps = 20\n[medium]\nvelocity = [1, 0, "
      "0]\n"
      "[[source]]\nradius = 0.1\nstrength = 3\n[[source]]\ncentre = [2, 2, 2]\nvelocity = [0, 0, -9]\nradius = 0.2\n"
      "[[initial]]\nradius = 0.3\ntemperature = 5\n[[initial]]\ncentre = [1.5, 2, 2.5]\nradius = 0.4\n",
      "own.toml");
  const heat_balls sources = p.sources();
  ASSERT_EQ(sources.count, 2);
  EXPECT_EQ(sources.all[0].radius, 0.1);
  EXPECT_EQ(sources.all[0].strength, 3);
  EXPECT_EQ(sources.all[0].centre, p.centre);
  EXPECT_EQ(sources.all[1].centre, (std::array<double, 3>{2, 2, 2}));
  EXPECT_EQ(sources.all[1].strength, 1);
  EXPECT_NEAR(p.time_step(), 0.12 * p.smallest_side() / 9, 1e-15);
  ASSERT_EQ(p.at_start.count, 2);
  EXPECT_EQ(p.at_start.value_at({2, 2, 2}), 5);
  EXPECT_EQ(p.at_start.value_at({1.5, 2, 2.5}), 1);
  EXPECT_EQ(p.at_start.value_at({1.5, 2, 2.9}), 0);
  EXPECT_NEAR(p.at_start.value_at({2, 2.15, 2}), 2.5, 1e-12);
  std::string many = "[mesh]\nlevels = 5\n[time]\nsteps = 20\n";
  for (int i = 0; i < most_balls; ++i) many += "[[source]]\nradius = 0.1\n";
  EXPECT_EQ(refusal(many), "none");
  EXPECT_THAT(refusal(many + "[[source]]\nradius = 0.1\n"), HasSubstr("more than 8 tables [[source]]"));
  EXPECT_THAT(refusal(std::string(least) + "[[initial]]\nradius = 0.1\ncentre = [2, 0, 0]\n"),
              HasSubstr("initial[0].centre[0] = 2"));
}

TEST(Settings, where_heat_is_there_at_the_start_there_need_be_no_source) {
  const problem p = problem_in("[mesh]\nlevels = 4\n[time]\nsteps = 2\n[[initial]]\nradius = 0.25\n", "own.toml");
  EXPECT_EQ(p.sources().heat(), 0);
  EXPECT_EQ(p.at_start.count, 1);
}

TEST(Settings, the_template_is_class_S_and_what_is_set_replaces_it) {
  const problem p = problem_in(settings_template(), "template"), s = problem_class("S");
  EXPECT_EQ(p.levels, s.levels);
  EXPECT_EQ(p.steps, s.steps);
  EXPECT_EQ(p.radius, s.radius);
  EXPECT_EQ(p.centre, s.centre);
  EXPECT_EQ(p.time_step(), s.time_step());
  const std::vector<std::string> assignments{"time.steps=7", "source.radius=0.3"};
  const problem other = problem_in(settings_template(), "template", assignments);
  EXPECT_EQ(other.steps, 7);
  EXPECT_EQ(other.radius, 0.3);
  for (const char* key : {"domain", "[[source]]", "initial", "iterations"})
    EXPECT_THAT(settings_tables(), HasSubstr(key));
}

TEST(Notes, name_balls_that_are_not_resolved_and_sources_that_leave) {
  problem p = problem_in(std::string(least) + "[medium]\nvelocity = [1, 0, 0]\n", "own.toml");
  p.velocity = {}, p.radius = 0.1;
  EXPECT_TRUE(notes_on(p).empty());
  p.radius = 0.05;  // sides of 1/32
  EXPECT_THAT(notes_on(p), testing::ElementsAre(AllOf(HasSubstr("radius of 0.05"), HasSubstr("0.03125"),
                                                      HasSubstr("badly"), HasSubstr("mesh.levels = 6"))));
  p.radius = 0.005;
  EXPECT_THAT(notes_on(p), testing::ElementsAre(HasSubstr("between their points")));
  p.radius = 0.1, p.centre = {0.5, 0.5, 0.5}, p.velocity = {-10, 0, 0}, p.step_given = 0.01;  // touches at 0.04
  EXPECT_THAT(notes_on(p), testing::ElementsAre(AllOf(HasSubstr("in step 5 of 20 (time 0.04)"),
                                                      HasSubstr("outside from step 7 on (time 0.06)"))));
  p.more_sources.push_back({{0.5, 0.5, 0.5}, {}, 0.02, 1});
  EXPECT_THAT(notes_on(p), testing::ElementsAre(HasSubstr("source 1 comes"), HasSubstr("source 2 has")));
  EXPECT_TRUE(notes_on(problem_class("S")).empty()) << "the benchmark is as it is";
}

TEST(Settings, the_usual_step_follows_the_fastest_velocity) {
  const std::string text = std::string(least) + "[medium]\nvelocity = [0, -6.0, 1]\n[domain]\nlength = 2\n";
  EXPECT_NEAR(problem_in(text, "own.toml").time_step(), 0.12 * (2.0 / 32) / 6, 1e-15);
}

TEST(Settings, refusals_name_file_line_key_value_and_range) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = least;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(refusal(changed("levels = 5", "levels = 25")),
              AllOf(HasSubstr("own.toml, line 2: mesh.levels = 25"), HasSubstr("1 to 18")));
  EXPECT_THAT(refusal(changed("levels = 5", "levels = 5.5")), HasSubstr("line 2: mesh.levels = 5.5"));
  EXPECT_THAT(refusal(changed("steps = 20", "steps = \"many\"")),
              AllOf(HasSubstr("line 6: time.steps = 'many'"), HasSubstr("1 to 1000000")));
  EXPECT_THAT(refusal(changed("radius = 0.1", "radius = -1")),
              AllOf(HasSubstr("line 4: source.radius = -1"), HasSubstr("above 0, at most 1")));
  EXPECT_THAT(refusal(changed("radius = 0.1", "radius = nan")), HasSubstr("source.radius = nan"));
  EXPECT_THAT(refusal(changed("radius = 0.1", "radius = 0.1\ncentre = [0.5, 0.5]")), HasSubstr("three numbers"));
  EXPECT_THAT(refusal(changed("radius = 0.1", "radius = 0.1\ncentre = [0.5, 1.5, 0.5]")),
              AllOf(HasSubstr("line 5: source.centre[1] = 1.5"), HasSubstr("from 0 to 1")));
}

TEST(Settings, keys_that_are_not_known_and_those_that_are_missing_are_named) {
  EXPECT_THAT(refusal(std::string(least) + "stepz = 3\n"),
              AllOf(HasSubstr("line 7"), HasSubstr("'stepz' (= 3)"), HasSubstr("steps, step")));
  EXPECT_THAT(refusal(std::string(least) + "[sauce]\nradius = 1\n"), AllOf(HasSubstr("'sauce'"), HasSubstr("source")));
  EXPECT_THAT(refusal("mesh = 3\n"), AllOf(HasSubstr("line 1: mesh = 3"), HasSubstr("[mesh]")));
  EXPECT_THAT(refusal("[mesh]\nlevels = 5\n"), HasSubstr("source.radius is missing"));
  EXPECT_THAT(refusal(""), HasSubstr("mesh.levels is missing"));
}

TEST(Settings, a_step_that_convection_does_not_survive_is_refused) {
  EXPECT_THAT(refusal(std::string(least) + "step = 0.1\n"),
              AllOf(HasSubstr("line 7: time.step = 0.1"), HasSubstr("at most 0.00173611")));
  EXPECT_THAT(refusal(std::string(least) + "[medium]\nvelocity=[0,0,0]\n[source.velocity]\n"),
              HasSubstr("three numbers"));
}

/// Gaps between points are as 1 / order^2, and so are steps beyond the benchmark's order.
TEST(Settings, orders_have_steps_of_their_own) {
  const auto with = [](int order, const std::string& step = "") {
    return "[mesh]\nlevels = 5\norder = " + std::to_string(order) + "\n[source]\nradius = 0.1\n[time]\nsteps = 20\n" +
           step;
  };
  const auto of = [&](int order) { return problem_in(with(order), "own.toml"); };
  EXPECT_EQ(problem_in(least, "own.toml").order, 4);
  EXPECT_EQ(of(6).order, 6);
  EXPECT_EQ(of(4).time_step(), problem_in(least, "own.toml").time_step());
  EXPECT_EQ(of(2).time_step(), of(4).time_step());
  EXPECT_NEAR(of(8).time_step(), of(4).time_step() / 4, 1e-15);
  EXPECT_EQ(refusal(with(4, "step = 0.0017\n")), "none");
  EXPECT_THAT(refusal(with(8, "step = 0.0017\n")),
              AllOf(HasSubstr("time.step = 0.00169"), HasSubstr("at most 0.000434")));
  for (const int order : {1, 9})
    EXPECT_THAT(refusal(with(order)), AllOf(HasSubstr("line 3: mesh.order"), HasSubstr("2 to 8")));
}

TEST(Settings, where_nothing_moves_the_step_must_be_given) {
  const std::string still =
      "[mesh]\nlevels = 5\n[source]\nradius = 0.1\nvelocity = [0, 0, 0]\n[medium]\n"
      "velocity = [0, 0, 0]\n[time]\nsteps = 20\n";
  EXPECT_THAT(refusal(still), HasSubstr("time.step is missing"));
  EXPECT_EQ(refusal(still + "step = 0.1\n"), "none");
}

TEST(Settings, syntax_errors_have_a_place) {
  EXPECT_THAT(refusal("[mesh]\nlevels == 5\n"), HasSubstr("own.toml, line 2, column"));
  EXPECT_THAT(refusal("[mesh]\nlevels = 5\nlevels = 6\n"), HasSubstr("line 3"));
}

}  // namespace
}  // namespace adaptive_heat
