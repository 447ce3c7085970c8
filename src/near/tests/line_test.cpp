// SPDX-License-Identifier: BSD-3-Clause
// Lines carry every length, show nothing of an epoch that is not complete, and leave memory beyond the message alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <near/line.hpp>
#include <vector>

namespace nearfar::near {
namespace {

std::vector<const line_kernel*> kernels() {
  std::vector<const line_kernel*> list{&word_lines()};
  if (wide_lines() != nullptr) list.push_back(wide_lines());
  return list;
}

std::vector<std::byte> message(index_t bytes, int seed) {
  std::vector<std::byte> m(as_size(bytes));
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<std::byte>(i * 31 + as_size(seed));
  return m;
}

TEST(lines, carry_every_length) {
  for (const line_kernel* k : kernels())
    for (index_t bytes = 1; bytes <= 300; ++bytes) {
      std::vector<line> slot(as_size(lines_for(bytes)), line{});
      for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
        const auto sent = message(bytes, static_cast<int>(epoch));
        std::vector<std::byte> got(as_size(bytes) + 8, std::byte{0xee});
        EXPECT_EQ(k->read(slot.data(), got.data(), bytes, epoch, 0), 0) << k->name << ": nothing has been written yet";
        k->write(slot.data(), sent.data(), bytes, epoch);
        EXPECT_EQ(k->read(slot.data(), got.data(), bytes, epoch, 0), lines_for(bytes)) << k->name << ", " << bytes;
        EXPECT_TRUE(std::equal(sent.begin(), sent.end(), got.begin())) << k->name << ", " << bytes;
        EXPECT_TRUE(std::all_of(got.begin() + bytes, got.end(), [](std::byte b) { return b == std::byte{0xee}; }))
            << k->name << ", " << bytes;
      }
    }
}

TEST(lines, are_read_on_from_the_first_that_had_not_arrived) {
  for (const line_kernel* k : kernels()) {
    constexpr index_t bytes = 5 * line_payload_bytes;
    std::vector<line> slot(5, line{});
    const auto sent = message(bytes, 9);
    std::vector<std::byte> got(as_size(bytes));
    k->write(slot.data(), sent.data(), 2 * line_payload_bytes, 7);  // two of five lines
    EXPECT_EQ(k->read(slot.data(), got.data(), bytes, 7, 0), 2) << k->name;
    k->write(slot.data(), sent.data(), bytes, 7);
    EXPECT_EQ(k->read(slot.data(), got.data(), bytes, 7, 2), 5) << k->name;
    EXPECT_EQ(got, sent) << k->name;
  }
}

TEST(lines, of_both_kernels_look_the_same) {
  if (wide_lines() == nullptr) GTEST_SKIP() << "this processor has no 64-byte stores";
  const auto sent = message(200, 3);
  std::vector<line> a(4, line{});
  std::vector<std::byte> got(200);
  wide_lines()->write(a.data(), sent.data(), 200, 5);
  EXPECT_EQ(word_lines().read(a.data(), got.data(), 200, 5, 0), 4);
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace nearfar::near
