// SPDX-License-Identifier: BSD-3-Clause
// What the programs under the preloaded library share: plain MPI, numbers that say where they come from, and checks
// that end the job.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <nearfar/mpi.hpp>
#include <string>
#include <vector>

/// The element `i` that a rank contributes to call number `call`. Whole numbers, small enough that sums over ranks are
/// exact.
inline double element(int rank, int i, int call) { return 1 + (rank * 131 + i * 17 + call * 7) % 1009; }

/// A communicator as the checks see it.
struct communicator {
  MPI_Comm comm;
  int rank = 0, size = 1;
  const char* name;
  explicit communicator(MPI_Comm c, const char* words) : comm(c), name(words) {
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
  }
};

inline void fail(const std::string& what) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("rank %d: WRONG: %s\n", rank, what.c_str());
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

inline void require(bool is_right, const std::string& what) {
  if (!is_right) fail(what);
}

/// `count` elements of this rank from element `first` on.
inline std::vector<double> contribution(const communicator& c, int count, int call, int first = 0) {
  std::vector<double> data(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = element(c.rank, first + i, call);
  return data;
}

inline void same(const std::vector<double>& found, const std::vector<double>& wanted, const communicator& c,
                 const std::string& what) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (found.size() <= i || !(found[i] == wanted[i]))
      fail(what + " on " + c.name + ", element " + std::to_string(i) + " is " +
           (i < found.size() ? std::to_string(found[i]) : "missing") + ", not " + std::to_string(wanted[i]));
}
