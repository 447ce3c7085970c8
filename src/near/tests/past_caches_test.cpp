// SPDX-License-Identifier: BSD-3-Clause
// Copies past the caches: every offset within a line, every length up to some lines, nothing beside the range.
#include <gtest/gtest.h>

#include <near/past_caches.hpp>
#include <vector>

namespace nearfar::near {
namespace {

constexpr index_t longest = 200, capacity = 400;
constexpr auto untouched = std::byte{0xee};

std::vector<std::byte> numbered() {
  std::vector<std::byte> bytes(as_size(capacity));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  return bytes;
}

TEST(past_caches, copies_the_range_and_nothing_else) {
  const auto from = numbered();
  for (index_t to_at = 0; to_at < 65; ++to_at)
    for (index_t bytes = 0; bytes <= longest; ++bytes) {
      const index_t from_at = (to_at * 5 + bytes) % 67;
      std::vector<std::byte> to(as_size(capacity), untouched), right = to;
      for (index_t i = 0; i < bytes; ++i) right[as_size(to_at + i)] = from[as_size(from_at + i)];
      copy_past_caches(to.data() + to_at, from.data() + from_at, bytes);
      finish_past_caches();
      ASSERT_EQ(to, right) << bytes << " bytes to offset " << to_at;
    }
}

}  // namespace
}  // namespace nearfar::near
