// SPDX-License-Identifier: BSD-3-Clause
// Settings, the command line, and the comparison with a reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <app/options.hpp>
#include <app/run.hpp>
#include <app/text_table.hpp>
#include <compare/compare.hpp>
#include <compare/reference_curve.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <settings/settings.hpp>

namespace turbulence {
namespace {

using testing::AllOf, testing::HasSubstr;

template <class Act>
std::string refusal_of(const Act& act) {
  try {
    act();
  } catch (const nearfar::usage_error& e) {
    return e.what();
  }
  return "none";
}

std::string refused(const std::string& assignment) {
  const std::vector<std::string> one{assignment};
  return refusal_of([&] { settings_in("", "run.toml", one); });
}

TEST(settings, of_the_template_are_those_of_an_empty_file) {
  const settings from = settings_in(settings_template(), "template"), empty = settings_in("", "empty");
  EXPECT_EQ(from.box.points, empty.box.points);
  EXPECT_EQ(from.time.step, empty.time.step);
  EXPECT_EQ(from.flow.viscosity, empty.flow.viscosity);
  EXPECT_EQ(from.snapshots.format, empty.snapshots.format);
  EXPECT_EQ(from.checkpoints, "");
}

TEST(settings, turn_x_y_z_into_axes) {
  const settings s = settings_in("grid.points = [8, 16, 32]\ngrid.lengths = [1, 2, 3]\n", "run.toml");
  EXPECT_EQ(s.box.points, (std::array<index_t, 3>{32, 16, 8}));
  EXPECT_EQ(s.box.lengths, (std::array<double, 3>{3, 2, 1}));
}

TEST(settings, are_refused_with_the_key_and_what_it_may_be) {
  EXPECT_THAT(refused("grid.pionts=[8, 8, 8]"), HasSubstr("grid has no key 'pionts'"));
  EXPECT_THAT(refused("grid.points=[8, 3, 8]"), AllOf(HasSubstr("grid.points"), HasSubstr("from 4 to")));
  EXPECT_THAT(refused("grid.points=[1, 1, 1]"), HasSubstr("not all of them 1"));
  EXPECT_THAT(refused("grid.points=[8.5, 8, 8]"), HasSubstr("whole numbers"));
  EXPECT_THAT(refused("grid.lengths=[0, 1, 1]"), HasSubstr("grid.lengths"));
  EXPECT_THAT(refused("grid.dealiasing=sometimes"), AllOf(HasSubstr("2/3"), HasSubstr("3/2"), HasSubstr("sometimes")));
  EXPECT_THAT(refused("flow.viscosity=-1"), HasSubstr("flow.viscosity"));
  EXPECT_THAT(refused("flow.viscosity=nan"), HasSubstr("flow.viscosity"));
  EXPECT_THAT(refused("time.step=0"), HasSubstr("time.step"));
  EXPECT_THAT(refused("time.step=soon"), AllOf(HasSubstr("soon"), HasSubstr("auto")));
  EXPECT_THAT(refused("time.courant=3"), HasSubstr("time.courant"));
  EXPECT_THAT(refused("time.limit=60"), HasSubstr("checkpoints.path"));
  EXPECT_THAT(refused("run.engine=magic"), AllOf(HasSubstr("own"), HasSubstr("fftw")));
  const std::vector<std::string> still{"flow.initial=rest", "forcing.power=1.0"};
  EXPECT_THAT(refusal_of([&] { settings_in("", "run.toml", still); }), HasSubstr("at rest"));
}

TEST(step_lengths, end_at_the_times_of_spectra_and_snapshots) {
  settings s;
  s.time.step = 0.4, s.time.end = 10;
  EXPECT_EQ(next_output(s, 0), std::numeric_limits<double>::infinity());
  s.snapshots.path = "film", s.snapshots.interval = 1;
  s.spectra = "spectra", s.spectra_interval = 0.75;
  EXPECT_EQ(next_output(s, 0), 0.75);
  EXPECT_EQ(next_output(s, 0.75), 1);
  EXPECT_EQ(next_output(s, 1 - 1e-14), 1.5);
  EXPECT_NEAR(step_length(s.time, {.time = 0.4}, 1, next_output(s, 0.4)), 0.35, 1e-15);
  EXPECT_EQ(step_length(s.time, {.time = 1}, 1, next_output(s, 1)), 0.4);
}

TEST(settings, of_parts_of_snapshots_and_of_starts_from_files) {
  const settings s = settings_in(
      "[snapshots]\nfields='w u'\nprecision='double'\nfrom=[0, 0.5, 0]\nto=[1, 0.5, 1]\none-file=false\n"
      "[flow]\ninitial='file'\nfile='old'\nrotation=[0, 0, 2]\n[scalar]\nenabled=true\nbuoyancy=2\n",
      "run.toml");
  EXPECT_EQ(s.snapshots.fields, (std::vector<std::string>{"w", "u"}));
  EXPECT_TRUE(s.snapshots.is_double);
  EXPECT_FALSE(s.snapshots.has_one_file);
  EXPECT_EQ(s.initial.file, "old");
  EXPECT_EQ(s.flow.rotation[2], 2);
  EXPECT_THAT(refused("snapshots.fields='u p'"), HasSubstr("u, v, w, vorticity and scalar"));
  EXPECT_THAT(refused("snapshots.to=[1, 2, 1]"), HasSubstr("snapshots.to[1] = 2"));
  EXPECT_THAT(refused("snapshots.from=[1, 1, 1]"), testing::Not(HasSubstr("snapshots")));
  EXPECT_THAT(refused("flow.initial=file"), HasSubstr("go together"));
  EXPECT_THAT(refused("scalar.buoyancy=2"), HasSubstr("scalar.enabled"));
}

TEST(step_lengths, are_cut_at_the_end_and_keep_their_bits_otherwise) {
  time_settings t;
  t.end = 0.1, t.step = 0.01;
  EXPECT_EQ(step_length(t, {.step = 9, .time = 0.09 - 1e-15}, 1), 0.01);
  EXPECT_NEAR(step_length(t, {.step = 9, .time = 0.097}, 1), 0.003, 1e-15);
  EXPECT_TRUE(is_at_end(t, 0.1 - 1e-15));
  EXPECT_FALSE(is_at_end(t, 0.0999));
  t.step = 0;
  EXPECT_EQ(step_length(t, {}, 100), 0.005);
  EXPECT_EQ(step_length(t, {}, 0), t.longest);
  EXPECT_THAT(refusal_of([&] { step_length(t, {.step = 7}, std::numeric_limits<double>::infinity()); }),
              HasSubstr("not finite any more at step 7"));
}

app_options parsed(std::vector<const char*> words) { return parse_options(words); }

TEST(options, are_parsed_or_refused) {
  const app_options o = parsed({"run.toml", "--set", "time.end=3", "--restart=state", "--interpolate"});
  EXPECT_EQ(o.settings_file, "run.toml");
  EXPECT_EQ(o.assignments, std::vector<std::string>{"time.end=3"});
  EXPECT_EQ(o.restart, "state");
  EXPECT_TRUE(o.is_interpolated);
  EXPECT_EQ(parsed({"compare", "a.series"}).compared, "a.series");
  EXPECT_THAT(refusal_of([] { parsed({"compare"}); }), HasSubstr("compare needs"));
  EXPECT_THAT(refusal_of([] { parsed({"--wirte"}); }), HasSubstr("--wirte"));
  EXPECT_THAT(refusal_of([] { parsed({"a.toml", "b.toml"}); }), HasSubstr("two files"));
  EXPECT_THAT(refusal_of([] { parsed({"--interpolate"}); }), HasSubstr("--restart"));
  EXPECT_THAT(refusal_of([] { parsed({"--reference=a"}); }), HasSubstr("compare"));
}

TEST(comparison, of_the_reference_with_itself_finds_nothing) {
  const std::string words = comparison_of(reference_curve_text, "own", "", "");
  EXPECT_THAT(words, AllOf(HasSubstr("time 0 to 19.99"), HasSubstr("energy       at most 0 %"),
                           HasSubstr("largest dissipation 0.0128575 at time 8.97")));
}

TEST(comparison, takes_columns_by_their_names_and_times_between) {
  const std::string ours = "# time step energy dissipation enstrophy\n0.5 1 0.2 0.1 3\n1.5 2 0.2 0.2 3\n";
  const std::string words = comparison_of(ours, "ours", "0 0.1 0.1 3\n2 0.1 0.3 3\n", "theirs");
  EXPECT_THAT(words, AllOf(HasSubstr("energy       at most 100 %"), HasSubstr("enstrophy    at most 0 %"),
                           HasSubstr("   1.00   0.2000000   0.1000000    0.1500000   0.2000000")));
}

// Rows before the reference begins and behind its end are compared with nothing.
TEST(comparison, is_of_the_times_that_both_have) {
  const std::string ours = "0 9 9 9\n1 0.1 0.1 3\n2 0.1 0.1 3\n3 9 0 9\n";
  const std::string words = comparison_of(ours, "ours", "1 0.1 0.1 3\n2 0.1 0.1 3\n", "theirs");
  EXPECT_THAT(words, AllOf(HasSubstr("time 1 to 2\n"), HasSubstr("energy       at most 0 %"),
                           HasSubstr("enstrophy    at most 0 %")));
}

TEST(comparison, refuses_what_is_no_series) {
  EXPECT_THAT(refusal_of([] { comparison_of("", "a.series", "", ""); }), HasSubstr("a.series has no rows"));
  EXPECT_THAT(refusal_of([] { comparison_of("1 2 3\n", "a.series", "", ""); }), HasSubstr("no row of a series"));
  EXPECT_THAT(refusal_of([] { comparison_of("50 1 1 1\n", "a.series", "", ""); }), HasSubstr("no time is in both"));
}

TEST(rows, are_read_back_to_the_same_bits) {
  const double third = 1.0 / 3;
  const std::string row = row_of(std::array{0.1, third});
  EXPECT_EQ(std::strtod(row.c_str() + row.find(' '), nullptr), third);
}

}  // namespace
}  // namespace turbulence
