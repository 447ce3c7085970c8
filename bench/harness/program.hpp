// SPDX-License-Identifier: BSD-3-Clause
// The main function that benchmark programs share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <nearfar/mpi.hpp>

#include "options.hpp"

namespace bench {

/// Starts MPI, reads the options into `how`, lists the cases or runs them, ends MPI. An exception on one rank ends the
/// job.
inline int run_program(int argc, char** argv, const char* description, options how, void (*list)(),
                       int (*run)(const options&)) {
  setenv("NEARFAR_WISDOM", "off", 0);  // every run tunes afresh, unless the caller names a file
  MPI_Init(&argc, &argv);
  int rank = 0, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    if (read_options(argc, argv, description, rank == 0, how, code)) {
      if (!how.is_list)
        code = run(how);
      else if (rank == 0)
        list();
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: rank %d: %s\n", argv[0], rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}

}  // namespace bench
