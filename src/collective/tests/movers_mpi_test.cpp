// SPDX-License-Identifier: BSD-3-Clause
// Every data mover delivers every word where it belongs and touches nothing else: each algorithm by name, all layouts, in place, any mix.
// Shapes: RANKS 1 2 3 4 6 NODE_SIZES 0 NO_CLUSTER
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <collective/engine.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <optional>

#include "../normal.hpp"
#include "../plain_call.hpp"
#include "moved_blocks.hpp"

namespace nearfar::collective::test {
namespace {

constexpr std::array even_kinds{kind::bcast, kind::allgather, kind::alltoall, kind::gather, kind::scatter};
constexpr std::array uneven_kinds{kind::gatherv, kind::scatterv, kind::allgatherv, kind::alltoallv, kind::alltoallw};

bool is_from_root(kind k) { return k == kind::bcast || k == kind::scatter || k == kind::scatterv; }
bool is_to_root(kind k) { return k == kind::gather || k == kind::gatherv; }
bool has_one_sent(kind k) { return is_to_root(k) || k == kind::bcast || k == kind::allgather || k == kind::allgatherv; }

// What one test call looks like; all ranks know all of it.
struct scene {
  kind what;
  unsigned seed;
  index words;  // of a block; of the longest one where blocks differ
  bool is_in_place = false;
  bool has_any_layout = false;
  word* memory = nullptr;  // for send and receive buffers; null: the heap
};

// Open MPI 4.1 multiplies allgatherv's receive counts with the size of the send type to choose an algorithm, and locks up where that
// differs between ranks: there, all types are of one size.
layout any_layout(const scene& s, int rank, bool is_send) {
  const unsigned draw = s.seed * 3 + static_cast<unsigned>(rank) * 2 + (is_send ? 1 : 0);
  if (s.what == kind::allgatherv) return draw % 2 == 0 ? layout::plain : layout::apart;
  return static_cast<layout>(draw % 5);
}

layout layout_of(const scene& s, int rank, bool is_send) {
  return s.has_any_layout ? any_layout(s, rank, is_send) : layout::plain;
}

class movers : public nearfar::test::MpiTest {
 protected:
  int root_of(const scene& s) const { return static_cast<int>(s.seed) % size(); }

  // Words from a rank to a rank; in place, alltoallv needs as many back.
  index length(const scene& s, int from, int to) const {
    if (has_equal_blocks(s.what)) return s.words;
    if (has_one_sent(s.what)) to = 0;
    if (s.is_in_place && to < from) std::swap(from, to);
    std::mt19937_64 random(s.seed * 7919U + static_cast<unsigned>(from * 64 + to));
    const auto draw = random() % 4;
    if (draw == 0) return 0;
    return draw == 1 ? 2 : static_cast<index>(random() % static_cast<std::uint64_t>(s.words / 2 + 1)) * 2;
  }

  std::vector<index> lengths(const scene& s, bool is_send) const {
    const bool is_alone = is_send ? has_one_sent(s.what) : is_from_root(s.what);
    const bool is_absent =
        is_send ? is_from_root(s.what) && rank() != root_of(s) : is_to_root(s.what) && rank() != root_of(s);
    std::vector<index> list;
    if (is_absent) return list;
    const int from = is_from_root(s.what) ? root_of(s) : rank();
    if (is_alone) return {is_send ? length(s, rank(), 0) : length(s, from, rank())};
    for (int r = 0; r < size(); ++r) list.push_back(is_send ? length(s, rank(), r) : length(s, r, rank()));
    return list;
  }

  auto words_from(const scene& s, int from, int to) const {
    return [&s, from, to = has_one_sent(s.what) ? 0 : to](index i) { return word_of(s.seed, from, to, i); };
  }

  // Through the engine, or by the algorithm of that name where it serves.
  void check(engine& e, const scene& s, const algorithm* named = nullptr) {
    std::mt19937_64 random(s.seed + static_cast<unsigned>(rank()) * 977U);
    std::mt19937_64* gaps = has_equal_blocks(s.what) ? nullptr : &random;
    const int root = root_of(s);
    word* second = s.memory == nullptr ? nullptr : s.memory + size() * (s.words + 4);
    word_blocks sent(layout_of(s, rank(), true), lengths(s, true), gaps, s.memory);
    word_blocks received(layout_of(s, rank(), false), lengths(s, false), gaps, second);
    call c;
    c.what = s.what;
    c.root = root;
    c.send = sent.as_side(s.what, s.seed % 2 == 1);
    c.receive = received.as_side(s.what, s.seed % 2 == 1);
    fill(s, sent);
    expect(s, received);
    if (s.what == kind::bcast) {
      if (rank() == root) received.fill(0, words_from(s, root, 0));
      c.send = {};
    } else if (s.is_in_place) {
      settle_in_place(s, c, sent, received);
    }
    const auto native = [&] { return call_plainly(c, comm(), true); };
    EXPECT_EQ(MPI_SUCCESS, named == nullptr ? e.run(c, native) : run_named(e, c, *named, native));
    EXPECT_TRUE(sent.is_as_expected() && received.is_as_expected())
        << name_of(s.what) << ", " << s.words << " words, seed " << s.seed << (s.is_in_place ? ", in place" : "");
  }

  template <class Native>
  int run_named(engine& e, const call& c, const algorithm& a, Native native) {
    job j;
    job_memory memory;
    setting here = e.surroundings();
    if (!make_job(c, rank(), size(), j, memory)) return native();
    here.bytes = j.bytes;
    if (!a.serves(here)) return native();
    if (a.needs_ring && e.inside().near->ring_bytes() == 0) e.inside().near->make_ring(ring_bytes);
    prepare_job(memory);
    e.inside().is_declined = false;
    a.run(e.inside(), j);
    if (e.inside().is_declined) return native();
    ++accelerated_;
    return finish_job(c, j, memory);
  }

  // The algorithm must have done some of the calls since the last time, where it can.
  void expect_accelerated(const algorithm& a, const engine& e) {
    const bool needs_luck = std::string_view(a.name) == "near-direct" || std::string_view(a.name) == "near-reads";
    const bool is_expected = a.serves(e.surroundings()) && !needs_luck && size() > 1;
    EXPECT_TRUE(accelerated_ > 0 || !is_expected) << a.name;
    accelerated_ = 0;
  }

 private:
  int accelerated_ = 0;

  void fill(const scene& s, word_blocks& sent) const {
    if (s.what == kind::bcast) return;
    const auto blocks = static_cast<int>(lengths(s, true).size());
    for (int b = 0; b < blocks; ++b) sent.fill(b, words_from(s, rank(), b));
  }

  void expect(const scene& s, word_blocks& received) const {
    const auto blocks = static_cast<int>(lengths(s, false).size());
    for (int b = 0; b < blocks; ++b) received.expect(b, words_from(s, is_from_root(s.what) ? root_of(s) : b, rank()));
  }

  void settle_in_place(const scene& s, call& c, word_blocks& sent, word_blocks& received) const {
    if (is_from_root(s.what)) {
      if (rank() != c.root) return;
      c.receive.data = MPI_IN_PLACE;
      received.fill(0, words_from(s, c.root, c.root));  // nobody looks at it: the block is where it was
      for (int b = 0; b < size(); ++b) sent.expect(b, words_from(s, rank(), b));
      return;
    }
    if (is_to_root(s.what) && rank() != c.root) return;
    c.send.data = MPI_IN_PLACE;
    const bool is_own_only = has_one_sent(s.what);
    for (int b = 0; b < size(); ++b)
      if (!is_own_only || b == rank()) received.fill(b, words_from(s, rank(), b));
  }
};

void stagger(unsigned seed, int rank) {
  if ((seed * 7 + static_cast<unsigned>(rank) * 3) % 11 == 0) usleep(300);
}

class by_name : public movers {
 protected:
  void SetUp() override {
    movers::SetUp();
    team_.emplace(comm());
    engine_.emplace(*team_);
  }
  void TearDown() override {
    engine_.reset();
    team_.reset();
    movers::TearDown();
  }

  void check_all(kind what, std::initializer_list<index> sizes) {
    for (const algorithm& a : algorithms_of(what)) {
      SCOPED_TRACE(a.name);
      unsigned seed = 0;
      for (const index words : sizes) {
        ++seed;
        if (size() > 4 && seed % 2 == 0) continue;  // many ranks on few cores take long
        check(*engine_, {what, 3 * seed, words}, &a);
        check(*engine_, {what, 3 * seed + 1, words, true, seed % 4 == 3}, &a);
        check(*engine_, {what, 3 * seed + 2, words, seed % 4 == 1, true}, &a);
      }
      expect_accelerated(a, *engine_);
    }
  }

  // Several pieces in flight, in all rings; blocks are shorter where there are many.
  void check_large(kind what) {
    const index words = what == kind::bcast ? 300000 : 600000 / (size() + 1) * 2;
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

TEST_F(movers, near_buffers) {
  const team t(comm());
  setenv("NEARFAR_FORCE", "near-direct", 1);
  engine e(t);
  e.expect_near_buffers();
  const auto block = near::arena::of(t).allocate(index{2} * size() * 50004 * 4);
  auto* memory = reinterpret_cast<word*>(block.data());
  unsigned seed = 100;
  for (const index words : {2000, 50000})
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
  unsetenv("NEARFAR_FORCE");
}

TEST_F(movers, any_mix_of_kinds_and_sizes_with_ranks_out_of_step) {
  const team t(comm());
  engine e(t, {.tune_after = 9, .budget_s = 0.01});
  std::mt19937_64 random(4711);
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    const auto draw = random() % 10;
    const kind what = draw < 5 ? even_kinds[draw] : uneven_kinds[draw - 5];
    const auto words = static_cast<index>(1 + random() % (random() % 8 == 0 ? 30000 : 100)) * 2;
    stagger(seed, rank());
    check(e, {what, seed, words, random() % 3 == 0, random() % 4 == 0});
  }
}

// Each near rank writes the round into its near memory; nobody may leave a barrier before all have written.
TEST_F(movers, barriers_hold_everybody) {
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
    if (a != nullptr) setenv("NEARFAR_FORCE", (std::string("barrier:") + a->name).c_str(), 1);
    engine e(t, {.tune_after = -1});
    unsetenv("NEARFAR_FORCE");
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
