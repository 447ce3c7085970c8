// SPDX-License-Identifier: BSD-3-Clause
// Tests of streams: a folder of its own for each, and what several of them write.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/output.hpp>
#include <string>
#include <vector>

#include "numbered.hpp"

namespace nearfar::test {

class OutputTest : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    int id = getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, comm());
    folder = std::filesystem::temp_directory_path() / ("nearfar_output." + std::to_string(id));
    path = (folder / "s").string();
    empty();
  }
  void TearDown() override {
    MPI_Barrier(comm());
    if (rank() == 0) std::filesystem::remove_all(folder);
    MpiTest::TearDown();
  }
  /// Collective.
  void empty() {
    MPI_Barrier(comm());
    if (rank() == 0) std::filesystem::remove_all(folder), std::filesystem::create_directories(folder);
    MPI_Barrier(comm());
  }
  static bool has_format(const std::string& name) {
    const auto all = output_formats();
    return std::any_of(all.begin(), all.end(), [&](const auto& f) { return f.first == name; });
  }
  /// Two arrays of different types and extents, frames that are no whole pages, boxes of uneven size.
  static std::vector<output_array> numbered_arrays(const team& t, const std::array<int, 2>& parts) {
    std::vector<output_array> list(2);
    list[0] = {.name = "p", .extents = {13, 17, 29}, .own = {}, .padding = {{1, 2}, {0, 3}, {4, 4}}};
    list[1] = {.name = "q", .extents = {5, 40, 100}, .own = {}, .type = element_type::float64};
    for (output_array& a : list) a.own = cut(a.extents, parts, t.rank());
    return list;
  }

  static constexpr std::uintptr_t array_alignment_in_frames = 64;

  /// What destructors wait for is written before, on the slowest disk.
  static constexpr double long_s = 3600;

  std::filesystem::path folder;  ///< the same on all ranks; gone after the test
  std::string path;              ///< of a stream in it
};

}  // namespace nearfar::test
