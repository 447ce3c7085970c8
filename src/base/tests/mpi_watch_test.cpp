// SPDX-License-Identifier: BSD-3-Clause
// Calls that do not end, calls that do, and many threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nearfar/mpi_watch.hpp>
#include <thread>
#include <vector>

namespace nearfar {
namespace {

void nap(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Each in a process of its own, since the limit is read once.
class MpiWatch : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(MpiWatch, ends_a_process_whose_call_does_not_return) {
  const auto wait_for_ever = [] {
    ::setenv("NEARFAR_WATCHDOG", "0.3", 1);
    const mpi_watch watch("MPI_Bcast");
    nap(20);
  };
  EXPECT_EXIT(wait_for_ever(), testing::ExitedWithCode(3),
              "no answer from other ranks within .*MPI_Bcast.*NEARFAR_WATCHDOG");
}

TEST_F(MpiWatch, looks_at_the_outer_call_when_the_inner_one_is_over) {
  const auto wait_for_ever = [] {
    ::setenv("NEARFAR_WATCHDOG", "0.3", 1);
    const mpi_watch watch("outer");
    { const mpi_watch inner("inner"); }
    nap(20);
  };
  EXPECT_EXIT(wait_for_ever(), testing::ExitedWithCode(3), "MPI's own outer");
}

TEST_F(MpiWatch, lets_calls_be_that_return) {
  const auto call_often = [](const char* limit, int calls, double seconds) {
    ::setenv("NEARFAR_WATCHDOG", limit, 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 70; ++t)
      threads.emplace_back([=] {
        for (int n = 0; n < calls; ++n) {
          const mpi_watch watch("MPI_Bcast");
          nap(seconds);
        }
      });
    for (std::thread& t : threads) t.join();
    nap(0.2);
    std::_Exit(0);
  };
  EXPECT_EXIT(call_often("0.3", 5, 0.1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(call_often("0", 1, 0.3), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nearfar
