// SPDX-License-Identifier: BSD-3-Clause
// The main() of MPI tests: all shapes in one launch, a collective exit code, a watchdog per test, one report instead of
// one per rank.
//
//   PROGRAM [--file=STEM] [GoogleTest's options]     only the tests of STEM.cpp, instead of all
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>

#include "mpi_test.hpp"

namespace nearfar::test {
namespace {

constexpr int exit_stuck = 86;
constexpr unsigned default_timeout_s = 300;  // for hangs: a test takes seconds, ten times as long on a busy machine
constexpr unsigned patience_s = 60;          // how much longer those ranks wait that are through

int launched_rank = 0;
MPI_Comm present = MPI_COMM_NULL;   // the ranks of the present shape
MPI_Comm verdicts = MPI_COMM_NULL;  // the same ranks, for this file alone
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
                                     launched_rank, test.test_suite_name(), test.name());
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
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", launched_rank, result.file_name() ? result.file_name() : "?",
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
  if (launched_rank != 0) {
    std::unique_ptr<::testing::TestEventListener> printer(listeners.Release(listeners.default_result_printer()));
    std::unique_ptr<::testing::TestEventListener> xml(listeners.Release(listeners.default_xml_generator()));
    listeners.Append(new failures_of_this_rank);  // GoogleTest owns its listeners
  }
  listeners.Append(new watchdog(timeout_s()));
}

// The part of the command line that says which tests to run.
struct selection {
  std::string file;      // stem of a source; empty for all
  std::string patterns;  // of --gtest_filter
  bool has(const ::testing::TestInfo& test) const {
    if (!file.empty() && std::filesystem::path(test.file()).stem() != file) return false;
    const auto dash = patterns.find('-');
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    return matches(name, patterns.substr(0, dash), true) &&
           !(dash != std::string::npos && matches(name, patterns.substr(dash + 1), false));
  }

 private:
  static bool matches(const std::string& name, const std::string& list, bool if_empty) {
    if (list.empty()) return if_empty;
    std::istringstream patterns(list);
    for (std::string pattern; std::getline(patterns, pattern, ':');)
      if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
    return false;
  }
};

selection selected(int argc, char** argv) {
  constexpr std::string_view option = "--file=";
  selection s{{}, ::testing::GTEST_FLAG(filter)};
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word.starts_with(option)) s.file = word.substr(option.size());
  return s;
}

// -> the tests that are asked for in this shape, as a filter
std::string tests_in(const shape& one, const selection& wanted) {
  std::string filter;
  const auto& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const auto& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const auto& test = *suite.GetTestInfo(k);
      if (one.is_asked_by(shapes_of(test.file())) && wanted.has(test))
        filter += (filter.empty() ? "" : ":") + std::string(suite.name()) + "." + test.name();
    }
  }
  return filter;
}

bool run_tests(MPI_Comm members) {
  MPI_Comm_dup(members, &present);
  MPI_Comm_dup(members, &verdicts);
  const int failed = ranks_with(RUN_ALL_TESTS() != 0);
  MPI_Comm_free(&verdicts);
  MPI_Comm_free(&present);
  return failed == 0;
}

// -> names of the shapes in which tests failed
std::string run_all_shapes(const selection& wanted, int& run) {
  const launch ranks;
  std::string failed;
  for (const shape& one : ranks.all_shapes()) {
    ::testing::GTEST_FLAG(filter) = tests_in(one, wanted);
    if (::testing::GTEST_FLAG(filter).empty()) continue;
    ++run;
    if (launched_rank == 0) std::printf("---- %s ----\n", one.name.c_str());
    if (ranks.in(one, run_tests) > 0) failed += " " + one.name;
  }
  return failed;
}

// The last line is what launchers' exit codes are checked against (tests/cluster/on_cluster).
int run(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &launched_rank);
  ::testing::InitGoogleTest(&argc, argv);
  install_listeners();
  int shapes_run = 0;
  const std::string failed = run_all_shapes(selected(argc, argv), shapes_run);
  if (launched_rank == 0) {
    if (shapes_run == 0)
      std::printf("no test was asked for in a shape of these ranks\n");
    else if (failed.empty())
      std::printf("all %d shapes passed\n", shapes_run);
    else
      std::printf("failed in:%s\n", failed.c_str());
    std::fflush(stdout);
  }
  MPI_Finalize();
  const bool is_narrowed = std::getenv("NEARFAR_TEST_SHAPES") != nullptr;  // to shapes that these tests may not ask for
  return failed.empty() && (shapes_run > 0 || is_narrowed) ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Ranks that are through wait longer than the one that is stuck: the job ends with the first that gives up, and that
// should be the one with something to say.
void wait_longer_than_others() {
  if (const unsigned left = alarm(0); left > 0) alarm(left + patience_s);
}

}  // namespace

MPI_Comm everyone() { return present; }

int ranks_with(bool flag) {
  const int mine = flag ? 1 : 0;
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, verdicts);
  return sum;
}

void MpiTest::SetUp() {
  MPI_Comm_dup(present, &comm_);
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
