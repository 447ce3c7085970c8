// SPDX-License-Identifier: BSD-3-Clause
// What one slot packed is as it was until that slot asks again, whatever the other one does.
#include <mpi_test.hpp>
#include <random>
#include <set>
#include <vector>

#include "../packing_ring.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1}, .on_cluster = false}};

using irregular::packing_ring;

class PackingRingTest : public MpiTest {
 protected:
  struct piece {
    std::byte *at = nullptr, value{};
    index_t bytes = 0;
    bool is_whole() const { return std::count(at, at + bytes, value) == bytes; }
  };
  void take(packing_ring& ring, near::arena& memory, std::size_t slot, index_t bytes) {
    piece& own = held_[slot];
    own = {ring.next(memory, slot, bytes), static_cast<std::byte>(++last_ % 251), bytes};
    std::fill_n(own.at, own.bytes, own.value);
    EXPECT_TRUE(held_[1 - slot].is_whole()) << bytes << " bytes for slot " << slot;
    const near::handle h = ring.place(slot);
    EXPECT_EQ(h.is_valid(), memory.is_shared());
    if (h.is_valid()) {
      EXPECT_EQ(memory.attach(h).at(h)[bytes - 1], own.value);
    }
  }
  piece held_[2];
  int last_ = 0;
};

TEST_F(PackingRingTest, no_piece_is_given_out_while_the_other_slot_holds_it) {
  const team t(comm());
  auto& memory = near::arena::of(t);
  for (const index_t ring_bytes : {index_t{0}, index_t{10'000}, index_t{1 << 20}}) {
    packing_ring ring(ring_bytes);
    std::mt19937 any(7);
    for (int i = 0; i < 300; ++i) {
      // Now in turn, now one slot alone; mostly alike, now and then much larger.
      const std::size_t slot = any() % 3 == 0 ? any() % 2 : static_cast<std::size_t>(i) % 2;
      const auto bytes =
          static_cast<index_t>(any() % 20 == 0 ? 1 + any() % (1 + 200 * static_cast<unsigned>(i)) : 1 + any() % 900);
      take(ring, memory, slot, bytes);
    }
    held_[0] = held_[1] = {};
  }
}

TEST_F(PackingRingTest, all_the_ring_is_used_before_a_piece_comes_again) {
  const team t(comm());
  packing_ring ring(1 << 20);
  std::set<std::byte*> seen;
  for (int i = 0; i < 52; ++i) seen.insert(ring.next(near::arena::of(t), static_cast<std::size_t>(i) % 2, 20'000));
  EXPECT_EQ(seen.size(), 52U);  // of 20,032 bytes, that many make a megabyte
  EXPECT_EQ(seen.count(ring.next(near::arena::of(t), 0, 20'000)), 1U);
}

}  // namespace
}  // namespace nearfar::test
