// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm between nodes gives what a loop over all contributions gives: any mapping of ranks to nodes, any
// root, in place, operations that do not commute, ranks out of step.
#include <base/clock.hpp>
#include <base/internals.hpp>
#include <collective/engine.hpp>
#include <mpi_test.hpp>
#include <out_of_step.hpp>
#include <random>
#include <string_view>
#include <topology/team_state.hpp>

#include "affine.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3, 4, 6}, .node_sizes = {0, 2}}};

using words = std::vector<std::int64_t>;

// Element i of what `rank` contributes: every rank can compute it for every other.
std::int64_t element(int rank, index_t i, unsigned seed) {
  auto v = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ULL +
           static_cast<std::uint64_t>(rank) * 0xbf58476d1ce4e5b9ULL + seed;
  v = (v ^ (v >> 30)) * 0x94d049bb133111ebULL;
  return static_cast<std::int64_t>(v ^ (v >> 31));
}

words contribution(int rank, index_t count, unsigned seed) {
  words values(as_size(count));
  for (index_t i = 0; i < count; ++i) values[as_size(i)] = element(rank, i, seed);
  return values;
}

constexpr std::int64_t untouched = -77;

// One call of one algorithm and what it must give.
struct test_case {
  kind what;
  index_t count;  ///< elements of a block
  int root;
  unsigned seed;
  bool is_in_place;
  MPI_Op op;
};

bool combines(kind what) {
  return what == kind::reduce || what == kind::allreduce || what == kind::scan || what == kind::exscan ||
         what == kind::reduce_scatter_block;
}

class oracle {
 public:
  oracle(const test_case& t, int rank, int ranks) : t_(t), rank_(rank), ranks_(ranks) {}

  index_t in_blocks() const {
    return t_.what == kind::alltoall || t_.what == kind::reduce_scatter_block || (t_.what == kind::scatter && is_root())
               ? ranks_
               : 1;
  }
  index_t out_blocks() const {
    const bool has_all =
        t_.what == kind::allgather || t_.what == kind::alltoall || (t_.what == kind::gather && is_root());
    return has_all ? ranks_ : 1;
  }
  bool is_root() const { return rank_ == t_.root; }

  words input(int rank) const {
    const bool has_all = t_.what == kind::alltoall || t_.what == kind::reduce_scatter_block || t_.what == kind::scatter;
    return contribution(rank, t_.count * (has_all ? ranks_ : 1), t_.seed);
  }

  words output() const {
    switch (t_.what) {
      case kind::barrier:
        return words(as_size(t_.count), untouched);
      case kind::bcast:
        return input(t_.root);
      case kind::reduce:
        return is_root() ? combined(0, ranks_ - 1) : words(as_size(t_.count), untouched);
      case kind::allreduce:
        return combined(0, ranks_ - 1);
      case kind::scan:
        return combined(0, rank_);
      case kind::exscan:
        return rank_ == 0 ? words(as_size(t_.count), untouched) : combined(0, rank_ - 1);
      case kind::reduce_scatter_block:
        return block(combined(0, ranks_ - 1), rank_);
      case kind::scatter:
        return block(input(t_.root), rank_);
      case kind::gather:
        return is_root() ? all_of(false) : words(as_size(t_.count), untouched);
      case kind::allgather:
        return all_of(false);
      default:
        return all_of(true);
    }
  }

 private:
  words block(const words& all, int r) const { return {all.begin() + r * t_.count, all.begin() + (r + 1) * t_.count}; }
  words all_of(bool is_mine_among_theirs) const {
    words all;
    for (int r = 0; r < ranks_; ++r) {
      const words from = is_mine_among_theirs ? block(input(r), rank_) : input(r);
      all.insert(all.end(), from.begin(), from.end());
    }
    return all;
  }
  words combined(int first, int last) const {
    words sum = input(first);
    for (int r = first + 1; r <= last; ++r) {
      words next = input(r);
      MPI_Reduce_local(sum.data(), next.data(), static_cast<int>(next.size()), MPI_INT64_T, t_.op);
      sum = next;
    }
    return sum;
  }

  test_case t_;
  int rank_, ranks_;
};

class between_nodes_of_a_team : public nearfar::test::MpiTest {
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
    const MPI_Op all[] = {MPI_SUM, compose_, MPI_BXOR, MPI_MAX};
    return all[seed % 4];
  }

  void run(engine& e, const algorithm& a, const test_case& t) {
    const team& members = e.team();
    const oracle truth(t, members.rank(), members.size());
    const words mine = truth.input(members.rank());
    words in(as_size(truth.in_blocks() * t.count)), out(as_size(truth.out_blocks() * t.count), untouched);
    std::copy_n(mine.begin(), in.size(), in.begin());
    job j = make_job(t, in, out, members);
    if (t.what == kind::bcast) {
      if (members.rank() == t.root) out = mine;
      j.in = j.out;
    }
    if (t.is_in_place) put_in_place(t, truth, members, in, out, j);
    a.run(e.inside(), j);
    const bool is_right =
        t.is_in_place && t.what == kind::scatter && truth.is_root() ? in == mine : out == truth.output();
    if (t.what == kind::exscan && members.rank() == 0) return;  // undefined there
    EXPECT_TRUE(is_right) << name_of(t.what) << ' ' << a.name << ", " << t.count << " words, root " << t.root
                          << ", seed " << t.seed << (t.is_in_place ? ", in place" : "");
  }

  static job make_job(const test_case& t, words& in, words& out, const team& members) {
    job j;
    j.what = t.what;
    j.root = t.root;
    j.in = reinterpret_cast<const std::byte*>(in.data());
    j.out = reinterpret_cast<std::byte*>(out.data());
    j.count = t.count * (t.what == kind::reduce_scatter_block ? members.size() : 1);
    j.bytes = j.count * 8;
    if (combines(t.what)) j.op = reduction::reducer::of(t.op, MPI_INT64_T);
    return j;
  }

  static void put_in_place(const test_case& t, const oracle& truth, const team& members, words& in, words& out,
                           job& j) {
    const index_t own = members.rank() * t.count;
    if (t.what == kind::allreduce || t.what == kind::scan || t.what == kind::exscan ||
        (t.what == kind::reduce && truth.is_root())) {
      out = in;
      j.in = j.out;
    } else if (t.what == kind::allgather || (t.what == kind::gather && truth.is_root())) {
      std::copy(in.begin(), in.end(), out.begin() + own);
      j.in = j.out + own * 8;
    } else if (t.what == kind::scatter && truth.is_root()) {
      j.out = reinterpret_cast<std::byte*>(in.data() + own);
    }
  }

  // All algorithms between nodes that serve, at sizes around their limits; returns how many calls there were.
  int check_all(const team& members) {
    engine e(members);
    e.inside().near->make_ring(ring_bytes);
    int calls = 0;
    unsigned seed = 0;
    for (std::size_t k = 0; k < kinds; ++k)
      for (const algorithm& a : algorithms_of(static_cast<kind>(k))) {
        if (!std::string_view(a.name).starts_with("far-") || !has_equal_blocks(a.what)) continue;
        for (const index_t count : {1, 3, 17, 140, 141, 700, 1025, 5003, 30011, 131072}) {
          const test_case t{
              static_cast<kind>(k), count, static_cast<int>(seed / 2) % members.size(), seed, seed % 3 == 1,
              operation(seed / 3)};
          ++seed;
          if (!serves(e, a, t)) continue;
          if (seed % 5 == static_cast<unsigned>(rank()) % 5) nearfar::test::fall_behind();
          run(e, a, t);
          ++calls;
        }
      }
    return calls;
  }

  static bool serves(const engine& e, const algorithm& a, const test_case& t) {
    setting s = e.surroundings();
    int is_commutative = 1;
    if (combines(t.what)) MPI_Op_commutative(t.op, &is_commutative);
    s.is_commutative = is_commutative != 0;
    s.bytes = t.what == kind::barrier ? 0 : t.count * 8 * (t.what == kind::reduce_scatter_block ? s.ranks : 1);
    return a.serves(s);
  }

  MPI_Op compose_ = MPI_OP_NULL;
};

TEST_F(between_nodes_of_a_team, every_algorithm_by_name) {
  for (const int node_size : {0, 2, 3}) {
    const team t(comm(), {.node_size = node_size});
    SCOPED_TRACE(node_size);
    const int calls = check_all(t);
    if (t.nodes() > 1 && state_of(t).largest_node > 1) {
      EXPECT_LT(40, calls);
    }
  }
}

// On separate nodes these numberings run around the nodes, or back and forth.
TEST_F(between_nodes_of_a_team, ranks_numbered_in_other_orders) {
  for (const int order : {0, 1}) {
    MPI_Comm permuted = MPI_COMM_NULL;
    const int key = order == 0 ? -rank() : rank() % 2 * size() + rank();
    MPI_Comm_split(comm(), 0, key, &permuted);
    {
      const team t(permuted, {.node_size = 2});
      SCOPED_TRACE(order);
      check_all(t);
    }
    MPI_Comm_free(&permuted);
  }
}

// One rank comes when all others have said that they are there, and gives the core away first. Nodes, emulated and
// separate, share the kernel's clock, which tells the order of events on several ranks.
TEST_F(between_nodes_of_a_team, barrier_waits_for_all) {
  const team t(comm(), {.node_size = 2});
  engine e(t);
  for (int i = 0; i < 20; ++i) {
    const int late = i % size();
    if (rank() == late) {
      for (int r = 0; r < size(); ++r)
        if (r != late) MPI_Recv(nullptr, 0, MPI_INT, r, i, comm(), MPI_STATUS_IGNORE);
      nearfar::test::fall_behind();
    } else {
      MPI_Send(nullptr, 0, MPI_INT, late, i, comm());
    }
    double entered = seconds_now();
    call c;
    c.what = kind::barrier;
    e.run(c, [&] { return MPI_Barrier(comm()); });
    const double left = seconds_now();
    MPI_Allreduce(MPI_IN_PLACE, &entered, 1, MPI_DOUBLE, MPI_MAX, comm());
    EXPECT_LE(entered, left);
  }
}

TEST_F(between_nodes_of_a_team, any_mix_with_ranks_out_of_step) {
  const team members(comm(), {.node_size = 2});
  engine e(members);
  e.inside().near->make_ring(ring_bytes);
  std::mt19937_64 random(99);
  for (unsigned seed = 0; seed < 500; ++seed) {
    const auto what = static_cast<kind>(random() % kinds);
    const auto all = algorithms_of(what);
    if (what == kind::barrier || all.empty() || !has_equal_blocks(what)) continue;
    const algorithm& a = all[random() % all.size()];
    const auto count = static_cast<index_t>(1 + random() % (random() % 6 == 0 ? 20000 : 150));
    const test_case t{what,
                      count,
                      static_cast<int>(random() % static_cast<unsigned>(size())),
                      seed,
                      random() % 3 == 0,
                      operation(static_cast<unsigned>(random() % 4))};
    if (!std::string_view(a.name).starts_with("far-") || !serves(e, a, t)) continue;
    if ((seed * 7 + static_cast<unsigned>(rank()) * 3) % 11 == 0) nearfar::test::fall_behind();
    run(e, a, t);
  }
}

}  // namespace
}  // namespace nearfar::collective::test
