// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter and reduce_scatter_block: each rank gets its part of what a serial loop over all contributions gives.
#include <collective/engine.hpp>
#include <fake_clock.hpp>
#include <mpi_test.hpp>
#include <numeric>
#include <out_of_step.hpp>
#include <random>

#include "../plain_call.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3, 4}, .node_sizes = {0, 2}}};

using words = std::vector<std::int64_t>;

words contribution(int rank, index_t count, unsigned seed) {
  std::mt19937_64 random(seed * 1000003U + static_cast<unsigned>(rank));
  words values(as_size(count));
  for (auto& v : values) v = static_cast<std::int64_t>(random() % 2001) - 1000;
  return values;
}

// Composition of x -> a x + b, which does not commute.
struct affine {
  std::uint32_t a, b;
};
void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const auto* f = static_cast<const affine*>(in);
  auto* g = static_cast<affine*>(inout);
  for (int i = 0; i < *count * bytes / 8; ++i) g[i] = {f[i].a * g[i].a, f[i].b * g[i].a + g[i].b};
}

constexpr int long_element = 300;  // words

class reduce_scatters : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    MPI_Op_create(compose, 0, &compose_);
    MPI_Type_contiguous(long_element, MPI_INT64_T, &long_type_);
    MPI_Type_commit(&long_type_);
  }
  void TearDown() override {
    MPI_Type_free(&long_type_);
    MPI_Op_free(&compose_);
    MpiTest::TearDown();
  }

  MPI_Op operation(unsigned seed) const {
    const MPI_Op all[] = {MPI_SUM, MPI_MAX, compose_, MPI_BXOR};
    return all[seed % 4];
  }

  words expected(MPI_Op op, index_t count, unsigned seed) const {
    words sum = contribution(0, count, seed);
    for (int r = 1; r < size(); ++r) {
      words next = contribution(r, count, seed);
      MPI_Reduce_local(sum.data(), next.data(), static_cast<int>(count), MPI_INT64_T, op);
      sum = next;
    }
    return sum;
  }

  // Elements of each rank.
  std::vector<int> parts(kind what, index_t count, unsigned seed) const {
    std::mt19937_64 random(seed);
    std::vector<int> list(as_size(size()), static_cast<int>(count));
    if (what == kind::reduce_scatter)
      for (int& n : list) n = random() % 4 == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(count + 1));
    return list;
  }

  void check(engine& e, kind what, index_t count, unsigned seed, bool is_in_place, bool has_long_elements = false) {
    const MPI_Op op = has_long_elements ? compose_ : operation(seed);
    const index_t element = has_long_elements ? long_element : 1;
    const std::vector<int> list = parts(what, count, seed);
    const index_t total = element * std::accumulate(list.begin(), list.end(), index_t{0});
    const index_t before = element * std::accumulate(list.begin(), list.begin() + rank(), index_t{0});
    const index_t own = element * list[as_size(rank())];
    words in = contribution(rank(), total, seed);
    words out(as_size(own + 1), -7);
    const words sent = in;
    call c;
    c.what = what;
    c.op = op;
    c.send.data = is_in_place ? MPI_IN_PLACE : in.data();
    c.receive.data = is_in_place ? in.data() : own == 0 ? nullptr : out.data();
    c.receive.type = has_long_elements ? long_type_ : MPI_INT64_T;
    c.receive.count = list[0];
    c.receive.counts = number_list(list.data());
    EXPECT_EQ(MPI_SUCCESS, e.run(c, [&] { return call_plainly(c, comm(), true); }));
    const words all = expected(op, total, seed);
    const words wanted(all.begin() + before, all.begin() + before + own);
    const words& got = is_in_place ? in : out;
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), got.begin()))
        << name_of(what) << ", " << count << " elements, seed " << seed << (is_in_place ? ", in place" : "");
    EXPECT_TRUE(is_in_place || (in == sent && out.back() == -7));
  }

 private:
  MPI_Op compose_ = MPI_OP_NULL;
  MPI_Datatype long_type_ = MPI_DATATYPE_NULL;
};

constexpr kind both_kinds[] = {kind::reduce_scatter, kind::reduce_scatter_block};

/// Calls body(engine, kind) with each algorithm pinned in turn.
template <class Body>
void for_each_algorithm(MPI_Comm comm, Body body) {
  const team t(comm);
  for (const kind what : both_kinds)
    for (const algorithm& a : algorithms_of(what)) {
      setenv("NEARFAR_METHOD", (std::string("collective.") + name_of(what) + ":" + a.name).c_str(), 1);
      engine e(t);
      SCOPED_TRACE(a.name);
      body(e, what);
    }
  unsetenv("NEARFAR_METHOD");
}

TEST_F(reduce_scatters, every_algorithm_by_name) {
  for_each_algorithm(comm(), [&](engine& e, kind what) {
    unsigned seed = 0;
    for (const index_t count : {1, 7, 20, 100, 5000, 60000}) {
      check(e, what, count, ++seed, false);
      check(e, what, count, ++seed, true);
    }
    for (const index_t count : {1, 3, 50}) check(e, what, count, ++seed, count == 3, true);
  });
}

// A rank's result is written over what its input has for others, and for itself a little further on.
TEST_F(reduce_scatters, results_in_place_overlap_the_input_with_every_method) {
  for_each_algorithm(comm(), [&](engine& e, kind what) {
    for (unsigned seed = 2000; seed < 2040; ++seed) check(e, what, seed % 5 == 0 ? 20000 : 30, seed, true);
  });
}

TEST_F(reduce_scatters, any_mix_with_ranks_out_of_step) {
  const nearfar::test::clock_by_readings clock(MpiTest::rank());
  const team t(comm());
  engine e(t, {.tune_after = 9, .budget_s = 0.01});
  std::mt19937_64 random(4712);
  for (unsigned seed = 1000; seed < 1120; ++seed) {
    const kind what = both_kinds[random() % 2];
    const auto count = static_cast<index_t>(1 + random() % (random() % 8 == 0 ? 8000 : 40));
    if ((seed * 7 + static_cast<unsigned>(rank()) * 3) % 11 == 0) nearfar::test::fall_behind();
    check(e, what, count, seed, random() % 3 == 0);
  }
}

}  // namespace
}  // namespace nearfar::collective::test
