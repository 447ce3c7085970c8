// SPDX-License-Identifier: BSD-3-Clause
// Picks of elements of every size, at every alignment and count around whole lines, by ordinary stores and past the
// caches; nothing behind the target is touched.
#include <gtest/gtest.h>

#include <cstring>
#include <near/past_caches.hpp>
#include <vector>

#include "kernels.hpp"
#include "streaming.hpp"

namespace nearfar::irregular {
namespace {

constexpr index_t elements = 53;

/// Byte b of element e of the source.
std::byte value(index_t e, index_t b) { return static_cast<std::byte>(37 * e + b + 1); }

std::vector<std::byte> source(index_t bytes) {
  std::vector<std::byte> made;
  for (index_t e = 0; e < elements; ++e)
    for (index_t b = 0; b < bytes; ++b) made.push_back(value(e, b));
  return made;
}

void expect_picked(index_t bytes, index_t count, std::size_t shift) {
  const std::vector<std::byte> from = source(bytes);
  std::vector<std::int32_t> places;
  for (index_t k = 0; k < count; ++k) places.push_back(static_cast<std::int32_t>(k * 29 % elements));
  std::vector<std::byte> target(static_cast<std::size_t>(bytes * count) + shift + 64, std::byte{0}), streamed = target;
  pick(target.data() + shift, from.data(), places.data(), count, bytes);
  stream_pick(streamed.data() + shift, from.data(), places.data(), count, bytes);
  near::finish_past_caches();
  std::vector<std::byte> expected(target.size(), std::byte{0});
  for (index_t k = 0; k < count; ++k)
    for (index_t b = 0; b < bytes; ++b)
      expected[shift + static_cast<std::size_t>(k * bytes + b)] = value(places[static_cast<std::size_t>(k)], b);
  EXPECT_EQ(target, expected) << count << " elements of " << bytes << " bytes, shifted by " << shift;
  EXPECT_EQ(streamed, expected) << count << " streamed elements of " << bytes << " bytes, shifted by " << shift;
}

TEST(pick, words_at_every_alignment_and_count) {
  for (std::size_t shift = 0; shift < 72; ++shift)
    for (index_t count = 0; count < 35; ++count) expect_picked(8, count, shift);
}

TEST(pick, elements_of_every_size) {
  for (const index_t bytes : {1, 2, 4, 8, 12, 16, 24, 32, 40, 72, 256, 264}) {
    expect_picked(bytes, 50, 8);
    expect_picked(bytes, 131, 3);
  }
}

TEST(pick, pieces_that_are_fetched_ahead_are_all_elements_in_order) {
  for (const index_t bytes : {1, 8, 24, 511, 513, 4096})
    for (const index_t count : {0, 1, 63, 64, 65, 1000}) {
      const std::vector<std::byte> from(static_cast<std::size_t>(bytes * count));
      index_t next = 0;
      for_fetched_pieces(from.data(), count, bytes, [&](index_t first, index_t some) {
        EXPECT_EQ(first, next);
        EXPECT_GT(some, 0);
        next += some;
      });
      EXPECT_EQ(next, count) << "elements of " << bytes << " bytes";
    }
}

}  // namespace
}  // namespace nearfar::irregular
