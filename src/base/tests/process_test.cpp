// SPDX-License-Identifier: BSD-3-Clause
// Processes that run, have ended and are waited for, and are gone.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/process.hpp>

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

}  // namespace
}  // namespace nearfar
