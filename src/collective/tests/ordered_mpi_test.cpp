// SPDX-License-Identifier: BSD-3-Clause
// NEARFAR_REPRODUCIBLE=order: sums of numbers that round have the bits of a serial loop over the ranks, on any nodes
// and at any size.
#include <collective/engine.hpp>
#include <cstdlib>
#include <cstring>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>

#include "rounding_numbers.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3, 4}}};

class ordered : public nearfar::test::MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    setenv("NEARFAR_REPRODUCIBLE", "order", 1);
  }
  void TearDown() override {
    unsetenv("NEARFAR_REPRODUCIBLE");
    MpiTest::TearDown();
  }

  void check(engine& e, kind what, index_t count) const {
    const auto in = contribution(rank(), count);
    std::vector<double> out(as_size(count), -1);
    call c;
    c.what = what;
    c.op = MPI_SUM;
    c.root = size() - 1;
    c.send = {const_cast<double*>(in.data()), count, MPI_DOUBLE};
    c.receive = {out.data(), count, MPI_DOUBLE};
    bool was_native = false;
    e.run(c, [&] {
      was_native = true;
      return MPI_SUCCESS;
    });
    EXPECT_FALSE(was_native) << name_of(what) << ", " << count;
    if ((what == kind::reduce && rank() != c.root) || (what == kind::exscan && rank() == 0)) return;
    const auto wanted = serial_sum(0,
                                   what == kind::scan     ? rank()
                                   : what == kind::exscan ? rank() - 1
                                                          : size() - 1,
                                   count);
    EXPECT_EQ(0, std::memcmp(wanted.data(), out.data(), as_size(count) * sizeof(double)))
        << name_of(what) << ", " << count;
  }
};

TEST_F(ordered, sums_have_the_bits_of_a_serial_loop) {
  const team t(comm());
  engine e(t);
  for (const kind what : {kind::allreduce, kind::reduce, kind::scan, kind::exscan})
    for (const index_t count : {1, 5, 40, 63, 300, 1500, 9000, 70000}) check(e, what, count);
}

TEST_F(ordered, every_ordered_algorithm_gives_the_same_bits) {
  const team t(comm());
  for (const kind what : {kind::allreduce, kind::reduce, kind::scan, kind::exscan})
    for (const algorithm& a : algorithms_of(what)) {
      if (!a.is_ordered) continue;
      SCOPED_TRACE(a.name);
      setenv("NEARFAR_METHOD", (std::string("collective.") + name_of(what) + ":" + a.name).c_str(), 1);
      engine e(t);
      for (const index_t count : {3, 63, 700, 20000}) check(e, what, count);
    }
  unsetenv("NEARFAR_METHOD");
}

TEST_F(ordered, parts_of_different_lengths) {
  const team t(comm());
  for (const index_t unit : {1, 40, 9000}) {
    SCOPED_TRACE(unit);
    std::vector<int> counts(as_size(size()));
    index_t before = 0, all = 0;
    for (int r = 0; r < size(); ++r) {
      counts[as_size(r)] = static_cast<int>(unit * (r % 3));
      if (r < rank()) before += counts[as_size(r)];
      all += counts[as_size(r)];
    }
    const auto in = contribution(rank(), all);
    std::vector<double> out(as_size(counts[as_size(rank())]));
    reduce_scatter(t, in, out, counts, reduce_op::sum);
    const auto wanted = serial_sum(0, size() - 1, all);
    EXPECT_EQ(0, std::memcmp(wanted.data() + before, out.data(), out.size() * sizeof(double)));
  }
}

TEST_F(ordered, a_wish_that_nobody_knows_is_refused) {
  const team t(comm());
  setenv("NEARFAR_REPRODUCIBLE", "sideways", 1);
  EXPECT_THROW(engine e(t), usage_error);
}

}  // namespace
}  // namespace nearfar::collective::test
