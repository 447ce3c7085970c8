// SPDX-License-Identifier: BSD-3-Clause
// Tests of checkpoints: runs from settings in a folder of the test's own, and what they have written.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <app/run.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/output.hpp>
#include <nearfar/team.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../common/tests/first_ranks.hpp"

namespace seismic::test {

namespace fs = std::filesystem;

inline constexpr const char* usual_settings = R"(
[grid]
points = [21, 24, 30]
spacing = [10, 12, 10]
[medium]
order = 4
[model]
vp = [[0, 2000], [100, 2600]]
[time]
step = 0.001
end = 0.012
[sides]
cells = 4
[[sources]]
position = [93, 131, 71]
frequency = 8
delay = 0.005
[[receivers]]
first = [12, 100, 20]
step = [40, 3, 30]
count = [4, 1, 2]
[snapshots]
interval = 0.003
policy = "synchronous"
[run]
device = "cpu"
threads = 1
point-half-width = 2
)";

inline std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

inline void flip_byte(const fs::path& file, std::streamoff at) {
  std::fstream f(file, std::ios::binary | std::ios::in | std::ios::out);
  f.seekg(at);
  const auto byte = static_cast<char>(f.get() ^ 1);
  f.seekp(at);
  f.put(byte);
}

/// Among the streams that take turns, as the first record of its journal has it; 0: there is none.
inline int number_of(const std::string& stream) {
  const std::string journal = bytes_of(stream + ".journal");
  const auto byte = [&](std::size_t at) { return static_cast<int>(static_cast<unsigned char>(journal[at])); };
  return journal.size() < 64 ? 0 : byte(45) + 256 * byte(46);
}

inline std::string newest(const std::string& path) {
  return number_of(path + "-a") > number_of(path + "-b") ? path + "-a" : path + "-b";
}

class checkpoints : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    MpiTest::SetUp();
    int id = ::getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, comm());
    folder = (fs::temp_directory_path() / ("seismic_checkpoints_" + std::to_string(id))).string();
    make_empty();
  }
  void TearDown() override {
    MPI_Barrier(comm());
    if (rank() == 0) fs::remove_all(folder);
    MpiTest::TearDown();
  }
  void make_empty() const {
    MPI_Barrier(comm());
    if (rank() == 0) fs::remove_all(folder), fs::create_directories(folder);
    MPI_Barrier(comm());
  }
  std::string in_folder(const std::string& name) const { return folder + '/' + name; }

  /// Runs the program's shot on the first ranks. Returns what it is refused with, which is the same on these, or "".
  /// @param name  of its files: name.film, name.state, name.gather
  std::string run(int ranks, const std::string& name, std::vector<std::string> keys, const std::string& restart = "",
                  const apps::seconds_clock& clock = {}) const {
    for (const auto& [key, ending] : {std::pair{"snapshots.path", "film"}, {"checkpoints.path", "state"}})
      keys.insert(keys.begin(), std::string(key) + "='" + in_folder(name + '.' + ending) + '\'');
    keys.insert(keys.begin(), "gathers.file='" + in_folder(name + ".gather") + '\'');
    app_options options;
    if (!restart.empty()) options.restart = in_folder(restart);
    return apps::test::refusal_on_first(comm(), ranks, [&](const nearfar::team& some) {
      run_shot(some, settings_in(usual_settings, "test", keys), options, streams(), clock);
    });
  }

  /// Fields at both times, memories, traces, snapshots and the gather. On the root.
  void expect_same_files(const std::string& one, const std::string& other) const {
    if (rank() != 0) return;
    EXPECT_EQ(bytes_of(in_folder(one + ".gather")), bytes_of(in_folder(other + ".gather")));
    EXPECT_EQ(bytes_of(in_folder(one + ".film.p.raw")), bytes_of(in_folder(other + ".film.p.raw")));
    const std::string a = newest(in_folder(one + ".state")), b = newest(in_folder(other + ".state"));
    int arrays = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string path = entry.path().string();
      if (!path.starts_with(a + '.') || !path.ends_with(".raw")) continue;
      const std::string its = bytes_of(path);
      EXPECT_TRUE(its == bytes_of(b + path.substr(a.size()))) << path;
      const bool has_values = std::any_of(its.begin(), its.end(), [](char c) { return c != 0; });
      const bool is_corner = path.find(".chi_") != std::string::npos;  // where waves may not have come yet
      EXPECT_TRUE(has_values || is_corner) << path << " is all zeros";
      ++arrays;
    }
    EXPECT_GE(arrays, 4);
  }

  std::string folder;
};

}  // namespace seismic::test
