// SPDX-License-Identifier: BSD-3-Clause
// Tests of the environment's variables and of the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <base/env.hpp>
#include <base/log.hpp>
#include <cstdlib>
#include <nearfar/error.hpp>

namespace nearfar {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* name = "NEARFAR_TEST_VARIABLE";

class Environment : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv(name); }
  static void set(const char* value) { ::setenv(name, value, 1); }
};

std::string message_for(const char* value) {
  ::setenv(name, value, 1);
  try {
    env::integer_or(name, 3, 1, 64);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST_F(Environment, unset_and_empty_take_the_fallback) {
  EXPECT_EQ(env::string_or(name, "x"), "x");
  EXPECT_EQ(env::integer_or(name, 3, 1, 64), 3);
  EXPECT_EQ(env::number_or(name, 0.5, 0, 1), 0.5);
  set("");
  EXPECT_EQ(env::string_or(name, "x"), "x");
  EXPECT_EQ(env::integer_or(name, 3, 1, 64), 3);
}

TEST_F(Environment, reads_values) {
  set("64");
  EXPECT_EQ(env::string_or(name, "x"), "64");
  EXPECT_EQ(env::integer_or(name, 3, 1, 64), 64);
  set("2.5e-1");
  EXPECT_EQ(env::number_or(name, 0.5, 0, 1), 0.25);
}

TEST_F(Environment, refuses_what_is_not_wholly_a_number_in_range) {
  for (const char* bad : {"0", "65", "4x", " 4", "four", "4.0", "99999999999999999999", "-1"})
    EXPECT_THAT(message_for(bad), AllOf(HasSubstr(name), HasSubstr(bad), HasSubstr("from 1 to 64"), HasSubstr("3")))
        << bad;
  for (const char* bad : {"nan", "inf", "-0.5", "0.5s"}) {
    set(bad);
    EXPECT_THROW(env::number_or(name, 0.5, 0, 1), usage_error) << bad;
  }
}

TEST_F(Environment, limits_of_time_are_none_or_of_use) {
  EXPECT_EQ(env::limit_s(name), 0);
  for (const char* none : {"", "0", "0.0"}) {
    set(none);
    EXPECT_EQ(env::limit_s(name), 0) << none;
  }
  set("0.01");
  EXPECT_EQ(env::limit_s(name), 0.01);
  for (const char* bad : {"1e-320", "5e-324", "0.009", "-1", "1e10", "inf", "nan", "1,5", "0x1p3", "1e-400", "10s"}) {
    set(bad);
    EXPECT_THROW(env::limit_s(name), usage_error) << bad;
  }
}

TEST(Log, shows_warnings_but_not_info_unless_asked) {
  ::setenv("NEARFAR_LOG", "warning", 1);
  ::testing::internal::CaptureStderr();
  log::set_rank(5);
  log::warning("disk ", 1, " is full");
  log::info("hidden");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "nearfar[5] warning: disk 1 is full\n");
}

}  // namespace
}  // namespace nearfar
