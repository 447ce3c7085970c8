// SPDX-License-Identifier: BSD-3-Clause
// A run that goes on from a checkpoint, on other ranks, is bit for bit one run.
#include "checkpoint_runs.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

TEST_F(checkpoints, make_one_run_of_two_on_other_ranks) {
  const std::vector<std::vector<std::string>> cases{
      {"medium.kind=iso", "sides.kind=cpml", "sides.free-surface=true", "gathers.interval=0.002"},
      {"medium.kind=vti", "medium.system=fletcher", "model.epsilon=0.2", "sides.kind=sponge", "grid.points=[31, 1, 30]",
       "sources.position=[93, 0, 71]", "receivers.first=[12, 0, 20]", "receivers.step=[40, 0, 30]"},
      {"medium.kind=tti", "medium.system=fletcher", "model.epsilon=0.2", "model.tilt=30", "sides.kind=random"},
      {"medium.kind=tti", "model.epsilon=0.2", "model.delta=0.1", "model.tilt=30", "sides.kind=cpml",
       "model.azimuth=20"},
      {"medium.kind=vti", "model.epsilon=0.2", "model.delta=0.1", "sides.kind=sponge", "snapshots.with-sides=true"}};
  // All of them where a run of one rank goes on on two, or the other way round; some elsewhere.
  const std::size_t every = size() == 1 ? 3 : size() == 2 ? 1 : 2;
  const int few = std::max(1, size() / 2);
  bool is_up = size() > 2;
  for (std::size_t n = 0; n < cases.size(); n += every) {
    const auto& keys = cases[n];
    SCOPED_TRACE(keys[0] + ' ' + keys[1] + ' ' + keys[2 % keys.size()]);
    is_up = !is_up;
    std::vector<std::string> half = keys, rest = keys;
    half.emplace_back("time.end=0.006"), rest.emplace_back("run.threads=2");
    EXPECT_EQ(run(1, "one", keys), "");
    EXPECT_EQ(run(is_up ? few : size(), "two", half), "");
    EXPECT_EQ(run(is_up ? size() : few, "two", rest, "two.state"), "");
    expect_same_files("one", "two");
    make_empty();
  }
}

TEST_F(checkpoints, are_written_at_the_time_limit_at_the_same_step_on_all_ranks) {
  EXPECT_EQ(run(size(), "one", {"sides.kind=cpml"}), "");
  double seconds = 0;
  const apps::seconds_clock clock = [&] { return seconds += 1; };
  EXPECT_EQ(run(size(), "two", {"sides.kind=cpml", "time.limit=5.5"}, "", clock), "");
  if (rank() == 0) {
    EXPECT_FALSE(fs::exists(in_folder("two.gather")));
    EXPECT_THAT(bytes_of(newest(in_folder("two.state")) + ".about.raw"), ::testing::HasSubstr("\nstep = 6\n"));
  }
  EXPECT_EQ(run(1, "two", {"sides.kind=cpml"}, "two.state"), "");
  expect_same_files("one", "two");
}

}  // namespace
}  // namespace seismic::test
