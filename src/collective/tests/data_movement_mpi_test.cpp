// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm that moves data delivers every word where it belongs and touches nothing else: each algorithm by
// name, all layouts, in place, any mix.
#include <algorithm>
#include <atomic>
#include <collective/engine.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <optional>
#include <string_view>

#include "data_movement.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0}, .on_cluster = false}};

class by_name : public data_movement {
 protected:
  void SetUp() override {
    data_movement::SetUp();
    team_.emplace(comm());
    engine_.emplace(*team_);
  }
  void TearDown() override {
    engine_.reset();
    team_.reset();
    data_movement::TearDown();
  }

  void check_all(kind what, std::initializer_list<index_t> sizes) {
    for (const algorithm& a : algorithms_of(what)) {
      SCOPED_TRACE(a.name);
      unsigned seed = 0;
      for (const index_t words : sizes) {
        ++seed;
        if (size() > 4 && seed % 2 == 0) continue;  // many ranks on few cores take long
        check(*engine_, {what, 3 * seed, words}, &a);
        check(*engine_, {what, 3 * seed + 1, words, true, seed % 4 == 3}, &a);
        check(*engine_, {what, 3 * seed + 2, words, seed % 4 == 1, true}, &a);
      }
      expect_accelerated(a, *engine_);
    }
  }

  // A word pair less, as many as fill the lines, and a pair more.
  template <class Check>
  static void around_lines(index_t first, index_t last, Check check) {
    const index_t words_of_line = near::line_payload_bytes / 4;
    for (index_t lines = first; lines <= last; ++lines)
      for (const index_t words : {lines * words_of_line - 2, lines * words_of_line, lines * words_of_line + 2})
        check(words);
  }

  void check_around_limits(kind what, const algorithm& a) {
    unsigned seed = 0;
    const auto check_one = [&](index_t words) {
      scene s{what, ++seed, words};
      s.lengths = block_lengths::one_long;
      stagger(seed, rank());
      check(*engine_, s, &a);
    };
    around_lines(has_equal_blocks(what) ? 3 : 14, node_segment::slot_lines + 2, check_one);
    for (const index_t words : {1024, 2048, 8192})
      for (const index_t more : {-2, 0, 2}) check_one(words + more);
  }

  // Several pieces in flight, in all rings; blocks are shorter where there are many.
  void check_large(kind what) {
    const index_t words = what == kind::bcast ? 300000 : 600000 / (size() + 1) * 2;
    for (const algorithm& a : algorithms_of(what)) {
      SCOPED_TRACE(a.name);
      check(*engine_, {what, 1, words, size() % 2 == 0}, &a);
    }
  }

 private:
  std::optional<team> team_;
  std::optional<engine> engine_;
};

TEST_F(by_name, blocks_of_one_length_to_all) {
  for (const kind what : {kind::bcast, kind::allgather, kind::alltoall}) check_all(what, {2, 54, 280, 282, 40002});
}
TEST_F(by_name, blocks_of_one_length_with_root) {
  for (const kind what : {kind::gather, kind::scatter}) check_all(what, {2, 54, 280, 282, 40002});
}
TEST_F(by_name, large_blocks) {
  if (size() > 4) GTEST_SKIP() << "takes too long on few cores";
  for (const kind what : even_kinds) check_large(what);
}
TEST_F(by_name, blocks_of_many_lengths) {
  for (const kind what : uneven_kinds) check_all(what, {2, 20, 282, 2000, 40000});
}
TEST_F(by_name, large_blocks_of_many_lengths) {
  if (size() > 4) GTEST_SKIP() << "takes too long on few cores";
  for (const kind what : uneven_kinds) check_large(what);
}

TEST_F(by_name, blocks_around_the_sizes_at_which_algorithms_change) {
  for (const auto& list : {even_kinds, uneven_kinds})
    for (const kind what : list)
      for (const algorithm& a : algorithms_of(what)) {
        SCOPED_TRACE(a.name);
        check_around_limits(what, a);
      }
}

TEST_F(data_movement, near_buffers) {
  const team t(comm());
  setenv("NEARFAR_METHOD", "near-direct", 1);
  engine e(t);
  e.expect_near_buffers();
  const auto block = near::arena::of(t).allocate(index_t{2} * size() * 50004 * 4);
  auto* memory = reinterpret_cast<word*>(block.data());
  unsigned seed = 100;
  for (const index_t words : {2000, 50000})
    for (const auto& list : {even_kinds, uneven_kinds})
      for (const kind what : list) {
        scene s{what, ++seed, words};
        s.memory = memory;
        check(e, s);
        s.seed = ++seed;
        s.is_in_place = true;
        check(e, s);
        s.seed = ++seed;
        s.memory = rank() == 0 ? nullptr : memory;
        check(e, s);
      }
  unsetenv("NEARFAR_METHOD");
}

// Of calls that repeat the last one the engine looks at the buffers only.
TEST_F(data_movement, repeated_calls_alternate_in_place_and_not) {
  const team t(comm());
  engine e(t, {.tune_after = -1});
  for (const kind what : even_kinds)
    for (const index_t words : {20, 3000})
      for (const bool is_in_place : {false, false, true, true, false, true, false, false})
        check(e, {what, 6, words, is_in_place});
}

TEST_F(data_movement, any_mix_of_kinds_and_sizes_with_ranks_out_of_step) {
  const nearfar::test::clock_by_readings clock(MpiTest::rank());
  const team t(comm());
  engine e(t, {.tune_after = 9, .budget_s = 0.01});
  std::mt19937_64 random(4711);
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    const auto draw = random() % 10;
    const kind what = draw < 5 ? even_kinds[draw] : uneven_kinds[draw - 5];
    const auto words = static_cast<index_t>(1 + random() % (random() % 8 == 0 ? 30000 : 100)) * 2;
    stagger(seed, rank());
    check(e, {what, seed, words, random() % 3 == 0, random() % 4 == 0});
  }
}

// Each near rank writes the round into its near memory; nobody may leave a barrier before all have written.
TEST_F(data_movement, barriers_hold_everybody) {
  const team t(comm());
  std::vector<const algorithm*> all;
  for (const algorithm& a : algorithms_of(kind::barrier)) all.push_back(&a);
  all.push_back(nullptr);
  near::arena& memory = near::arena::of(t);
  const auto own = memory.allocate(64);
  near::handle mine = t.near_size() > 1 ? memory.find(own.data(), 64) : near::handle{};
  std::vector<near::handle> handles(as_size(size()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, handles.data(), sizeof mine, MPI_BYTE, comm());
  std::vector<int> nodes(as_size(size()));
  const int node = t.node();
  MPI_Allgather(&node, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm());
  std::vector<near::mapping> mapped;
  std::vector<const std::atomic<int>*> rounds;
  for (int r = 0; r < size(); ++r) {
    if (nodes[as_size(r)] != node || r == rank()) continue;
    mapped.push_back(memory.attach(handles[as_size(r)]));
    rounds.push_back(reinterpret_cast<const std::atomic<int>*>(mapped.back().at(handles[as_size(r)])));
  }
  auto* round = reinterpret_cast<std::atomic<int>*>(own.data());
  int now = 0, early = 0;
  for (const algorithm* a : all) {
    if (a != nullptr) setenv("NEARFAR_METHOD", (std::string("barrier:") + a->name).c_str(), 1);
    engine e(t, {.tune_after = -1});
    unsetenv("NEARFAR_METHOD");
    call c;
    for (unsigned k = 0; k < 60; ++k) {
      stagger(k, rank());
      round->store(++now);
      e.run(c, [&] { return call_plainly(c, comm(), true); });
      for (const auto* other : rounds) early += other->load() < now ? 1 : 0;
    }
  }
  EXPECT_EQ(0, early);
  MPI_Barrier(comm());
}

}  // namespace
}  // namespace nearfar::collective::test
