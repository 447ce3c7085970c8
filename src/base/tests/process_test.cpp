// SPDX-License-Identifier: BSD-3-Clause
// Processes that run, have ended and are waited for, and are gone.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/process.hpp>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

namespace nearfar {
namespace {

TEST(Process, is_alive_until_it_ends_whether_or_not_it_was_waited_for) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const int child = ::fork();
  if (child == 0) {
    char byte;
    ::close(pipe_ends[1]);
    ::_exit(::read(pipe_ends[0], &byte, 1) == 0 ? 0 : 1);  // until the parent closes its end
  }
  EXPECT_TRUE(is_process_alive(::getpid()));
  EXPECT_TRUE(is_process_alive(child));
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  ::siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<::id_t>(child), &info, WEXITED | WNOWAIT), 0);  // ended, not collected
  EXPECT_FALSE(is_process_alive(child));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_process_alive(child));
}

// Ends the thread that ran main, while another one waits for the end of the pipe. Not by pthread_exit, which unwinds
// the stack: GoogleTest catches everything.
[[noreturn]] void end_main_thread(const int (&pipe_ends)[2]) {
  std::thread([&pipe_ends] {
    char byte;
    ::close(pipe_ends[1]);
    ::_exit(::read(pipe_ends[0], &byte, 1) == 0 ? 0 : 1);
  }).detach();
  ::syscall(SYS_exit, 0);
  __builtin_unreachable();
}

TEST(Process, is_alive_while_any_thread_of_it_is) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const int child = ::fork();
  if (child == 0) end_main_thread(pipe_ends);
  ::close(pipe_ends[0]);
  const auto is_zombie = [child] {
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string line;
    std::getline(file, line);
    return line.find(") Z ") != std::string::npos;
  };
  while (!is_zombie()) std::this_thread::yield();
  EXPECT_TRUE(is_process_alive(child));
  ::close(pipe_ends[1]);
  ::siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<::id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(is_process_alive(child));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(Process, may_try_to_write_more_than_files_may_have) {
  const int file = ::memfd_create("too_long", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const ::rlimit low{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  {
    const file_size_signal_off no_signal;
    EXPECT_NE(::ftruncate(file, 8192), 0);
    EXPECT_EQ(errno, EFBIG);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::close(file);
  ::sigset_t pending, blocked;
  ASSERT_EQ(::sigpending(&pending), 0);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  EXPECT_EQ(::sigismember(&pending, SIGXFSZ), 0);
  EXPECT_EQ(::sigismember(&blocked, SIGXFSZ), 0);
}

}  // namespace
}  // namespace nearfar
