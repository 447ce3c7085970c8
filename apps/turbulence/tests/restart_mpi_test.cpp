// SPDX-License-Identifier: BSD-3-Clause
// A run that goes on from a checkpoint, on other ranks, is bit for bit one run; what cannot be gone on from.
#include <unistd.h>

#include <app/run.hpp>
#include <filesystem>
#include <fstream>
#include <nearfar/error.hpp>
#include <sstream>

#include "../../common/tests/first_ranks.hpp"
#include "flows.hpp"

namespace turbulence::test {
namespace {

namespace fs = std::filesystem;

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

constexpr const char* usual_settings = R"(
[grid]
points = [16, 12, 10]
[flow]
initial = "isotropic"
viscosity = 0.01
peak = 2.0
[forcing]
power = 0.1
[scalar]
enabled = true
gradient = 1.0
[time]
end = 0.2
[spectra]
interval = 0.05
[snapshots]
interval = 0.04
format = "rsf"
policy = "synchronous"
)";

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

app_options going_on_from(const std::string& checkpoint) {
  app_options options;
  options.restart = checkpoint;
  return options;
}

class restarts : public flows {
 protected:
  void SetUp() override {
    flows::SetUp();
    int id = ::getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, comm());
    folder = fs::temp_directory_path() / ("turbulence_restarts_" + std::to_string(id));
    if (rank() == 0) fs::remove_all(folder), fs::create_directories(folder);
    MPI_Barrier(comm());
  }
  void TearDown() override {
    MPI_Barrier(comm());
    if (rank() == 0) fs::remove_all(folder);
    flows::TearDown();
  }
  std::string in_folder(const std::string& name) const { return (folder / name).string(); }

  /// Runs on the first ranks. Returns what is refused, which is the same on these, or "".
  /// @param name  of its files: name.series, name.spectra, name.film, name.state
  std::string run(int ranks, const std::string& name, std::vector<std::string> keys, app_options options = {},
                  const apps::seconds_clock& clock = {}) const {
    for (const auto& [key, ending] :
         {std::pair{"series", "series"}, {"spectra", "spectra"}, {"snapshots", "film"}, {"checkpoints", "state"}})
      keys.insert(keys.begin(), std::string(key) + ".path='" + in_folder(name + '.' + ending) + '\'');
    if (!options.restart.empty()) options.restart = in_folder(options.restart);
    return apps::test::refusal_on_first(comm(), ranks, [&](const nearfar::team& some) {
      run_flow(some, settings_in(usual_settings, "test", keys), options, clock);
    });
  }
  void expect_same_files(const std::string& one, const std::string& other) const {
    if (rank() != 0) return;
    for (const char* ending : {".series", ".spectra", ".film.u.raw", ".film.scalar.raw"}) {
      const std::string its = bytes_of(in_folder(one + ending));
      EXPECT_GT(its.size(), 100u) << ending;
      EXPECT_TRUE(its == bytes_of(in_folder(other + ending))) << ending;
    }
  }
  void flip_byte(const std::string& file, std::streamoff at) const {
    if (rank() == 0) {
      std::fstream f(in_folder(file), std::ios::binary | std::ios::in | std::ios::out);
      f.seekg(at);
      const auto byte = static_cast<char>(f.get() ^ 1);
      f.seekp(at);
      f.put(byte);
    }
    MPI_Barrier(comm());
  }

  fs::path folder;
};

TEST_F(restarts, make_one_run_of_two_on_other_ranks) {
  const int few = std::max(1, size() / 2);
  EXPECT_EQ(run(1, "one", {}), "");
  // Steps are as courant says: the time limit ends the first part.
  double seconds = 0;
  const apps::seconds_clock clock = [&] { return seconds += 1; };
  EXPECT_EQ(run(few, "two", {"time.limit=2.5"}, {}, clock), "");
  EXPECT_EQ(run(size(), "two", {}, going_on_from("two.state")), "");
  expect_same_files("one", "two");
  // Lines beyond the checkpoint are written anew.
  EXPECT_EQ(run(size(), "two", {}, going_on_from("two.state-a")), "");
  expect_same_files("one", "two");
}

TEST_F(restarts, of_another_grid_are_refused_or_interpolated) {
  EXPECT_EQ(run(size(), "small", {"time.end=0.05"}), "");
  const app_options from = going_on_from("small.state");
  const std::vector<std::string> larger{"grid.points=[20, 12, 14]", "grid.dealiasing='3/2'", "time.end=0.05"};
  const std::string words = run(size(), "large", larger, from);
  EXPECT_THAT(words, ::testing::AllOf(::testing::HasSubstr("16 x 12 x 10"), ::testing::HasSubstr("20 x 12 x 14"),
                                      ::testing::HasSubstr("--interpolate")));
  app_options interpolated = from;
  interpolated.is_interpolated = true;
  EXPECT_EQ(run(1, "large", larger, interpolated), "");
  const space small_box(team(), {{10, 12, 16}, {1, 1, 1}}),
      large_box(team(), {{14, 12, 20}, {1, 1, 1}, dealiasing_rule::three_halves});
  const flow_options options{.viscosity = 0.01, .has_scalar = true};
  flow small(small_box, options), large(large_box, options), back(small_box, options);
  restart_from(in_folder("small.state"), false, small);
  restart_from(in_folder("small.state"), true, large);
  EXPECT_NEAR(numbers_of(large).energy, numbers_of(small).energy, 1e-16);
  EXPECT_NEAR(numbers_of(large).helicity, numbers_of(small).helicity, 1e-15);
  checkpoint_writer saves(large, in_folder("larger.state"), "");
  saves.write({.step = 3, .time = 0.05});
  saves.finish();
  EXPECT_EQ(restart_from(in_folder("larger.state"), true, back).step, 3);
  EXPECT_EQ(distance(back, small), 0);
}

TEST_F(restarts, that_are_damaged_or_of_other_things_are_refused) {
  EXPECT_EQ(run(size(), "run", {"time.end=0.06", "checkpoints.steps=1"}), "");
  const auto refusal = [&](const std::string& of) { return run(size(), "again", {}, going_on_from(of)); };
  EXPECT_THAT(refusal("nothing"), ::testing::HasSubstr("nothing.journal"));
  const std::string film = refusal("run.film");
  EXPECT_THAT(film, ::testing::HasSubstr("not a checkpoint"));
  const bool is_a =
      fs::last_write_time(in_folder("run.state-a.journal")) > fs::last_write_time(in_folder("run.state-b.journal"));
  int newer_is_a = is_a ? 1 : 0;
  MPI_Bcast(&newer_is_a, 1, MPI_INT, 0, comm());
  const std::string newer = newer_is_a != 0 ? "run.state-a" : "run.state-b",
                    older = newer_is_a != 0 ? "run.state-b" : "run.state-a";
  flip_byte(newer + ".v.raw", 1000);
  const std::string damaged = refusal("run.state");
  EXPECT_THAT(damaged, ::testing::AllOf(::testing::HasSubstr(newer), ::testing::HasSubstr("older"),
                                        ::testing::HasSubstr(older)));
  EXPECT_EQ(refusal(older), "");
}

TEST_F(restarts, and_runs_whose_forced_modes_are_at_rest_are_refused) {
  const std::string words = run(size(), "idle", {"flow.initial='taylor-green'", "forcing.highest=1.5"});
  EXPECT_THAT(words, ::testing::HasSubstr("forcing.highest"));
}

TEST_F(restarts, are_possible_after_a_flow_has_blown_up) {
  // Spectra and snapshots would shorten the steps.
  const std::string words = run(size(), "wild",
                                {"time.step=0.35", "time.end=100", "checkpoints.steps=1", "flow.viscosity=0.0",
                                 "forcing.power=50.0", "spectra.interval=1000.0", "snapshots.interval=1000.0"});
  EXPECT_THAT(words,
              ::testing::AllOf(::testing::HasSubstr("not finite any more at step"), ::testing::HasSubstr("time.step")));
  EXPECT_EQ(run(size(), "tame", {"flow.viscosity=1.0", "time.end=100.0", "time.limit=1.0", "forcing.power=0.0"},
                going_on_from("wild.state"), [] { return 2.0; }),
            "");
}

}  // namespace
}  // namespace turbulence::test
