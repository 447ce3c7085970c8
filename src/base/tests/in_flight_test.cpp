// SPDX-License-Identifier: BSD-3-Clause
// Operations in flight are moved on by others' waits; what goes wrong there comes out at the operation itself.
#include <gtest/gtest.h>

#include <atomic>
#include <base/clock.hpp>
#include <base/in_flight.hpp>
#include <functional>
#include <nearfar/error.hpp>
#include <string>
#include <thread>

namespace nearfar {
namespace {

class operation final : public in_flight {
 public:
  explicit operation(std::function<void()> what) : what_(std::move(what)) { begin(); }
  ~operation() override { end(); }
  void move_on() override {
    ++calls;
    what_();
  }
  std::string failure() {
    try {
      throw_failure();
    } catch (const transport_error& e) {
      return e.what();
    }
    return "";
  }
  std::atomic<int> calls = 0;

 private:
  std::function<void()> what_;
};

void fail() { throw transport_error("the network is gone"); }

// A limit for what never comes: many times what it takes.
bool comes(const std::function<bool()>& is_so) {
  const double until = seconds_now() + 60;
  while (!is_so() && seconds_now() < until) std::this_thread::yield();
  return is_so();
}

TEST(operations_in_flight, that_fail_say_so_once_and_at_themselves) {
  operation failing(fail), healthy([] {});
  EXPECT_NO_THROW(move_on_in_flight());
  EXPECT_NO_THROW(move_on_in_flight());
  EXPECT_EQ(failing.calls, 1) << "it is not moved on again before it was asked";
  EXPECT_EQ(healthy.calls, 2);
  EXPECT_EQ(healthy.failure(), "");
  EXPECT_NE(failing.failure().find("the network is gone"), std::string::npos);
  EXPECT_EQ(failing.failure(), "");
}

TEST(operations_in_flight, are_moved_on_during_calls_of_the_mpi_after_one_has_failed) {
  for (int round = 0; round < 2; ++round) {
    operation failing(fail), healthy([] {});
    const wait_inside_mpi inside;
    EXPECT_TRUE(comes([&] { return failing.calls > 0 && healthy.calls > 2; })) << "round " << round;
    EXPECT_NE(failing.failure(), "");
  }
}

}  // namespace
}  // namespace nearfar
