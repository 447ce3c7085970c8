// SPDX-License-Identifier: BSD-3-Clause
// Streams in any format that are written by all ranks and read back by a reader that is not ours.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/output.hpp>
#include <sstream>

#include "numbered.hpp"

namespace nearfar::test {

class FormatsTest : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    int id = getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, comm());
    folder = std::filesystem::temp_directory_path() / ("nearfar_formats." + std::to_string(id));
    std::filesystem::create_directories(folder);
    path = (folder / "s").string();
  }
  void TearDown() override {
    MPI_Barrier(comm());
    if (rank() == 0) std::filesystem::remove_all(folder);
    MpiTest::TearDown();
  }

  /// Two arrays of different types and extents, boxes of uneven size.
  static std::vector<output_array> arrays(const team& t) {
    std::vector<output_array> list(2);
    list[0] = {.name = "p", .extents = {13, 17, 29}, .own = {}, .padding = {{1, 2}, {0, 3}, {4, 4}}};
    list[0].attributes = {{"units", "Pa"}, {"standard_name", "air_pressure"}, {"level", "2.5"}};
    list[1] = {.name = "q", .extents = {5, 40, 100}, .own = {}, .type = element_type::float64};
    for (output_array& a : list) a.own = cut(a.extents, {t.size(), 1}, t.rank());
    return list;
  }
  static output_options options(const std::string& format, output_policy policy) {
    output_options o{.format = format, .policy = policy};
    o.attributes = {{"Conventions", "CF-1.8"}, {"title", "numbers"}};
    o.axes = {{"time", {}, {{"units", "seconds since 2000-01-01"}}}, {"z", {}, {{"units", "m"}, {"axis", "Z"}}}};
    for (int z = 0; z < 13; ++z) o.axes[1].values.push_back(0.5 * z);
    return o;
  }
  void write(const team& t, const std::vector<output_array>& list, const output_options& o, index steps) const {
    output_stream out(t, path, list, o);
    for (index s = out.steps(); s < steps; ++s) {
      out.begin_step(0.25 * static_cast<double>(s));
      put_numbers<float>(out, list[0], 0, s);
      fill_numbers<double>(out, list[1], 1, s);
      // What is put of a constant array in a later step counts for nothing, and it need not be put.
      if (list.size() > 2 && s < 2) put_numbers<float>(out, list[2], 2, s);
      out.end_step();
    }
    out.close();
  }
  /// By the root; others wait.
  void read_back(const std::string& reader, const std::string& end, index steps, const std::string& tolerance_of_p = "",
                 const std::string& extents_of_q = "5x40x100", const std::string& more = "") {
    MPI_Barrier(comm());
    if (rank() == 0) {
      const char* python = std::getenv("NEARFAR_READER_PYTHON");
      std::ostringstream command;
      command << (python != nullptr ? python : NEARFAR_READER_PYTHON) << " " << NEARFAR_READ_BACK << " " << reader
              << " " << path << end << " " << steps << " p:f4:13x17x29" << tolerance_of_p << " q:f8:" << extents_of_q
              << more;
      const int status = std::system(command.str().c_str());
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      if (code == 77) std::cout << "not read back by all of " << reader << ", since not all is installed\n";
      EXPECT_TRUE(code == 0 || code == 77) << command.str();
    }
    MPI_Barrier(comm());
  }
  std::filesystem::path folder;
  std::string path;
};

}  // namespace nearfar::test
