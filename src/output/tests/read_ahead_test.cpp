// SPDX-License-Identifier: BSD-3-Clause
// Which steps a reading thread takes, and that it gives up what nobody wants any more; boxes out of files, sums out of
// shares.
// One MPI: it is serial, and knows files only.
#include <gtest/gtest.h>
#include <unistd.h>

#include <box_copy.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
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
  void read(index_t step, read_frame& into) {
    const std::lock_guard lock(mutex);
    order.push_back(step);
    into.memory[0] = static_cast<std::byte>(step);
  }
  std::vector<index_t> order_of_reading() {
    const std::lock_guard lock(mutex);
    return order;
  }
  std::mutex mutex;
  std::vector<index_t> order;
};

TEST_F(ReadAhead, takes_the_steps_in_the_order_in_which_they_are_wanted) {
  read_ahead ahead(3, 8, [&](index_t s, read_frame& into, const std::atomic<bool>&) { read(s, into); });
  ahead.want({7, 6, 5, 4});  // one more than there are frames
  for (const index_t s : {5, 6, 7}) EXPECT_EQ(ahead.await(s).memory[0], static_cast<std::byte>(s));
  EXPECT_EQ(order_of_reading(), (std::vector<index_t>{7, 6, 5}));
  EXPECT_FALSE(ahead.has(4));
  ahead.want({6, 5, 4});
  EXPECT_TRUE(ahead.has(6));
  EXPECT_FALSE(ahead.has(7));
  EXPECT_EQ(ahead.await(4).memory[0], std::byte{4});
  ahead.want({9});
  EXPECT_EQ(ahead.await(9).memory[0], std::byte{9});
  EXPECT_EQ(order_of_reading(), (std::vector<index_t>{7, 6, 5, 4, 9}));
  EXPECT_EQ(ahead.read_steps(), 5);
}

// With a single frame, which a step that takes for ever has.
TEST_F(ReadAhead, gives_up_what_nobody_wants_any_more) {
  std::atomic<bool> has_begun = false;
  read_ahead ahead(1, 8, [&](index_t s, read_frame& into, const std::atomic<bool>& is_called_off) {
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
  read_ahead ahead(2, 8, [&](index_t s, read_frame&, const std::atomic<bool>&) {
    if (s == 1) throw io_error("no");
  });
  ahead.want({0, 1});
  EXPECT_EQ(ahead.await(0).problem, nullptr);
  EXPECT_THROW(std::rethrow_exception(ahead.await(1).problem), io_error);
  ahead.want({}), ahead.want({1});
  EXPECT_NE(ahead.await(1).problem, nullptr);
}

/// A file of two steps of an array, whose elements are numbered.
class StepInput : public ::testing::Test {
 protected:
  void SetUp() override {
    plan.layout.arrays = {shape};
    plan.files.files = {{.before = path, .after = ""}};
    plan.files.places = {{0, 12, shape.frame_bytes(), {}}};
    plan.codecs.resize(1);
    std::vector<std::uint16_t> all(as_size(6 + shape.frame_bytes()));  // 12 bytes, two steps
    for (std::size_t i = 6; i < all.size(); ++i) all[i] = value_at(as_index(i - 6));
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(all.data()), as_index(all.size() * 2));
  }
  void TearDown() override { std::remove(path.c_str()); }
  static std::uint16_t value_at(index_t place) { return static_cast<std::uint16_t>(place * 40503 + place / 65536); }

  const array_shape shape{{20, 50, 700}, 2};  // a step has more than one piece of what is read at once
  const std::string path = text("step_input_of_test.", getpid());
  writer_plan plan;
};

TEST_F(StepInput, reads_boxes_of_any_shape_and_pieces_of_them) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    brick b{.array = 0, .where = whole_of(shape)};
    for (std::size_t d = 0; d < 3 && round > 0; ++d) {
      const auto n = static_cast<unsigned>(shape.extents[d]);
      if (round % 4 == static_cast<int>(d)) continue;  // all of that dimension
      b.where.lower.at(d) = random() % n;
      b.where.upper.at(d) = b.where.lower.at(d) + 1 + random() % (n - static_cast<unsigned>(b.where.lower.at(d)));
    }
    const index_t bytes = plan.layout.bytes_of(b), middle = static_cast<index_t>(random() % as_size(bytes));
    std::vector<std::uint16_t> found(as_size(bytes / 2), 0);
    index_t expected_at = 0;
    const auto take = [&](const std::byte* from, index_t count, index_t at) {
      EXPECT_EQ(at, expected_at);
      expected_at += count;
      std::memcpy(reinterpret_cast<std::byte*>(found.data()) + at, from, as_size(count));
    };
    step_input in(plan, round % 2);
    in.read_box(b, 0, middle, take);
    in.read_box(b, middle, bytes, take);
    EXPECT_EQ(expected_at, bytes);
    index_t wrong = 0;
    for_each_run(shape, b.where, [&](index_t in_array, index_t in_box, index_t n) {
      for (index_t i = 0; i < n; ++i)
        wrong += found[as_size(in_box + i)] != value_at(round % 2 * shape.frame_bytes() / 2 + in_array + i) ? 1 : 0;
    });
    EXPECT_EQ(wrong, 0) << "round " << round;
  }
}

// However many share it: two writers, of which one has two parts that are no box together.
TEST_F(StepInput, shares_sum_each_byte_once) {
  const brick low{.array = 0, .where = {3, {0, 0, 0}, {7, 50, 700}}},
      left{.array = 0, .where = {3, {7, 0, 0}, {20, 50, 301}}},
      right{.array = 0, .where = {3, {7, 0, 301}, {20, 50, 700}}};
  const noted_parts::entry parts{0, {{right}, {low, left}}};
  const auto whole = sums_in(plan, parts, 1, {});
  EXPECT_EQ(whole[0].bytes + whole[1].bytes, shape.frame_bytes());
  for (const int shares : {2, 3, 7}) {
    std::vector<byte_sum> sums(2);
    index_t most = 0;
    for (int number = 0; number < shares; ++number) {
      const auto share = sums_in(plan, parts, 1, {number, shares});
      for (std::size_t w = 0; w < 2; ++w) sums[w].add(share[w]);
      most = std::max(most, share[0].bytes + share[1].bytes);
    }
    for (std::size_t w = 0; w < 2; ++w) {
      EXPECT_EQ(sums[w].crc, whole[w].crc);
      EXPECT_EQ(sums[w].bytes, whole[w].bytes);
    }
    EXPECT_LE(most, shape.frame_bytes() / shares + 1);
  }
  const std::atomic<bool> is_called_off = true;
  EXPECT_THROW(sums_in(plan, parts, 0, {}, &is_called_off), called_off);
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

TEST(box_copy, into_an_array_that_lies_reversed_order) {
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
