// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints that are read again, and those that are damaged, absurd or of something else.
#include <unistd.h>

#include <common/agreement.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <mesh/closed_form.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <output/checkpoint.hpp>
#include <random>

#include "cut_mesh.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .node_sizes = {0}, .on_cluster = false}};

class Checkpoints : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
    team_.emplace(comm());
    int id = ::getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, comm());
    folder_ = std::filesystem::temp_directory_path() / ("nearfar_checkpoint." + std::to_string(id));
    if (rank() == 0) std::filesystem::create_directories(folder_);
    path_ = (folder_ / "state").string();
    problem_.levels = 2, problem_.radius = 0.3, problem_.steps = 7;
    solver_.emplace(team(), options_of(problem_, exchange_form::copies));
    solver_->set_mesh(test::cut_mesh(team(), closed_form_leaves(region_of(problem_, 0), problem_.levels)));
    for (std::size_t n = 0; n < solver_->mesh().leaves.size(); ++n)
      solver_->elements().set_values(n, values_of(solver_->mesh().leaves[n]));
  }
  void TearDown() override {
    MPI_Barrier(comm());
    if (rank() == 0) std::filesystem::remove_all(folder_);
    solver_.reset();
    team_.reset();
    MpiTest::TearDown();
  }
  static element_values values_of(const octant& leaf) {
    std::mt19937_64 random(leaf.code());
    element_values u(125);
    for (double& value : u) value = std::uniform_real_distribution<double>(-1, 1)(random);
    return u;
  }
  const nearfar::team& team() const { return *team_; }
  heat_solver& solver() { return *solver_; }
  const std::string& path() const { return path_; }
  const problem& what() const { return problem_; }

  void save(const problem& p, const run_state& now, const heat_solver& of) const {
    checkpoint_writer writer(team(), path_, "");
    writer.write(p, now, of);
    writer.finish();
    MPI_Barrier(comm());
  }
  /// One bit in the middle of a file, where values are.
  void turn_a_bit(const std::string& file) const {
    MPI_Barrier(comm());
    if (rank() == 0) {
      const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(file) / 2);
      std::fstream f(file, std::ios::binary | std::ios::in | std::ios::out);
      f.seekg(middle);
      const int byte = f.get();
      f.seekp(middle).put(static_cast<char>(byte ^ 8));
    }
    MPI_Barrier(comm());
  }
  /// What is wrong with the file, or nothing.
  std::string complaint() {
    try {
      checkpoint found(team(), path_);
      found.set_values(solver());
      return "";
    } catch (const nearfar::io_error& e) {
      return e.what();
    }
  }

 private:
  std::optional<nearfar::team> team_;
  std::optional<heat_solver> solver_;
  std::filesystem::path folder_;
  std::string path_;
  problem problem_;
};

TEST_F(Checkpoints, have_problem_state_and_values) {
  const run_state now{.step = 3, .time = 0.03, .adapted_at = 0.02, .points = 1e6};
  save(what(), now, solver());
  solver().elements().clear();
  checkpoint found(team(), path());
  found.set_values(solver());
  EXPECT_EQ(found.state().step, 3);
  EXPECT_EQ(found.state().time, 0.03);
  EXPECT_EQ(found.state().adapted_at, 0.02);
  EXPECT_EQ(found.state().points, 1e6);
  EXPECT_EQ(found.what().levels, 2);
  EXPECT_EQ(found.what().radius, 0.3);
  EXPECT_EQ(found.what().steps, 7);
  for (std::size_t n = 0; n < solver().mesh().leaves.size(); ++n)
    EXPECT_EQ(solver().elements().values(n), values_of(solver().mesh().leaves[n]));
}

/// The order of the file is that of the run that goes on, or nothing is read.
TEST_F(Checkpoints, are_of_one_order) {
  problem other = what();
  other.order = 3;
  const auto solver_of = [&](const problem& p) {
    auto made = std::make_unique<heat_solver>(team(), options_of(p, exchange_form::copies));
    made->set_mesh(test::cut_mesh(team(), closed_form_leaves(region_of(p, 0), p.levels)));
    return made;
  };
  const auto cubic = solver_of(other);
  const std::vector<double> values(64, 0.5);
  for (std::size_t n = 0; n < cubic->mesh().leaves.size(); ++n) cubic->elements().set_values(n, values);
  save(other, {}, *cubic);
  checkpoint found(team(), path());
  EXPECT_EQ(found.what().order, 3);
  const auto again = solver_of(found.what());
  found.set_values(*again);
  for (std::size_t n = 0; n < again->mesh().leaves.size(); ++n) EXPECT_EQ(again->elements().values(n), values);
  try {
    found.set_values(solver());
    ADD_FAILURE() << "it was taken";
  } catch (const nearfar::usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("is of order 3 and the run of order 4"), std::string::npos) << e.what();
  }
}

/// Numbers that no run has, under a sum that is right: a sentence with the number's name, and nothing is computed.
TEST_F(Checkpoints, of_which_a_number_is_absurd_are_refused) {
  const run_state now{.step = 3, .time = 3 * what().time_step()};
  const auto refused = [&](const char* words, auto&& change) {
    problem p = what();
    run_state s = now;
    change(p, s);
    save(p, s, solver());
    const std::string said = complaint();
    EXPECT_NE(said.find(path()), std::string::npos) << said;
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  refused("radius = nan", [](problem& p, run_state&) { p.radius = nan; });
  refused("radius = 0", [](problem& p, run_state&) { p.radius = 0; });
  refused("length = 1e+300", [](problem& p, run_state&) { p.length = 1e300; });
  refused("length = 0", [](problem& p, run_state&) { p.length = 0; });
  refused("diffusivity = 0", [](problem& p, run_state&) { p.viscosity = 0; });
  refused("steps per adaptation = 0", [](problem& p, run_state&) { p.adapt_every = 0; });
  refused("levels = 1000", [](problem& p, run_state&) { p.levels = 1000; });
  refused("iterations = -1", [](problem& p, run_state&) { p.iterations = -1; });
  refused("time step = nan", [](problem& p, run_state&) { p.step_given = nan; });
  refused("lies outside the cube", [](problem& p, run_state&) { p.centre[1] = 7; });
  refused("step = -2147483648", [](problem&, run_state& s) { s.step = std::numeric_limits<int>::min(); });
  refused("time = nan", [](problem&, run_state& s) { s.time = nan; });
  refused("3 steps of", [](problem&, run_state& s) { s.time = 1e20; });
  refused("time of the mesh = 1e+300", [](problem&, run_state& s) { s.adapted_at = 1e300; });
  save(what(), now, solver());
  EXPECT_EQ(complaint(), "");
}

/// An error that all ranks have, with the name of the one before it, from which the run can go on.
TEST_F(Checkpoints, that_are_damaged_are_refused) {
  for (const int step : {3, 4}) save(what(), {.step = step, .time = step * what().time_step()}, solver());
  for (const char* file : {"-b.h5", "-b.journal"}) {
    turn_a_bit(path() + file);
    const std::string words = complaint();
    std::string of_root = words;
    apps::share(team(), of_root);
    EXPECT_EQ(words, of_root);
    EXPECT_NE(words.find(path() + "-b"), std::string::npos) << words;
    EXPECT_NE(words.find("is damaged"), std::string::npos) << words;
    turn_a_bit(path() + file);
  }
  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(checkpoint(team(), path()).state().step, 4);
  EXPECT_EQ(checkpoint(team(), path() + "-a").state().step, 3);
}

/// As many leaves as those of the file's own ball, and elsewhere.
TEST_F(Checkpoints, of_leaves_of_another_ball_are_refused) {
  problem p = what();
  p.levels = 3, p.radius = 0.1;
  const auto solver_around = [&](const ball& b) {
    auto made = std::make_unique<heat_solver>(team(), options_of(p, exchange_form::copies));
    made->set_mesh(test::cut_mesh(team(), closed_form_leaves(b, p.levels)));
    return made;
  };
  ball around = region_of(p, 0).balls().front();
  const auto own = solver_around(around);
  around.centre[1] = 1 - around.centre[1];
  const auto mirrored = solver_around(around);
  EXPECT_EQ(own->mesh().all_leaves, mirrored->mesh().all_leaves);
  own->elements().clear();
  save(p, {}, *own);
  checkpoint found(team(), path());
  try {
    found.set_values(*mirrored);
    ADD_FAILURE() << "they were taken";
  } catch (const nearfar::io_error& e) {
    EXPECT_NE(std::string(e.what()).find("its leaves are not those of its ball"), std::string::npos) << e.what();
  }
}

/// The older one, from which a run goes on, stays until there is a newer one than both.
TEST_F(Checkpoints, that_a_run_goes_on_from_are_kept) {
  for (const int step : {3, 4}) save(what(), {.step = step, .time = step * what().time_step()}, solver());
  checkpoint_writer writer(team(), path(), path() + "-a");
  writer.write(what(), {.step = 5, .time = 5 * what().time_step()}, solver());
  writer.finish();
  MPI_Barrier(comm());
  EXPECT_EQ(checkpoint(team(), path() + "-a").state().step, 3);
  EXPECT_EQ(checkpoint(team(), path()).state().step, 5);
}

}  // namespace
}  // namespace adaptive_heat
