// SPDX-License-Identifier: BSD-3-Clause
// Checksums, layouts and journals by themselves, against what can be counted by hand.
// One MPI: it is serial, and knows files only.
#include <gtest/gtest.h>
#include <unistd.h>

#include <box_copy.hpp>
#include <crc32c.hpp>
#include <cstdio>
#include <formats/rsf.hpp>
#include <fstream>
#include <journal.hpp>
#include <layout.hpp>
#include <random>
#include <step_writer.hpp>

namespace nearfar::output {
namespace {

TEST(crc32c, known_value_and_both_methods_alike) {
  const char digits[] = "123456789";
  EXPECT_EQ(crc32c(0, reinterpret_cast<const std::byte*>(digits), 9), 0xe3069283U);
  std::mt19937 random(1);
  std::vector<std::byte> data(60'000);
  for (auto& b : data) b = static_cast<std::byte>(random());
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}, std::size_t{12'287}, std::size_t{12'289}, data.size()}) {
    const auto whole = crc32c_by_table(0, data.data(), n);
    EXPECT_EQ(crc32c(0, data.data(), n), whole);
    EXPECT_EQ(crc32c(crc32c(0, data.data(), n / 3), data.data() + n / 3, n - n / 3), whole);
  }
}

// Every element of every box is met once, at the place where counting gets to it.
TEST(layout, runs_meet_each_element_once) {
  const array_shape a{{3, 4, 5, 6}, 2};
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    box part{4, {}, {}};
    for (std::size_t d = 0; d < 4; ++d) {
      const auto n = static_cast<unsigned>(a.extents[d]);
      part.lower[d] = random() % n;
      part.upper[d] = round % 3 == 0 ? a.extents[d] : part.lower[d] + 1 + random() % (n - part.lower[d]);
      if (round % 3 == 0) part.lower[d] = d > 1 ? 0 : part.lower[d];
    }
    std::vector<index_t> found(as_size(part.cells()), -1);
    index_t longest = 0;
    for_each_run(a, part, [&](index_t in_array, index_t in_box, index_t n) {
      for (index_t i = 0; i < n; ++i) found[as_size(in_box + i)] = in_array + i;
      longest = std::max(longest, n);
    });
    index_t k = 0;
    for (index_t w = part.lower[0]; w < part.upper[0]; ++w)
      for (index_t z = part.lower[1]; z < part.upper[1]; ++z)
        for (index_t y = part.lower[2]; y < part.upper[2]; ++y)
          for (index_t x = part.lower[3]; x < part.upper[3]; ++x)
            ASSERT_EQ(found[as_size(k++)], ((w * 4 + z) * 5 + y) * 6 + x);
    if (round % 3 == 0) {
      EXPECT_GE(longest, 30);
    }
  }
}

TEST(layout, boxes_that_make_a_box_become_one_brick) {
  const array_shape a{{4, 6}, 4};
  const box left{2, {0, 0}, {4, 3}}, right{2, {0, 3}, {4, 6}}, corner{2, {0, 3}, {2, 6}};
  EXPECT_EQ(make_layout({a}, {{left, right}}).bricks.size(), 1U);
  EXPECT_EQ(make_layout({a}, {{left, corner}}).bricks.size(), 2U);
  EXPECT_EQ(make_layout({a}, {{box{}, box{}}}).bricks.size(), 0U);
  // Addresses in memory and in the file are equal modulo a page, where the file has the array at a multiple of 64
  // bytes.
  writer_plan plan;
  plan.layout = make_layout({a}, {{right}});
  plan.files.places = {{0, 4 + 64, 96, {}}};
  plan.codecs.resize(1);
  const auto shift = [&](index_t step) { return plan.shift(plan.layout_of(step, nullptr), plan.layout.bricks[0]); };
  EXPECT_EQ(shift(100), 0);
  plan.files.places[0].offset = 52;
  EXPECT_EQ(shift(100), (52 + 100 * 96 + 3 * 4) % page_bytes);
  EXPECT_EQ(shift(101), 0);
}

TEST(box_copy, padding_stays_behind) {
  std::vector<int> from(5 * 7 * 9), to(3 * 4 * 5, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  const strided_box s{3, 4, {3, 4, 5}, {7 * 9 * 4, 9 * 4, 4}, {4 * 5 * 4, 5 * 4, 4}};
  copy_box(s, reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<const std::byte*>(&from[(1 * 7 + 2) * 9 + 3]));
  std::size_t k = 0;
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) EXPECT_EQ(to[k++], ((z + 1) * 7 + y + 2) * 9 + x + 3);
}

class journals : public ::testing::Test {
 protected:
  void add(std::int64_t step, std::uint32_t writer, std::uint32_t writers) {
    journal_record r;
    r.step = step, r.writer = writer, r.writers = writers, r.time = 0.5 * static_cast<double>(step), r.signature = 7;
    r.seal();
    bytes.insert(bytes.end(), reinterpret_cast<char*>(&r), reinterpret_cast<char*>(&r) + sizeof r);
  }
  journal_contents read() {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto c = read_journal(path, true);
    std::remove(path.c_str());
    return c;
  }
  std::vector<char> bytes;
  std::string path = text("journal_of_test.", getpid());
};

TEST_F(journals, end_where_a_step_is_not_whole) {
  for (int step = 0; step < 3; ++step) add(step, 0, 1);
  for (int step = 3; step < 5; ++step) add(step, 0, 2), add(step, 1, 2);
  EXPECT_EQ(read().steps(), 5);
  EXPECT_EQ(read().end(), 7 * 64);
  EXPECT_EQ(read().times[4], 2.0);
  bytes.resize(bytes.size() - 1);  // a torn record
  EXPECT_EQ(read().steps(), 4);
  bytes.resize(4 * 64);  // half of a step
  EXPECT_EQ(read().steps(), 3);
  bytes[64 + 20] = static_cast<char>(bytes[64 + 20] ^ 1);  // a bit that fell over
  EXPECT_EQ(read().steps(), 1);
  std::fill(bytes.begin(), bytes.begin() + 64, '\0');  // a hole
  EXPECT_EQ(read().steps(), 0);
}

TEST_F(journals, do_not_take_records_of_others) {
  add(0, 0, 1), add(2, 0, 1);
  EXPECT_EQ(read().steps(), 1);
  bytes.resize(64), add(1, 1, 2), add(1, 0, 2);
  EXPECT_EQ(read().steps(), 1);
}

TEST(rsf, says_what_numbers_mean) {
  output_array a{.name = "p", .extents = {4, 5, 6}, .attributes = {{"d1", "12.5"}, {"unit1", "m"}}};
  const std::string header = rsf_header(rsf_constants(a, "/x/y.raw"), 4, {1, 1.25, 1.5});
  for (const char* line : {"in=\"/x/y.raw\"\n", "data_format=\"native_float\"\n", "esize=4\n", "n1=6\n", "n2=5\n",
                           "n3=4\n", "n4=3\n", "o4=1\n", "d4=0.25\n", "d1=12.5\n", "unit1=\"m\"\n"})
    EXPECT_NE(header.find(line), std::string::npos) << line << header;
}

}  // namespace
}  // namespace nearfar::output
