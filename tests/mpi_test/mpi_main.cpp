// SPDX-License-Identifier: BSD-3-Clause
// The main() of MPI tests: collective exit code, a watchdog per test, and one report instead of one per rank.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "mpi_test.hpp"

namespace nearfar::test {
namespace {

constexpr int exit_stuck = 86;
constexpr unsigned default_timeout_s = 20;
constexpr unsigned patience_s = 3;

int world_rank = 0;
MPI_Comm verdicts = MPI_COMM_NULL;
char stuck_message[300];
int stuck_length = 0;

// Runs in a signal handler: only async-signal-safe calls.
void on_alarm(int) {
  [[maybe_unused]] auto written = write(STDERR_FILENO, stuck_message, static_cast<std::size_t>(stuck_length));
  _exit(exit_stuck);
}

class watchdog : public ::testing::EmptyTestEventListener {
 public:
  explicit watchdog(unsigned limit_s) : limit_s_(limit_s) { std::signal(SIGALRM, on_alarm); }

  void OnTestStart(const ::testing::TestInfo& test) override {
    const int wanted = std::snprintf(stuck_message, sizeof stuck_message, "[rank %d] watchdog: stuck in %s.%s\n",
                                     world_rank, test.test_suite_name(), test.name());
    stuck_length = std::min(wanted, static_cast<int>(sizeof stuck_message) - 1);
    alarm(limit_s_);
  }
  void OnTestEnd(const ::testing::TestInfo&) override { alarm(0); }

 private:
  unsigned limit_s_;
};

// Ranks other than 0 print nothing but their failures.
class failures_of_this_rank : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", world_rank, result.file_name() ? result.file_name() : "?",
                 result.line_number(), result.summary());
  }
};

unsigned timeout_s() {
  const char* text = std::getenv("NEARFAR_TEST_TIMEOUT");
  const int value = text ? std::atoi(text) : 0;
  return value > 0 ? static_cast<unsigned>(value) : default_timeout_s;
}

void install_listeners() {
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (world_rank != 0) {
    std::unique_ptr<::testing::TestEventListener> printer(listeners.Release(listeners.default_result_printer()));
    std::unique_ptr<::testing::TestEventListener> xml(listeners.Release(listeners.default_xml_generator()));
    listeners.Append(new failures_of_this_rank);  // GoogleTest owns its listeners
  }
  listeners.Append(new watchdog(timeout_s()));
}

int run(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &verdicts);
  ::testing::InitGoogleTest(&argc, argv);
  install_listeners();
  const int failed = ranks_with(RUN_ALL_TESTS() != 0);
  MPI_Comm_free(&verdicts);
  MPI_Finalize();
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Ranks that are through wait longer than the one that is stuck: the job ends with the first that gives up, and that should be the one
// with something to say.
void wait_longer_than_others() {
  if (const unsigned left = alarm(0); left > 0) alarm(left + patience_s);
}

}  // namespace

int ranks_with(bool flag) {
  const int mine = flag ? 1 : 0;
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, verdicts);
  return sum;
}

void MpiTest::SetUp() {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

void MpiTest::TearDown() {
  wait_longer_than_others();
  const int failed = ranks_with(HasFailure());
  if (failed > 0 && !HasFailure()) {
    ADD_FAILURE() << "passed here, failed on " << failed << " of " << size_ << " ranks";
  }
  MPI_Comm_free(&comm_);
}

}  // namespace nearfar::test

int main(int argc, char** argv) { return nearfar::test::run(argc, argv); }
