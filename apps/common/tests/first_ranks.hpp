// SPDX-License-Identifier: BSD-3-Clause
// A program's run on the first ranks of a test's communicator, quietly, and what it is refused with.
#pragma once

#include <functional>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <string>

namespace apps::test {

/// That all ranks say what the root says. Collective.
inline void expect_alike(MPI_Comm some, const std::string& words) {
  auto length = static_cast<int>(words.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, some);
  std::string of_root = words;
  of_root.resize(static_cast<std::size_t>(length));
  MPI_Bcast(of_root.data(), length, MPI_CHAR, 0, some);
  EXPECT_EQ(words, of_root);
}

/// Returns what `run` is refused with, which is the same on these ranks, or "". Collective over all.
inline std::string refusal_on_first(MPI_Comm all, int ranks, const std::function<void(const nearfar::team&)>& run) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(all, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
  std::string words;
  if (some != MPI_COMM_NULL) {
    if (rank == 0) testing::internal::CaptureStdout();
    try {
      run(nearfar::team(some));
    } catch (const nearfar::error& e) {
      words = e.what();
    }
    if (rank == 0) testing::internal::GetCapturedStdout();
    expect_alike(some, words);
    MPI_Comm_free(&some);
  }
  MPI_Barrier(all);
  return words;
}

}  // namespace apps::test
