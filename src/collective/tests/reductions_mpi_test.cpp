// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of every reduction gives what a serial loop over all contributions gives, in any mix and with ranks
// out of step.
#include <collective/engine.hpp>
#include <cstring>
#include <fake_clock.hpp>
#include <mpi_test.hpp>
#include <near/arena.hpp>
#include <numeric>
#include <out_of_step.hpp>
#include <random>

#include "../plain_call.hpp"
#include "affine.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.node_sizes = {0, 2}, .on_cluster = false}};

using words = std::vector<std::int64_t>;

// Whole numbers that every rank can compute for every other.
words contribution(int rank, index_t count, unsigned seed) {
  std::uint64_t state = seed * 1000003U + static_cast<unsigned>(rank) * 7919U + 1;
  words values(as_size(count));
  for (auto& v : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    v = static_cast<std::int64_t>(state >> 40) - (1 << 23);
  }
  return values;
}

class reductions : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    MPI_Op_create(compose, 0, &compose_);
  }
  void TearDown() override {
    MPI_Op_free(&compose_);
    MpiTest::TearDown();
  }

  MPI_Op operation(unsigned seed) const {
    const MPI_Op all[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR, compose_};
    return all[seed % 5];
  }

  words expected(MPI_Op op, int first, int last, index_t count, unsigned seed) const {
    words sum = contribution(first, count, seed);
    for (int r = first + 1; r <= last; ++r) {
      words next = contribution(r, count, seed);
      MPI_Reduce_local(sum.data(), next.data(), static_cast<int>(count), MPI_INT64_T, op);
      sum = next;
    }
    return sum;
  }

  // One call through the engine; `memory` is where input and output lie (null: the heap).
  void check(engine& e, kind what, index_t count, unsigned seed, bool is_in_place, std::byte* memory = nullptr) {
    const MPI_Op op = operation(seed);
    const int root = static_cast<int>(seed) % size();
    words heap(as_size(2 * count));
    auto* in = memory == nullptr ? heap.data() : reinterpret_cast<std::int64_t*>(memory);
    auto* out = in + count;
    const words mine = contribution(rank(), count, seed), before(as_size(count), -7);
    std::copy(mine.begin(), mine.end(), is_in_place ? out : in);
    if (!is_in_place) std::copy(before.begin(), before.end(), out);
    call c;
    c.what = what;
    c.op = op;
    c.root = root;
    c.send = {is_in_place ? MPI_IN_PLACE : in, count, MPI_INT64_T};
    c.receive = {out, count, MPI_INT64_T};
    if (what == kind::reduce && rank() != root) {
      c.send.data = is_in_place ? out : in;
      c.receive.data = nullptr;
    }
    e.run(c, [&] { return call_plainly(c, comm(), true); });
    compare(what, op, count, seed, words(out, out + count), is_in_place, root);
  }

  void compare(kind what, MPI_Op op, index_t count, unsigned seed, const words& got, bool is_in_place, int root) const {
    words wanted = is_in_place ? contribution(rank(), count, seed) : words(as_size(count), -7);
    if (what == kind::allreduce || (what == kind::reduce && rank() == root))
      wanted = expected(op, 0, size() - 1, count, seed);
    if (what == kind::scan) wanted = expected(op, 0, rank(), count, seed);
    if (what == kind::exscan && rank() > 0) wanted = expected(op, 0, rank() - 1, count, seed);
    if (what == kind::exscan && rank() == 0) return;  // undefined
    EXPECT_TRUE(wanted == got) << name_of(what) << ", " << count << " words, seed " << seed
                               << (is_in_place ? ", in place" : "");
  }

  static void stagger(unsigned seed, int rank) {
    if ((seed * 7 + static_cast<unsigned>(rank) * 3) % 11 == 0) nearfar::test::fall_behind();
  }

 private:
  MPI_Op compose_ = MPI_OP_NULL;
};

constexpr kind all_kinds[] = {kind::allreduce, kind::reduce, kind::scan, kind::exscan};

TEST_F(reductions, every_algorithm_by_name) {
  const team t(comm());
  for (const kind what : all_kinds)
    for (const algorithm& a : algorithms_of(what)) {
      setenv("NEARFAR_METHOD", (std::string("collective.") + name_of(what) + ":" + a.name).c_str(), 1);
      engine e(t);
      SCOPED_TRACE(a.name);
      unsigned seed = 0;
      for (const index_t count : {1, 2, 13, 140, 141, 1025, 5000, 40000}) {
        setting s = e.surroundings();
        s.bytes = count * 8;
        if (!a.serves(s)) continue;
        check(e, what, count, ++seed, false);
        check(e, what, count, ++seed, true);
      }
      check(e, what, 140000, ++seed, false);
    }
  unsetenv("NEARFAR_METHOD");
}

TEST_F(reductions, near_buffers) {
  const team t(comm());
  setenv("NEARFAR_METHOD", "near-direct", 1);
  engine e(t);
  e.expect_near_buffers();
  const auto block = near::arena::of(t).allocate(2 * 100000 * 8);
  unsigned seed = 100;
  for (const index_t count : {700, 5000, 100000}) {
    check(e, kind::allreduce, count, ++seed, false, block.data());
    check(e, kind::allreduce, count, ++seed, true, block.data());
    check(e, kind::allreduce, count, ++seed, false, rank() == 0 ? nullptr : block.data());
  }
  unsetenv("NEARFAR_METHOD");
}

// Of calls that repeat the last one the engine looks at the buffers only.
TEST_F(reductions, repeated_calls_alternate_in_place_and_not) {
  const team t(comm());
  engine e(t, {.tune_after = -1});
  for (const kind what : all_kinds)
    for (const index_t count : {10, 3000})
      for (const bool is_in_place : {false, false, true, true, false, true, false, false})
        check(e, what, count, 5, is_in_place);
}

TEST_F(reductions, any_mix_of_kinds_and_sizes_with_ranks_out_of_step) {
  const nearfar::test::clock_by_readings clock(MpiTest::rank());
  const team t(comm());
  engine e(t, {.tune_after = 9, .budget_s = 0.01});
  std::mt19937_64 random(4711);
  for (unsigned seed = 1000; seed < 1400; ++seed) {
    const kind what = all_kinds[random() % 4];
    const auto count = static_cast<index_t>(1 + random() % (random() % 8 == 0 ? 60000 : 200));
    stagger(seed, rank());
    check(e, what, count, seed, random() % 3 == 0);
  }
  std::int64_t calls = 0;
  e.for_records([&](kind, std::size_t, bool, const record& r) { calls += r.calls; });
  EXPECT_EQ(400, calls);
}

// On a clock by which a race takes as long as some calls: later ones come soon, and at the same call on any machine.
TEST_F(reductions, races_come_again_are_decided_alike_and_harm_no_result) {
  constexpr int wanted_races = 4;
  constexpr unsigned most_calls = 400;
  const nearfar::test::clock_by_readings clock(rank());
  const team t(comm());
  engine e(t, {.tune_after = 2, .budget_s = 1e-5});
  e.expect_near_buffers();
  const auto block = near::arena::of(t).allocate(2 * 20000 * 8);
  const auto races = [&] { return e.latest().races ? e.latest().races->races() : 0; };
  for (const index_t count : {40, 3000, 20000}) {
    unsigned seed = 1;
    for (bool is_seen = false; !is_seen && seed < most_calls; ++seed) {
      check(e, kind::allreduce, count, seed, seed % 5 == 0, seed % 3 == 0 ? nullptr : block.data());
      is_seen = size() == 1 ? seed > 3 : races() == wanted_races;
    }
    EXPECT_EQ(races(), size() > 1 ? wanted_races : 0);
    const record& r = e.latest();
    hash64 mine;
    mine.add(seed).add(r.tune_at).add(r.chosen != nullptr ? r.chosen->name : "mpi").add(r.goes_direct ? 1 : 0);
    const auto own = static_cast<std::int64_t>(mine.value());
    std::int64_t most = 0;
    MPI_Allreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, comm());
    EXPECT_EQ(most, own) << "ranks disagree on what the races said";
  }
}

// The test above has four races within so many calls.
TEST_F(reductions, one_race_only_where_that_is_wished) {
  const nearfar::test::clock_by_readings clock(rank());
  const team t(comm());
  engine e(t, {.tune_after = 2, .budget_s = 1e-5, .tunes_again = false});
  for (unsigned seed = 1; seed < 400; ++seed) check(e, kind::allreduce, 40, seed, false);
  EXPECT_EQ(e.latest().races ? e.latest().races->races() : 0, size() > 1 ? 1 : 0);
  EXPECT_EQ(e.latest().tune_at, -1);
}

// The root takes part when all others have made all calls: what they send waits for it, twice in the same slots.
TEST_F(reductions, ranks_run_ahead_of_the_root_in_a_stream) {
  constexpr auto calls = static_cast<unsigned>(node_segment::stream_slots);
  const team t(comm());
  if (t.nodes() > 1) return;
  engine e(t, {.tune_after = -1});
  e.inside().near->make_stream();
  for (unsigned round = 0; round < 2; ++round) {
    for (int r = 1; rank() == 0 && r < size(); ++r) MPI_Recv(nullptr, 0, MPI_BYTE, r, 0, comm(), MPI_STATUS_IGNORE);
    for (unsigned i = 0; i < calls; ++i)  // of root 0
      check(e, kind::reduce, 1 + i % 14, static_cast<unsigned>(size()) * (round * calls + i), i % 3 == 0);
    if (rank() != 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, comm());
    MPI_Barrier(comm());
  }
}

TEST_F(reductions, unknown_names_are_refused_by_all) {
  const team t(comm());
  setenv("NEARFAR_METHOD", "near-lines,allreduce:swift", 1);
  EXPECT_THROW(engine e(t), usage_error);
  unsetenv("NEARFAR_METHOD");
}

}  // namespace
}  // namespace nearfar::collective::test
