// SPDX-License-Identifier: BSD-3-Clause
// What a run says of itself, and how often.
#include <common/progress.hpp>

#include <gtest/gtest.h>

namespace apps {
namespace {

std::string said(bool is_terminal, std::initializer_list<std::pair<int, double>> steps) {
  std::FILE* const file = std::tmpfile();
  run_progress progress(100, "Mop/s", file, is_terminal);
  for (const auto& [step, seconds] : steps) progress.advanced(step, 1e6 * step, seconds);
  progress.end();
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text.push_back(static_cast<char>(c));
  std::fclose(file);
  return text;
}

TEST(Progress, line_has_rate_and_time_left) {
  EXPECT_EQ(progress_line(120, 250, 0, 60e9, 120, "Mop/s"), "step 120 of 250, 48 %, 500.0 Mop/s, 2 min 10 s left");
  EXPECT_EQ(progress_line(120, 250, 110, 5e9, 10, "Mop/s"), "step 120 of 250, 48 %, 500.0 Mop/s, 2 min 10 s left");
  EXPECT_EQ(progress_line(1, 2, 0, 1e6, 5000, "Mop/s"), "step 1 of 2, 50 %, 0.0 Mop/s, 1 h 23 min left");
  EXPECT_EQ(progress_line(1, 2, 0, 1e6, 5, "Mpts/s", "plane"), "plane 1 of 2, 50 %, 0.2 Mpts/s, 5 s left");
}

TEST(Progress, a_file_has_a_line_every_half_minute) {
  EXPECT_EQ(said(false, {{0, 0}, {1, 10}, {2, 29}}), "");
  EXPECT_EQ(said(false, {{0, 0}, {1, 10}, {50, 40}, {51, 45}, {75, 71}}),
            " step 50 of 100, 50 %, 1.2 Mop/s, 40 s left\n step 75 of 100, 75 %, 1.1 Mop/s, 24 s left\n");
}

TEST(Progress, a_terminal_has_one_line_that_goes_away) {
  EXPECT_EQ(said(true, {{0, 0}, {50, 40}}), "\r step 50 of 100, 50 %, 1.2 Mop/s, 40 s left\033[K\r\033[K");
}

}  // namespace
}  // namespace apps
