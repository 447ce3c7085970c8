// SPDX-License-Identifier: BSD-3-Clause
// Which run a file means, and what is said about one that means none.
#include <settings/settings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <app/options.hpp>
#include <app/recordings.hpp>

#include <algorithm>
#include <sstream>

#include "own_folder.hpp"

namespace seismic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

settings read(const std::string& text, const std::vector<std::string>& assignments = {}) {
  return settings_in(text, "own.toml", assignments);
}

std::string refused(const std::string& text, const std::vector<std::string>& assignments = {}) {
  return refusal_of<nearfar::usage_error>([&] { read(text, assignments); });
}

std::string shipped(const std::string& name) {
  std::ifstream file(std::filesystem::path(SEISMIC_SETTINGS) / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SeismicSettings, nothing_said_is_a_small_run) {
  const settings s = read("");
  EXPECT_EQ(s.space, (grid{{101, 101, 101}, {10, 10, 10}, {0, 0, 0}}));
  EXPECT_EQ(s.medium, medium_kind::iso);
  EXPECT_EQ(s.order, 8);
  EXPECT_EQ(std::get<double>(*s.model.values[0]), 2000);
  EXPECT_FALSE(s.time.step_s);
  ASSERT_EQ(s.sources.size(), 1U);
  EXPECT_EQ(s.sources[0].where_m, (position{500, 500, 500}));
  EXPECT_TRUE(s.has_usual_source);
  EXPECT_EQ(s.sides.kind, side_kind::cpml);
  EXPECT_EQ(read("[medium]\nkind = 'vti'\n").sides.kind, side_kind::cpml);
  EXPECT_EQ(s.sources[0].frequency_hz, 15);
  EXPECT_TRUE(s.receivers_m.empty());
}

TEST(SeismicSettings, the_template_says_what_is_so_anyway) {
  const settings s = read(settings_template()), usual = read("");
  EXPECT_EQ(s.space, usual.space);
  EXPECT_EQ(s.sources[0].where_m, usual.sources[0].where_m);
  EXPECT_EQ(s.sides.cells, usual.sides.cells);
  EXPECT_EQ(s.time.end_s, usual.time.end_s);
  EXPECT_EQ(s.receivers_m.size(), 51U);
  EXPECT_EQ(s.snapshots.policy, usual.snapshots.policy);
}

/// A refusal of a key that is not known names all of its section, and has as many commas: one before "line".
TEST(SeismicSettings, documentation_and_reader_have_the_same_keys) {
  std::string said;
  for (const char* const section :
       {"grid", "medium", "model", "time", "sides", "sources", "gathers", "snapshots", "checkpoints", "run"})
    said += refused('[' + std::string(section) + "]\nno = 1\n");
  said += refused("[[receivers]]\nat = [[0, 0, 0]]\nno = 1\n");
  for (const apps::documented_key& k : documented_keys()) EXPECT_THAT(said, HasSubstr(std::string(k.key)));
  EXPECT_EQ(static_cast<std::size_t>(std::count(said.begin(), said.end(), ',')), documented_keys().size()) << said;
  EXPECT_THAT(settings_tables(), AllOf(HasSubstr("[[sources]]"), HasSubstr("| `points` | `[101, 101, 101]` |")));
}

TEST(SeismicSettings, all_that_are_shipped_can_be_read) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(SEISMIC_SETTINGS)) {
    EXPECT_NO_THROW(settings_in(shipped(file.path().filename()), file.path().filename().string())) << file.path();
    ++count;
  }
  EXPECT_EQ(count, 6);
}

TEST(SeismicSettings, the_mini_apps_run_is_sized_from_outside) {
  const settings s = read(shipped("fletcher-tti.toml"), {"grid.points=[88, 88, 88]", "time.end=0.5"});
  EXPECT_EQ(s.space.points, (std::array<index_t, 3>{88, 88, 88}));
  EXPECT_EQ(s.sources[0].where_m, (position{550, 550, 550}));
  EXPECT_EQ(s.sources[0].scaling, source_scaling::none);
  EXPECT_EQ(s.sources[0].frequency_hz, 40);
  EXPECT_EQ(s.time.end_s, 0.5);
  EXPECT_EQ(*s.time.step_s, 0.001);
  EXPECT_EQ(s.system, wave_system::fletcher);
  EXPECT_TRUE(s.snapshots.has_sides);
}

TEST(SeismicSettings, files_say_x_y_z_and_arrays_are_z_y_x) {
  const settings s = read(
      "[grid]\npoints = [30, 20, 10]\nspacing = [3, 2, 1]\norigin = [300, 200, 100]\n[[sources]]\nposition = [310, "
      "205, 101]\n"
      "[snapshots]\npath = 'w'\nsteps = 5\nstride = [3, 2, 1]\nfrom = [310, 210, 101]\n");
  EXPECT_EQ(s.space, (grid{{10, 20, 30}, {1, 2, 3}, {100, 200, 300}}));
  EXPECT_EQ(s.sources[0].where_m, (position{101, 205, 310}));
  EXPECT_EQ(s.snapshots.stride, (std::array<index_t, 3>{1, 2, 3}));
  EXPECT_EQ(*s.snapshots.from_m, (position{101, 210, 310}));
}

TEST(SeismicSettings, snapshots_are_of_the_points_between_two_corners) {
  const std::string grid = "[grid]\npoints = [30, 20, 10]\nspacing = [3, 2, 1]\n[snapshots]\npath = 'w'\nsteps = 5\n";
  EXPECT_EQ(snapshot_part(read(grid)), (nearfar::box{3, {0, 0, 0}, {10, 20, 30}}));
  EXPECT_EQ(snapshot_part(read(grid + "from = [4, 2, 1]\nto = [9, 3, 1]\n")), (nearfar::box{3, {1, 1, 2}, {2, 2, 4}}));
  EXPECT_THAT(refused(grid + "from = [4, 2, 1]\nto = [5, 3, 1]\n"),
              HasSubstr("no grid point lies between them along x"));
}

TEST(SeismicSettings, properties_are_numbers_layers_or_files) {
  const settings s = read(
      "[medium]\nkind = 'tti'\n[model]\nvp = 'vp.rsf'\nepsilon = [[0, 0.1], [500.0, 0.2]]\ntilt = 30\nvelocity-unit = "
      "'km/s'\nfile-order = 'zxy'\n");
  EXPECT_EQ(std::get<std::string>(*s.model.values[0]), "vp.rsf");
  EXPECT_FALSE(s.model.values[1]);
  EXPECT_EQ(std::get<std::vector<layer>>(*s.model.values[2])[1].top_m, 500);
  EXPECT_EQ(std::get<double>(*s.model.values[4]), 30);
  EXPECT_EQ(s.model.velocity_unit, 1000);
  EXPECT_EQ(s.model.order, file_order::depth_fastest);
}

TEST(SeismicSettings, receivers_are_lists_lines_and_grids) {
  const settings s = read(
      "[[receivers]]\nat = [[1, 2, 3], [4, 5, 6]]\n[[receivers]]\nfirst = [0, 10, 20]\nstep = [5, 7, 0]\ncount = [3, "
      "2, 1]\n");
  ASSERT_EQ(s.receivers_m.size(), 8U);
  EXPECT_EQ(s.receivers_m[1], (position{6, 5, 4}));
  EXPECT_EQ(s.receivers_m[4], (position{20, 10, 10}));
  EXPECT_EQ(s.receivers_m[7], (position{20, 17, 10}));
}

TEST(SeismicSettings, receivers_record_what_their_table_says) {
  const settings s = read(
      "[[receivers]]\nat = [[1, 2, 3], [4, 5, 6]]\n[[receivers]]\nat = [[7, 8, 9]]\nquantities = ['vz', 'pressure', "
      "'dp/dx']\ndensity = 2200\n[gathers]\nfile = 'a/shot.v1.sgy'\n");
  ASSERT_EQ(s.receiver_groups.size(), 2U);
  EXPECT_EQ(s.receiver_groups[0].quantities, (std::vector<quantity>{quantity::pressure}));
  EXPECT_EQ(s.receiver_groups[1].first, 2U);
  EXPECT_EQ(s.receiver_groups[1].density_kg_m3, 2200);
  EXPECT_EQ(gather_files(s), (std::vector<std::string>{"a/shot.v1.sgy", "a/shot.v1_dpdx.sgy", "a/shot.v1_vz.sgy"}));
  EXPECT_EQ(words_of_recordings(s), "pressure of 3, dp/dx of 1, vz of 1");
  const std::vector<recording> all = recordings_of(s);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[3].of, quantity::dp_dx);
  EXPECT_EQ(all[3].receiver, 2U);
  EXPECT_TRUE(records_velocities(s));
  EXPECT_EQ(receiver_ghosts(s), 6);
  EXPECT_TRUE(records_pressure_alone(read("[[receivers]]\nat = [[1, 2, 3]]\nquantities = 'pressure'\n")));
  const std::string at = "[[receivers]]\nat = [[1, 0, 3]]\n";
  EXPECT_THAT(
      refused(at + "quantities = ['vx', 'speed']\n"),
      AllOf(HasSubstr("receivers[0].quantities = 'speed'"), HasSubstr("pressure, dp/dx, dp/dy, dp/dz, vx, vy, vz")));
  EXPECT_THAT(refused(at + "quantities = 'speed'\n"), HasSubstr("one of pressure, dp/dx"));
  EXPECT_THAT(refused(at + "quantities = ['vx', 'vx']\n"), HasSubstr("each once"));
  EXPECT_THAT(refused(at + "quantities = []\n"), HasSubstr("at least one of"));
  for (const char* const density : {"0", "-1000", "100001"})
    EXPECT_THAT(refused(at + "density = " + density + '\n'),
                HasSubstr(std::string("receivers[0].density = ") + density + ": it must be a number from 1 to 100000"));
  EXPECT_THAT(refused(at + "quantities = ['dp/dx', 'vz']\n"),
              HasSubstr("receivers[0].quantities has vz, which needs receivers[0].density"));
  EXPECT_THAT(refused("[grid]\npoints = [9, 1, 9]\n" + at + "quantities = ['vy']\n"), HasSubstr("without vy"));
}

TEST(SeismicSettings, assignments_replace_keys_also_in_lists) {
  const std::string two = "[[sources]]\nfrequency = 10\n[[sources]]\nfrequency = 20\n";
  const settings s = read(two, {"sources.frequency=12.5", "model.vp=[[0, 1500], [100, 2000]]", "gathers.file=a b.sgy",
                                "receivers.at=[[1,1,1]]"});
  EXPECT_EQ(s.sources[0].frequency_hz, 12.5);
  EXPECT_EQ(s.sources[1].frequency_hz, 12.5);
  EXPECT_EQ(std::get<std::vector<layer>>(*s.model.values[0]).size(), 2U);
  EXPECT_EQ(s.gathers.file, "a b.sgy");
}

TEST(SeismicSettings, refusals_name_place_key_value_and_range) {
  EXPECT_THAT(refused("[grid]\npoints = [1, 5, 5]\n"),
              AllOf(HasSubstr("own.toml, line 2: grid.points = [ 1, 5, 5 ]"), HasSubstr("at least 2 along x")));
  EXPECT_THAT(refused("[grid]\npoints = [5.5, 5, 5]\n"), HasSubstr("whole numbers"));
  EXPECT_THAT(refused("[medium]\norder = 6\n"), HasSubstr("medium.order = 6: it must be 4, 8 or 12"));
  EXPECT_THAT(refused("[medium]\nkind = 'hti'\n"), HasSubstr("one of iso, vti, tti"));
  EXPECT_THAT(refused("[model]\nvp = -3\n"), HasSubstr("model.vp = -3: it must be a number above 0"));
  EXPECT_THAT(refused("[model]\nvp = [[0, 2000], [0, 3000]]\n"), HasSubstr("each deeper than"));
  EXPECT_THAT(refused("[model]\nepsilon = 0.1\n"), HasSubstr("the medium is iso"));
  EXPECT_THAT(refused("[model]\nelliptic-radius = 100\n"), HasSubstr("the medium is iso"));
  EXPECT_THAT(refused("[medium]\nkind='vti'\n[model]\ntilt = 1\n"), HasSubstr("the medium is vti"));
  EXPECT_THAT(refused("[model]\nkind = 'salt'\nvp = 1\n"), HasSubstr("kind = 'salt' says it"));
  EXPECT_THAT(refused("[time]\nstep = 'short'\n"),
              HasSubstr("time.step = 'short': it must be a number of seconds above 0, or 'auto'"));
  EXPECT_THAT(refused("[[sources]]\nposition = [0, 0, 0]\n[[sources]]\nposition = [0, 0, 1001]\n"),
              AllOf(HasSubstr("line 4: sources[1].position[2] = 1001"), HasSubstr("from 0 to 1000")));
  EXPECT_THAT(refused("[[sources]]\nwavelet = 'file'\n"), HasSubstr("sources[0].file is missing"));
  EXPECT_THAT(refused("[[receivers]]\nfirst = [0, 0, 0]\nstep = [20, 0, 0]\ncount = [52, 1, 1]\n"),
              HasSubstr("x of a receiver is 1020"));
  EXPECT_THAT(refused("[[receivers]]\ncount = [52, 1, 1]\n"), HasSubstr("receivers[0] says no place"));
  EXPECT_THAT(refused("[[receivers]]\nfirst=[0,0,0]\ncount = [10000, 10000, 1]\n"), HasSubstr("at most 10000000"));
  EXPECT_THAT(refused("[snapshots]\npath = 'a'\n"), HasSubstr("snapshots.interval or"));
  EXPECT_THAT(refused("[time]\nlimit = 10\n"), HasSubstr("checkpoints.path"));
  EXPECT_THAT(refused("[gathers]\nfile = 'a.sgy'\n"), HasSubstr("no [[receivers]]"));
  EXPECT_THAT(refused("[[sources]]\nfreqency = 3\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("sources[0] has no key 'freqency'"), HasSubstr("frequency")));
  EXPECT_THAT(refused("[sauces]\nfrequency = 3\n"), HasSubstr("no section or key 'sauces'"));
  EXPECT_THAT(refused("sources = 3\n"), HasSubstr("a list of tables: [[sources]]"));
  EXPECT_THAT(refused("[grid\n"), HasSubstr("own.toml, line 1, column"));
}

TEST(SeismicSettings, wrong_assignments_are_named_themselves) {
  EXPECT_THAT(refused("", {"time.end=-1"}), HasSubstr("--set time.end=-1: time.end = -1: it must be"));
  EXPECT_THAT(refused("", {"time.end=soon"}), HasSubstr("--set time.end=soon: time.end = 'soon'"));
  EXPECT_THAT(refused("", {"end=1"}), HasSubstr("--set end=1: it must be section.key=value"));
  EXPECT_THAT(refused("", {"time.ende=1"}), HasSubstr("time has no key 'ende'"));
  EXPECT_THAT(refused("[[sources]]\nfrequency=3\n", {"sources.frequency=0"}),
              HasSubstr("--set sources.frequency=0: sources[0].frequency = 0"));
}

TEST(SeismicOptions, values_stand_behind_or_after) {
  const auto parsed = [](std::vector<const char*> arguments) { return parse_options(arguments); };
  const app_options o =
      parsed({"run.toml", "--set", "time.end=1", "--set=grid.points=[1, 2, 3]", "--restart", "state"});
  EXPECT_EQ(o.settings_file, "run.toml");
  EXPECT_EQ(o.assignments, (std::vector<std::string>{"time.end=1", "grid.points=[1, 2, 3]"}));
  EXPECT_EQ(o.restart, "state");
  EXPECT_TRUE(parsed({"--help"}).wants_help);
  EXPECT_TRUE(parsed({"--write-template"}).wants_template);
  const auto refusal = [&](std::vector<const char*> a) { return refusal_of<nearfar::usage_error>([&] { parsed(a); }); };
  EXPECT_THAT(refusal({"--sets=3"}), AllOf(HasSubstr("--sets"), HasSubstr("--help")));
  EXPECT_THAT(refusal({"a.toml", "b.toml"}), HasSubstr("two files"));
  EXPECT_THAT(refusal({"--set"}), HasSubstr("--set needs section.key=value"));
  EXPECT_THAT(help_text(), HasSubstr("--write-template"));
}

}  // namespace
}  // namespace seismic
