// SPDX-License-Identifier: BSD-3-Clause
// Calls that move blocks, and where every word of theirs must end up.
#pragma once

#include <algorithm>
#include <array>
#include <collective/engine.hpp>
#include <fake_clock.hpp>
#include <mpi_test.hpp>
#include <out_of_step.hpp>

#include "../normal.hpp"
#include "../plain_call.hpp"
#include "moved_blocks.hpp"

namespace nearfar::collective::test {

inline constexpr std::array even_kinds{kind::bcast, kind::allgather, kind::alltoall, kind::gather, kind::scatter};
inline constexpr std::array uneven_kinds{kind::gatherv, kind::scatterv, kind::allgatherv, kind::alltoallv,
                                         kind::alltoallw};

inline bool is_from_root(kind k) { return k == kind::bcast || k == kind::scatter || k == kind::scatterv; }
inline bool is_to_root(kind k) { return k == kind::gather || k == kind::gatherv; }
inline bool has_one_sent(kind k) {
  return is_to_root(k) || k == kind::bcast || k == kind::allgather || k == kind::allgatherv;
}

// Of blocks that may differ: drawn; short or empty but one of each sender's, or of all senders' where each has one
// block; all as long as the longest.
enum class block_lengths { drawn, one_long, all_long };

// What one test call looks like; all ranks know all of it.
struct scene {
  kind what;
  unsigned seed;
  index_t words;  // of a block; of the longest one where blocks differ
  bool is_in_place = false;
  bool has_any_layout = false;
  block_lengths lengths = block_lengths::drawn;
  word* memory = nullptr;  // for send and receive buffers; null: the heap
};

// Open MPI 4.1 multiplies allgatherv's receive counts with the size of the send type to choose an algorithm, and locks
// up where that differs between ranks: there, all types are of one size.
inline layout any_layout(const scene& s, int rank, bool is_send) {
  const unsigned draw = s.seed * 3 + static_cast<unsigned>(rank) * 2 + (is_send ? 1 : 0);
  if (s.what == kind::allgatherv) return draw % 2 == 0 ? layout::plain : layout::apart;
  return static_cast<layout>(draw % 5);
}

inline layout layout_of(const scene& s, int rank, bool is_send) {
  return s.has_any_layout ? any_layout(s, rank, is_send) : layout::plain;
}

class data_movement : public nearfar::test::MpiTest {
 protected:
  /// Ranks in another order; the tests are on MpiTest's communicator without it.
  void renumber(int key) {
    if (renumbered_ != MPI_COMM_NULL) MPI_Comm_free(&renumbered_);
    MPI_Comm_split(MpiTest::comm(), 0, key, &renumbered_);
    MPI_Comm_rank(renumbered_, &rank_);
  }
  void TearDown() override {
    if (renumbered_ != MPI_COMM_NULL) MPI_Comm_free(&renumbered_);
    MpiTest::TearDown();
  }
  MPI_Comm comm() const { return renumbered_ == MPI_COMM_NULL ? MpiTest::comm() : renumbered_; }
  int rank() const { return renumbered_ == MPI_COMM_NULL ? MpiTest::rank() : rank_; }

  int root_of(const scene& s) const { return static_cast<int>(s.seed) % size(); }

  // Words from a rank to a rank; in place, alltoallv needs as many back.
  index_t length(const scene& s, int from, int to) const {
    if (has_equal_blocks(s.what) || s.lengths == block_lengths::all_long) return s.words;
    if (s.lengths == block_lengths::one_long) return length_beside_long_one(s, from, to);
    if (has_one_sent(s.what)) to = 0;
    if (s.is_in_place && to < from) std::swap(from, to);
    std::mt19937_64 random(s.seed * 7919U + static_cast<unsigned>(from * 64 + to));
    const auto draw = random() % 4;
    if (draw == 0) return 0;
    return draw == 1 ? 2 : static_cast<index_t>(random() % static_cast<std::uint64_t>(s.words / 2 + 1)) * 2;
  }

  index_t length_beside_long_one(const scene& s, int from, int to) const {
    if (has_one_sent(s.what)) return from == (root_of(s) + 1) % size() ? s.words : 0;
    return to == (from + 1) % size() ? s.words : 2;
  }

  std::vector<index_t> lengths(const scene& s, bool is_send) const {
    const bool is_alone = is_send ? has_one_sent(s.what) : is_from_root(s.what);
    const bool is_absent =
        is_send ? is_from_root(s.what) && rank() != root_of(s) : is_to_root(s.what) && rank() != root_of(s);
    std::vector<index_t> list;
    if (is_absent) return list;
    const int from = is_from_root(s.what) ? root_of(s) : rank();
    if (is_alone) return {is_send ? length(s, rank(), 0) : length(s, from, rank())};
    for (int r = 0; r < size(); ++r) list.push_back(is_send ? length(s, rank(), r) : length(s, r, rank()));
    return list;
  }

  auto words_from(const scene& s, int from, int to) const {
    return [&s, from, to = has_one_sent(s.what) ? 0 : to](index_t i) { return word_of(s.seed, from, to, i); };
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
    const bool needs_luck = std::string_view(a.name) == "near-direct" || std::string_view(a.name) == "near-cma";
    const bool is_expected = a.serves(e.surroundings()) && !needs_luck && size() > 1;
    EXPECT_TRUE(accelerated_ > 0 || !is_expected) << a.name;
    accelerated_ = 0;
  }

 private:
  MPI_Comm renumbered_ = MPI_COMM_NULL;
  int rank_ = 0, accelerated_ = 0;

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

inline void stagger(unsigned seed, int rank) {
  if ((seed * 7 + static_cast<unsigned>(rank) * 3) % 11 == 0) nearfar::test::fall_behind();
}

}  // namespace nearfar::collective::test
