// SPDX-License-Identifier: BSD-3-Clause
// A rank that comes when another one has said that it waits, by a clock on which each look takes a minute.
#pragma once

#include <gtest/gtest.h>

#include <base/clock.hpp>
#include <base/log.hpp>
#include <base/watch_options.hpp>
#include <functional>
#include <nearfar/mpi.hpp>
#include <string>

namespace nearfar::test {

/// On rank 0: what it writes to standard error while it carries out `wait`, for rank 1 only comes from `come` on once
/// the clock has been looked at often enough for a warning. Collective over both ranks.
inline std::string words_of_a_wait(MPI_Comm comm, const std::function<void()>& wait,
                                   const std::function<void()>& come) {
  static MPI_Comm everyone;
  static int looks;
  int rank = 0, token = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != 0) {
    MPI_Recv(&token, 1, MPI_INT, 0, 77, comm, MPI_STATUS_IGNORE);
    come();
    return "";
  }
  everyone = comm, looks = 0;
  clock_of_watchdog().now_s = [] {
    constexpr int looks_until_the_other_comes = 6;
    if (++looks == looks_until_the_other_comes) MPI_Send(&looks, 1, MPI_INT, 1, 77, everyone);
    return 60.5 * looks;
  };
  ::testing::internal::CaptureStderr();
  wait();
  clock_of_watchdog().now_s = seconds_now;
  return ::testing::internal::GetCapturedStderr();
}

}  // namespace nearfar::test
