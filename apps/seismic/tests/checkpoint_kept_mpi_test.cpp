// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints that cannot be gone on from are refused, and a kill leaves one that can.
#include <app/checkpoint.hpp>

#include "checkpoint_runs.hpp"
#include "materials.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

// The first run is killed behind its last checkpoint as far as files can tell: snapshots there are made again.
TEST_F(checkpoints, cut_snapshots_that_were_made_after_them) {
  const std::vector<std::string> keys{"sides.kind=cpml", "checkpoints.steps=5"};
  EXPECT_EQ(run(size(), "one", keys), "");
  EXPECT_EQ(run(1, "two", keys), "");
  const std::string older = newest(in_folder("two.state")) == in_folder("two.state-a") ? "two.state-b" : "two.state-a";
  MPI_Barrier(comm());
  EXPECT_EQ(run(size(), "two", {"sides.kind=cpml"}, older), "");  // from step 10
  expect_same_files("one", "two");
}

TEST_F(checkpoints, of_other_settings_are_refused_with_both_values) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_EQ(run(size(), "one", {"time.end=0.007"}), "");
  const auto expect = [&](const std::vector<std::string>& keys, const std::string& before, const std::string& now) {
    const std::string words = run(size(), "one", keys, "one.state");
    EXPECT_THAT(words, AllOf(HasSubstr("--restart="), HasSubstr(before + ", and the settings have " + now)));
  };
  expect({"grid.points=[21, 24, 31]"}, "grid.points = [21, 24, 30]", "[21, 24, 31]");
  expect({"medium.kind=vti"}, "medium.kind = iso", "vti");
  expect({"medium.order=8"}, "medium.order = 4", "8");
  expect({"sides.cells=5"}, "sides.cells = 4", "5");
  expect({"time.step=0.0005"}, "time.step = 0.001", "5e-04");
  expect({"sources.amplitude=2"}, "sources[0].amplitude = 1", "2");
  expect({"receivers.count=[3, 1, 2]"}, "[[receivers]] = 8", "6");
  EXPECT_THAT(run(size(), "one", {"receivers.first=[13, 100, 20]"}, "one.state"),
              HasSubstr("[[receivers]] (sum of their places) = "));
  EXPECT_THAT(run(size(), "one", {"model.vp=[[0, 2000], [110, 2600]]"}, "one.state"),
              HasSubstr("[model] (sum of its values) = "));
  EXPECT_THAT(run(size(), "one", {"time.end=0.004"}, "one.state"),
              HasSubstr("time.end is at step 4, before the checkpoint's step, 7"));
  EXPECT_THAT(run(size(), "one", {}, "none"),
              AllOf(HasSubstr("none.journal cannot be read"), HasSubstr("none-a.journal")));
  EXPECT_THAT(run(size(), "one", {}, "one.film"), HasSubstr("is a stream of other things (p), not a checkpoint"));
  EXPECT_THAT(run(size(), "one", {"snapshots.interval=0.002"}, "one.state"), HasSubstr("has 3 snapshots up to 0.0075"));
  EXPECT_EQ(run(size(), "one", {}, "one.state"), "");  // nothing of it was harmed
}

TEST_F(checkpoints, with_a_flipped_byte_are_refused) {
  EXPECT_EQ(run(size(), "one", {"sides.kind=cpml", "checkpoints.steps=4", "time.end=0.007"}), "");
  const std::string stream = newest(in_folder("one.state"));
  MPI_Barrier(comm());
  for (const char* const array : {"about", "p_before", "zeta_x_high", "traces"}) {
    const fs::path file = stream + '.' + array + ".raw";
    if (rank() == 0) flip_byte(file, 37);
    EXPECT_THAT(run(size(), "one", {"sides.kind=cpml"}, "one.state"),
                ::testing::AllOf(::testing::HasSubstr("is damaged"), ::testing::HasSubstr("there is an older one")));
    if (rank() == 0) flip_byte(file, 37);
  }
  if (rank() == 0) fs::remove(stream + ".p_now.raw");
  EXPECT_THAT(run(size(), "one", {"sides.kind=cpml"}, "one.state"), ::testing::HasSubstr("p_now.raw"));
}

/// Waves without settings, for the protocol alone.
class kept_checkpoints : public checkpoints {
 protected:
  static void pulse(propagator& waves) {
    const field_view p = waves.now(0);
    if (p.own.lower[0] == 0 && p.own.lower[1] == 0) p.data[3 * p.strides[0] + 3 * p.strides[1] + 5] = 1;
  }
  std::vector<float> own_values(propagator& waves) const {
    std::vector<float> all;
    for (const state_array& s : waves.state())
      for (index_t k = 0; k < s.own.extent(0); ++k)
        for (index_t j = 0; j < s.own.extent(1); ++j) {
          const float* const row = s.data + k * s.strides[0] + j * s.strides[1];
          all.insert(all.end(), row, row + s.own.extent(2));
        }
    return all;
  }
  propagator waves_of(const nearfar::team& team) const {
    return {team,
            {{22, 20, 16}, {10, 12, 11}, {}},
            sharp_blocks(),
            {.order = 4, .dt_s = 0.0008, .sides = side_kind::cpml, .absorbing_cells = 4, .threads = 1}};
  }
  const key_values same{{"of", "test"}};
};

// What is on the disk between two operations is what a kill there leaves.
TEST_F(kept_checkpoints, can_be_gone_on_from_whenever_the_run_is_killed) {
  const nearfar::team team(comm());
  for (const auto policy : {nearfar::output_policy::synchronous, nearfar::output_policy::thread}) {
    propagator waves = waves_of(team);
    shot points(waves, {});
    int moments = 0;
    std::vector<index_t> least;  // step that each moment must have
    index_t whole = -1;
    std::vector<std::vector<float>> states(1);  // after each step
    const auto keep = [&](const std::string& what) {
      if (what == "filled") return;  // files are as they were
      MPI_Barrier(comm());
      const fs::path at = in_folder("moment" + std::to_string(moments++));
      if (rank() == 0) {
        fs::create_directories(at);
        for (const bool is_journal : {true, false})  // first: what it tells of is there before
          for (const auto& entry : fs::directory_iterator(in_folder("run")))
            if ((entry.path().extension() == ".journal") == is_journal)
              fs::copy(entry.path(), at / entry.path().filename());
      }
      if (what == "closed") whole = waves.steps();
      least.push_back(whole);
      MPI_Barrier(comm());
    };
    if (rank() == 0) fs::create_directories(in_folder("run"));
    MPI_Barrier(comm());
    {
      checkpoint_writer saves(team, in_folder("run/state"), {}, same, {policy, keep});
      pulse(waves);
      for (int n = 0; n < (policy == nearfar::output_policy::thread ? 2 : 3); ++n) {
        waves.step(), states.push_back(own_values(waves));
        saves.write(waves, points), saves.finish();
      }
    }
    for (int m = 0; m < moments; ++m) {
      SCOPED_TRACE("moment " + std::to_string(m));
      const index_t at_least = least[static_cast<std::size_t>(m)];
      if (at_least < 0) continue;
      propagator again = waves_of(team);
      shot its(again, {});
      const restart_point from =
          restart_from(team, in_folder("moment" + std::to_string(m) + "/state"), same, 6, again, its);
      EXPECT_GE(from.step, at_least);
      EXPECT_LE(from.step, at_least + 1);
      EXPECT_TRUE(own_values(again) == states[static_cast<std::size_t>(from.step)]);
    }
    make_empty();
  }
}

// The newest one is damaged: who goes on from the older one does not lose it while the next is written.
TEST_F(kept_checkpoints, are_those_that_a_run_went_on_from) {
  const nearfar::team team(comm());
  propagator waves = waves_of(team);
  shot points(waves, {});
  const std::string path = in_folder("state");
  checkpoint_writer first(team, path, {}, same);
  pulse(waves);
  for (int n = 0; n < 2; ++n) waves.step(), first.write(waves, points);
  first.finish();
  const std::string good = newest(path) == path + "-a" ? path + "-b" : path + "-a";
  MPI_Barrier(comm());
  propagator again = waves_of(team);
  shot its(again, {});
  const restart_point from = restart_from(team, good, same, 8, again, its);
  EXPECT_EQ(from.step, 1);
  const auto look = [&](const std::string& what) {
    MPI_Barrier(comm());
    if (what == "made") {
      EXPECT_EQ(newest(path), good);
    }
    MPI_Barrier(comm());
  };
  checkpoint_writer second(team, path, from, same, {nearfar::output_policy::synchronous, look});
  again.step(), second.write(again, its), second.finish();
  EXPECT_NE(newest(path), good);
  EXPECT_EQ(number_of(newest(path)), 3);
}

}  // namespace
}  // namespace seismic::test
