// SPDX-License-Identifier: BSD-3-Clause
// What the command line takes and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <app/options.hpp>
#include <nearfar/error.hpp>
#include <sstream>

namespace adaptive_heat {
namespace {

/// Every file says the same: radius 0.2 in a cube of side 4.
problem read_file(const std::string& file) {
  if (file != "own.toml") throw nearfar::usage_error(file + " is not there");
  problem p = problem_class("W");
  p.name = 'U', p.integral = 0, p.radius = 0.2, p.length = 4;
  return p;
}

/// Without a file, what --set says.
problem read_settings(const apps::program_options& o) {
  problem p = o.settings_file.empty() ? problem{} : read_file(o.settings_file);
  if (!o.assignments.empty()) p.iterations = static_cast<int>(o.assignments.size());
  return p;
}

app_options parse(std::vector<const char*> arguments) { return parse_options(arguments, {read_settings, read_file}); }

std::string refusal(std::vector<const char*> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const nearfar::usage_error& e) {
    return e.what();
  }
  return "none";
}

TEST(Options, a_class_is_taken_as_it_is) {
  EXPECT_EQ(parse({}).what.name, 'S');
  const app_options b = parse({"--form=ordered", "--class=B"});
  EXPECT_EQ(b.what.levels, 7);
  EXPECT_EQ(b.what.integral, 0.4507561922901e-04);
  EXPECT_EQ(b.form, exchange_form::ordered);
}

TEST(Options, a_changed_problem_has_no_reference) {
  const problem p = parse({"--steps=7", "--class=A", "--radius=0.125"}).what;
  EXPECT_EQ(p.name, 'U');
  EXPECT_EQ(p.integral, 0);
  EXPECT_EQ(p.steps, 7);
  EXPECT_EQ(p.levels, 6);
  EXPECT_EQ(p.radius, 0.125);
}

TEST(Options, settings_are_taken_and_may_be_changed) {
  const problem p = parse({"--steps=7", "--settings=own.toml"}).what;
  EXPECT_EQ(p.radius, 0.2);
  EXPECT_EQ(p.steps, 7);
  EXPECT_EQ(parse({"--radius=3", "--settings=own.toml"}).what.radius, 3);
  EXPECT_EQ(refusal({"--settings=other.toml"}), "other.toml is not there");
  EXPECT_THAT(refusal({"--settings=own.toml", "--class=A"}), testing::HasSubstr("two problems"));
  EXPECT_THAT(refusal({"--settings="}), testing::HasSubstr("name of a file"));
}

TEST(Options, a_value_may_be_an_argument_of_its_own_and_a_file_stand_alone) {
  const app_options o = parse({"own.toml", "--steps", "7", "--set", "time.steps=3", "--set=mesh.levels=4"});
  EXPECT_EQ(o.settings_file, "own.toml");
  EXPECT_EQ(o.what.steps, 7);
  EXPECT_EQ(o.what.iterations, 2);
  EXPECT_EQ(o.assignments, (std::vector<std::string>{"time.steps=3", "mesh.levels=4"}));
  EXPECT_EQ(parse({"--set", "mesh.levels=4"}).what.iterations, 1);
  EXPECT_TRUE(parse({"-h"}).wants_help);
  EXPECT_TRUE(parse({"--write-template"}).wants_template);
  EXPECT_THAT(refusal({"--class=A", "--set", "time.steps=3"}), testing::HasSubstr("--class=A is none"));
  EXPECT_THAT(refusal({"own.toml", "other.toml"}), testing::HasSubstr("two files of settings"));
  EXPECT_THAT(refusal({"--steps"}), testing::HasSubstr("--steps needs a number"));
}

TEST(Options, a_restart_may_change_its_end_only) {
  const app_options o = parse({"--restart=own.toml", "--steps=300"});
  EXPECT_EQ(o.restart, "own.toml");
  EXPECT_EQ(o.what.radius, 0.2);
  EXPECT_EQ(o.what.steps, 300);
  EXPECT_THAT(refusal({"--levels=5", "--restart=own.toml"}), testing::HasSubstr("--levels=5"));
  EXPECT_THAT(refusal({"--order=5", "--restart=own.toml"}),
              testing::AllOf(testing::HasSubstr("--order=5"), testing::HasSubstr("own.toml is of order 4")));
  EXPECT_EQ(parse({"--restart=own.toml", "--order=4"}).what.order, 4);
  EXPECT_THAT(refusal({"--restart=own.toml", "--class=A"}), testing::HasSubstr("two problems"));
}

TEST(Options, a_distribution_is_a_form) {
  const app_options o = parse({"--distribution=two-block"});
  EXPECT_EQ(o.form, exchange_form::distributed);
  EXPECT_EQ(o.distribution, point_distribution::two_block);
  EXPECT_THAT(refusal({"--distribution=blocks"}), testing::HasSubstr("block, cyclic, block-cyclic, two-block"));
  EXPECT_TRUE(parse({"--compare-distributions"}).compares_distributions);
}

TEST(Options, files_and_how_often_they_are_written) {
  const app_options o = parse({"--output=a.vtkhdf", "--output-every=3", "--checkpoint=b", "--checkpoint-every=7"});
  EXPECT_EQ(o.output, "a.vtkhdf");
  EXPECT_EQ(o.output_every, 3);
  EXPECT_EQ(o.checkpoint, "b");
  EXPECT_EQ(o.checkpoint_every, 7);
  EXPECT_THAT(refusal({"--output="}), testing::HasSubstr("name of a file"));
  EXPECT_THAT(refusal({"--output-every=0"}), testing::HasSubstr("1 to 1000000"));
}

TEST(Options, refusals_name_the_value_and_what_is_allowed) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({"--class=Q"}), testing::AllOf(HasSubstr("'Q'"), HasSubstr("S W A B C D E")));
  EXPECT_THAT(refusal({"--steps=0"}), testing::AllOf(HasSubstr("--steps=0"), HasSubstr("1 to 1000000")));
  EXPECT_THAT(refusal({"--levels=19"}), testing::AllOf(HasSubstr("--levels=19"), HasSubstr("1 to 18")));
  EXPECT_THAT(refusal({"--order=9"}), testing::AllOf(HasSubstr("--order=9"), HasSubstr("2 to 8")));
  EXPECT_NE(parse({"--class=A", "--order=4"}).what.integral, 0);
  EXPECT_EQ(parse({"--class=A", "--order=5"}).what.integral, 0);
  EXPECT_THAT(refusal({"--steps=5x"}), HasSubstr("--steps=5x"));
  EXPECT_THAT(refusal({"--radius=nan"}), HasSubstr("--radius=nan"));
  EXPECT_THAT(refusal({"--form=fast"}),
              testing::AllOf(HasSubstr("'fast'"), HasSubstr("copies, assembly, owner, distributed, ordered")));
  EXPECT_THAT(refusal({"--clas=S"}), testing::AllOf(HasSubstr("--clas"), HasSubstr("--help")));
}

TEST(Options, help_has_every_form) {
  const std::string all = refusal({"--form=fast"});
  std::istringstream names(all.substr(all.rfind("are ") + 4));
  int count = 0;
  for (std::string name; std::getline(names >> std::ws, name, ','); ++count)
    EXPECT_THAT(help_text(), testing::HasSubstr("\n  --form=" + name + " "));
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace adaptive_heat
