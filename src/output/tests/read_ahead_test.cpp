// SPDX-License-Identifier: BSD-3-Clause
// Which steps a reading thread takes, and that it gives up what nobody wants any more.
#include <gtest/gtest.h>

#include <box_copy.hpp>
#include <mutex>
#include <part_sums.hpp>
#include <random>
#include <read_ahead.hpp>
#include <step_input.hpp>
#include <thread>

namespace nearfar::output {
namespace {

class ReadAhead : public ::testing::Test {
 protected:
  void read(index step, read_frame& into) {
    const std::lock_guard lock(mutex);
    order.push_back(step);
    into.memory[0] = static_cast<std::byte>(step);
  }
  std::vector<index> order_of_reading() {
    const std::lock_guard lock(mutex);
    return order;
  }
  std::mutex mutex;
  std::vector<index> order;
};

TEST_F(ReadAhead, takes_the_steps_in_the_order_in_which_they_are_wanted) {
  read_ahead ahead(3, 8, [&](index s, read_frame& into, const std::atomic<bool>&) { read(s, into); });
  ahead.want({7, 6, 5, 4});  // one more than there are frames
  for (const index s : {5, 6, 7}) EXPECT_EQ(ahead.await(s).memory[0], static_cast<std::byte>(s));
  EXPECT_EQ(order_of_reading(), (std::vector<index>{7, 6, 5}));
  EXPECT_FALSE(ahead.has(4));
  ahead.want({6, 5, 4});
  EXPECT_TRUE(ahead.has(6));
  EXPECT_FALSE(ahead.has(7));
  EXPECT_EQ(ahead.await(4).memory[0], std::byte{4});
  ahead.want({9});
  EXPECT_EQ(ahead.await(9).memory[0], std::byte{9});
  EXPECT_EQ(order_of_reading(), (std::vector<index>{7, 6, 5, 4, 9}));
  EXPECT_EQ(ahead.read_steps(), 5);
}

// With a single frame, which a step that takes for ever has.
TEST_F(ReadAhead, gives_up_what_nobody_wants_any_more) {
  std::atomic<bool> has_begun = false;
  read_ahead ahead(1, 8, [&](index s, read_frame& into, const std::atomic<bool>& is_called_off) {
    if (s == 1) {
      has_begun = true;
      while (!is_called_off) std::this_thread::yield();
      throw called_off();
    }
    read(s, into);
  });
  ahead.want({1});
  while (!has_begun) std::this_thread::yield();
  ahead.want({2});
  EXPECT_EQ(ahead.await(2).memory[0], std::byte{2});
  ahead.want({1});  // and the end does not wait for it
}

TEST_F(ReadAhead, hands_over_what_went_wrong) {
  read_ahead ahead(2, 8, [&](index s, read_frame&, const std::atomic<bool>&) {
    if (s == 1) throw io_error("no");
  });
  ahead.want({0, 1});
  EXPECT_EQ(ahead.await(0).problem, nullptr);
  EXPECT_THROW(std::rethrow_exception(ahead.await(1).problem), io_error);
  ahead.want({}), ahead.want({1});
  EXPECT_NE(ahead.await(1).problem, nullptr);
}

TEST(byte_sum, of_pieces_is_that_of_the_whole) {
  std::mt19937 random(3);
  std::vector<std::byte> data(10'000);
  for (auto& b : data) b = static_cast<std::byte>(random());
  byte_sum whole;
  whole.add(data.data(), as_index(data.size()));
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{9'999}, data.size()}) {
    byte_sum first, second;
    first.add(data.data(), as_index(n)), second.add(data.data() + n, as_index(data.size() - n));
    first.add(second);
    EXPECT_EQ(first.crc, whole.crc);
    EXPECT_EQ(first.bytes, whole.bytes);
  }
}

TEST(box_copy, into_an_array_that_lies_the_other_way_round) {
  std::vector<int> from(2 * 3 * 4), to(2 * 3 * 4, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  const strided_box s{3, 4, {2, 3, 4}, packed_strides({2, 3, 4}, 3, 4), {4, 8, 24}};
  copy_box(s, reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<const std::byte*>(from.data()));
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 4; ++x) EXPECT_EQ(to[(x * 3 + y) * 2 + z], from[(z * 3 + y) * 4 + x]);
}

}  // namespace
}  // namespace nearfar::output
