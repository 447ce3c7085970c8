// SPDX-License-Identifier: BSD-3-Clause
// Blocks of many lengths between nodes: each algorithm by name and any mix, however ranks are numbered, delivers every
// word where it belongs and touches nothing else.
#include <optional>
#include <random>
#include <string_view>

#include "data_movement.hpp"

namespace nearfar::collective::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {3, 4, 6}, .node_sizes = {2, 3}}};

class far_data_movement : public data_movement {
 protected:
  // Around the node, or back and forth.
  void renumber_by(int order) {
    renumber(order == 1 ? -MpiTest::rank() : MpiTest::rank() % 2 * size() + MpiTest::rank());
  }

  void check_all(engine& e, const algorithm& a) {
    unsigned seed = 0;
    // Blocks of 8 kB and a little less are the longest that travel packed.
    for (const index_t words : {2, 282, 3900, 4300, 12000, 150000}) {
      seed += 3;
      if (words > 10000 && size() > 4) continue;  // many ranks on few cores take long
      check(e, {a.what, seed, words}, &a);
      check(e, {a.what, seed + 1, words, true, seed % 2 == 1}, &a);
      if (words < 100000) check(e, {a.what, seed + 2, words, seed % 4 == 1, true}, &a);
    }
    expect_accelerated(a, e);
  }

  // The first of each node, which speak to other nodes, and the root come late, or the others.
  void check_around_limits(engine& e, const algorithm& a) {
    unsigned seed = 0;
    for (const index_t words : {280, 1024, 2032, 2048, 8192})
      for (const index_t more : {-2, 0, 2})
        for (const auto lengths : {block_lengths::all_long, block_lengths::all_long, block_lengths::one_long}) {
          scene s{a.what, ++seed, words + more};
          s.lengths = lengths;
          const bool speaks = e.team().near_rank() == 0 || rank() == root_of(s);
          if (speaks == (seed % 2 == 0)) nearfar::test::fall_behind();
          check(e, s, &a);
        }
  }
};

TEST_F(far_data_movement, every_algorithm_by_name) {
  for (const int order : {0, 1, 2}) {
    if (order > 0) renumber_by(order);
    const team t(comm());
    engine e(t);
    SCOPED_TRACE(order);
    for (const kind what :
         {kind::bcast, kind::gatherv, kind::scatterv, kind::allgatherv, kind::alltoallv, kind::alltoallw})
      for (const algorithm& a : algorithms_of(what)) {
        if (!std::string_view(a.name).starts_with("far-")) continue;
        SCOPED_TRACE(a.name);
        check_all(e, a);
        if (order == 0) check_around_limits(e, a);
      }
  }
}

// Pins reach the kinds that have an algorithm of that name; the race takes whatever it likes.
TEST_F(far_data_movement, any_mix_of_kinds_and_sizes_with_ranks_out_of_step) {
  const nearfar::test::clock_by_readings clock(MpiTest::rank());
  const team t(comm());
  for (const char* pin : {"", "far-pairs,far-leaders,far-lanes", "far-lanes"}) {
    setenv("NEARFAR_METHOD", pin, 1);
    engine e(t, {.tune_after = 5, .budget_s = 0.01});
    unsetenv("NEARFAR_METHOD");
    SCOPED_TRACE(pin);
    std::mt19937_64 random(4713);
    for (unsigned seed = 1000; seed < 1060; ++seed) {
      const kind what = random() % 4 == 0 ? even_kinds[random() % 5] : uneven_kinds[random() % 5];
      const auto words = static_cast<index_t>(1 + random() % (random() % 8 == 0 ? 12000 : 100)) * 2;
      stagger(seed, rank());
      check(e, {what, seed, words, random() % 3 == 0, random() % 4 == 0});
    }
  }
}

}  // namespace
}  // namespace nearfar::collective::test
