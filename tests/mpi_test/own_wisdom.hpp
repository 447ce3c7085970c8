// SPDX-License-Identifier: BSD-3-Clause
// Tests whose wisdom is in a file of their own.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mpi_test.hpp>
#include <string>

namespace nearfar::test {

class OwnWisdomTest : public MpiTest {
 protected:
  // All ranks of one machine use one file; on separate machines the teams of single ranks have files of their own.
  void SetUp() override {
    MpiTest::SetUp();
    std::array<char, 256> name{};
    if (rank() == 0) {
      std::string folder = (std::filesystem::temp_directory_path() / "nearfar-wisdom-XXXXXX").string();
      if (::mkdtemp(folder.data())) folder.copy(name.data(), name.size() - 1);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, comm());
    folder_ = name.data();
    ::setenv("NEARFAR_WISDOM", (folder_ / "wisdom.jsonl").c_str(), 1);
  }
  void TearDown() override {
    MPI_Barrier(comm());
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    ::setenv("NEARFAR_WISDOM", "off", 1);
    MpiTest::TearDown();
  }
  std::filesystem::path folder_;
};

}  // namespace nearfar::test
