// SPDX-License-Identifier: BSD-3-Clause
// Files read back by a program in Python.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <iostream>
#include <mpi_test.hpp>
#include <string>

namespace nearfar::test {

/// The root runs a script with its arguments, which ends with 0, or with 77 and a note where something it needs is not
/// installed; the others sleep meanwhile. Collective.
inline void read_in_python(MPI_Comm comm, const std::string& script_and_arguments, const std::string& note) {
  MPI_Barrier(comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    const char* python = std::getenv("NEARFAR_READER_PYTHON");
    const std::string command = (python != nullptr ? python : NEARFAR_READER_PYTHON) + (" " + script_and_arguments);
    const int status = std::system(command.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 77) std::cout << note << '\n';
    EXPECT_TRUE(code == 0 || code == 77) << command;
  }
  sleep_until_all_are_here(comm);
}

}  // namespace nearfar::test
