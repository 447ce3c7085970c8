// SPDX-License-Identifier: BSD-3-Clause
// A wait that has become long: one warning, and an error where a limit was set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <base/log.hpp>
#include <base/long_wait.hpp>
#include <nearfar/error.hpp>

namespace nearfar {
namespace {

TEST(LongWait, warns_once_and_gives_up_at_its_limit) {
  int asked = 0;
  const auto whom = [&] { return ++asked, std::string("rank 7"); };
  log::set_rank(3);
  long_wait wait;
  ::testing::internal::CaptureStderr();
  for (const double now : {1000.0, 1060.0, 1060.5, 1070.0}) wait.look(now, {60, 100}, 3, "halo \"h\"", whom);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "nearfar[3] warning: halo \"h\": waiting for rank 7 since 60.5 s\n");
  EXPECT_EQ(asked, 1);
  wait.look(1100, {60, 100}, 3, "halo \"h\"", whom);
  try {
    wait.look(1100.5, {60, 100}, 3, "halo \"h\"", whom);
    FAIL() << "no error";
  } catch (const transport_error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("rank 3, halo \"h\": no answer from rank 7 within 100 s"));
  }
}

TEST(LongWait, has_no_limit_unless_one_was_set) {
  long_wait wait;
  const auto whom = [] { return std::string("rank 7"); };
  for (const double now : {1.0, 1e6, 1e9}) EXPECT_NO_THROW(wait.look(now, {0, 0}, 3, "halo", whom));
}

}  // namespace
}  // namespace nearfar
