// SPDX-License-Identifier: BSD-3-Clause
// MPI's own lifetime as an object, and its end on all ranks when one fails.
#include <base/log.hpp>
#include <base/text.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <system_error>
#include <thread>
#include <topology/team_state.hpp>

namespace nearfar {

runtime::runtime(int& argc, char**& argv) {
  require_own_mpi();
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  if (is_initialised)
    throw usage_error("nearfar::runtime: MPI is already initialised; make a nearfar::team of a communicator instead");
  int provided = 0;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
}

runtime::~runtime() {
  // A rank that leaves by an exception may be alone: it must not wait for the others in MPI_Finalize, but exit and let
  // the launcher end the job.
  if (std::uncaught_exceptions() == 0 && is_mpi_usable()) MPI_Finalize();
}

namespace {

// Open MPI's MPI_Abort waits for an answer of its launcher, for ever where that is stopped or cut off.
void end_process_after(std::chrono::seconds limit, int code) {
  try {
    std::thread([limit, code] {
      std::this_thread::sleep_for(limit);
      log::write(log::level::error, text("MPI_Abort has not ended this process within ", limit.count(),
                                         " s: its launcher does not answer; the process ends by itself"));
      std::_Exit(code);
    }).detach();
  } catch (const std::system_error&) {  // without a thread MPI_Abort alone must do
  }
}

}  // namespace

void end_job(int code) {
  std::fflush(nullptr);
  if (is_mpi_usable()) {
    end_process_after(std::chrono::seconds(10), code);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  std::_Exit(code);
}

}  // namespace nearfar
