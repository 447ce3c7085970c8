// SPDX-License-Identifier: BSD-3-Clause
// Calls that do not end, calls that do, and many threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <base/watch_options.hpp>
#include <cstdlib>
#include <nearfar/mpi_watch.hpp>
#include <optional>
#include <semaphore>
#include <thread>
#include <vector>

namespace nearfar {
namespace {

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

/// The watchdog looks when it is told to, and as much time passes before each look as it wanted to sleep, or more.
class told_looks {
 public:
  explicit told_looks(double more_s = 0) {
    more() = more_s;
    clock_of_watchdog() = {[] { return now(); },
                           [](double seconds) {
                             over().release();
                             due().acquire();
                             now() += seconds + more();
                           }};
    { const mpi_watch first("MPI_Init"); }  // starts the thread
    over().acquire();
  }
  /// Returns when so many looks are over.
  void pass(int looks) {
    for (; looks > 0; --looks) due().release(), over().acquire();
  }

 private:
  static std::binary_semaphore& due() {
    static std::binary_semaphore s{0};
    return s;
  }
  static std::binary_semaphore& over() {
    static std::binary_semaphore s{0};
    return s;
  }
  static double& now() {
    static double s = 0;
    return s;
  }
  static double& more() {
    static double s = 0;
    return s;
  }
};

// The look that finds a call for the first time, and eight that take an eighth of the limit each.
constexpr const char* limit = "1";
constexpr int looks_in_limit = 9;

/// Each in a process of its own, since the limit is read once.
class MpiWatch : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(MpiWatch, ends_a_process_whose_call_does_not_return) {
  const auto call = [] {
    ::setenv("NEARFAR_WATCHDOG", "0.3", 1);
    const mpi_watch watch("MPI_Bcast");
    wait_for_ever();
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(3), "no answer from other ranks within .*MPI_Bcast.*NEARFAR_WATCHDOG");
}

TEST_F(MpiWatch, looks_at_the_outer_call_when_the_inner_one_is_over) {
  const auto call = [] {
    ::setenv("NEARFAR_WATCHDOG", "0.3", 1);
    const mpi_watch watch("outer");
    { const mpi_watch inner("inner"); }
    wait_for_ever();
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(3), "MPI's own outer");
}

TEST_F(MpiWatch, lets_calls_be_that_return_and_no_others) {
  const auto call_often = [](int calls, int looks_each, double more_s) {
    ::setenv("NEARFAR_WATCHDOG", limit, 1);
    told_looks time(more_s);
    for (int n = 0; n < calls; ++n) {
      const mpi_watch watch("MPI_Bcast");
      time.pass(looks_each);
    }
    time.pass(2 * looks_each);
    std::_Exit(0);
  };
  EXPECT_EXIT(call_often(20, looks_in_limit, 0), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(call_often(1, looks_in_limit + 1, 0), testing::ExitedWithCode(3), "MPI_Bcast");
  // A process that was stopped for an hour has waited for its own time only: two eighths of the limit at each look.
  EXPECT_EXIT(call_often(20, 5, 3600), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(call_often(1, 6, 3600), testing::ExitedWithCode(3), "MPI_Bcast");
}

TEST_F(MpiWatch, lets_an_outer_call_be_whose_inner_ones_return) {
  const auto call = [] {
    ::setenv("NEARFAR_WATCHDOG", limit, 1);
    told_looks time;
    const mpi_watch outer("outer");
    for (int n = 0; n < 20; ++n) {
      const mpi_watch inner("inner");
      time.pass(looks_in_limit);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(0), "");
}

// More threads than are watched: all are in a call, look after look, and out of it together. This one may stay in its
// own.
TEST_F(MpiWatch, looks_at_many_threads) {
  const auto call_often = [](bool is_one_stuck) {
    constexpr int threads = 70, calls = 5;
    ::setenv("NEARFAR_WATCHDOG", limit, 1);
    told_looks time;
    std::optional<mpi_watch> own;
    if (is_one_stuck) own.emplace("MPI_Barrier");
    std::barrier all(threads + 1);
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t)
      callers.emplace_back([&] {
        for (int n = 0; n < calls; ++n) {
          const mpi_watch watch("MPI_Bcast");
          all.arrive_and_wait();
          all.arrive_and_wait();
        }
      });
    for (int n = 0; n < calls; ++n) {
      all.arrive_and_wait();
      time.pass(looks_in_limit);
      all.arrive_and_wait();
    }
    for (std::thread& t : callers) t.join();
    std::_Exit(0);
  };
  EXPECT_EXIT(call_often(false), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(call_often(true), testing::ExitedWithCode(3), "MPI's own MPI_Barrier");
}

TEST_F(MpiWatch, says_after_a_minute_who_waits_and_ends_nothing_without_a_limit) {
  const auto call = [](const char* wanted) {
    wanted == nullptr ? ::unsetenv("NEARFAR_WATCHDOG") : ::setenv("NEARFAR_WATCHDOG", wanted, 1);
    told_looks time;
    const mpi_watch watch("MPI_Bcast");
    time.pass(1'000);  // each a quarter of a second
    std::_Exit(0);
  };
  const char* const once = "^nearfar[^\n]*warning: MPI's own MPI_Bcast has not returned since [^\n]*\n$";
  EXPECT_EXIT(call("0"), testing::ExitedWithCode(0), once);
  EXPECT_EXIT(call(nullptr), testing::ExitedWithCode(0), once);
}

}  // namespace
}  // namespace nearfar
