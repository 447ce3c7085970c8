// SPDX-License-Identifier: BSD-3-Clause
// Plans that are used for long enough to be raced again give the oracles' bits in every call, whichever method it
// tries.
#include <base/numbers.hpp>
#include <cstdlib>
#include <mpi_test.hpp>
#include <thread>

#include "random_references.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .node_sizes = {0, 2}, .on_cluster = false}};

constexpr int calls = 400;  // two races or so of each kind of call

class IrregularLaterRacesTest : public MpiTest {
 protected:
  void TearDown() override {
    unsetenv("NEARFAR_TUNE_AGAIN");
    MpiTest::TearDown();
  }

  static double element(index_t g, int round) {
    return value_of<double>(static_cast<std::uint64_t>(g), 1, static_cast<std::uint64_t>(round));
  }
  static double reference(std::size_t r, std::size_t k) { return value_of<double>(k + 1000, r, 5); }
  const std::vector<index_t>& mine(const std::vector<std::vector<index_t>>& lists) const {
    return lists[static_cast<std::size_t>(rank())];
  }
  std::vector<double> own(const random_references& c, int round) const {
    std::vector<double> x;
    for (const index_t g : mine(c.owned)) x.push_back(element(g, round));
    return x;
  }
  std::vector<std::vector<double>> values(const random_references& c) const {
    std::vector<std::vector<double>> all(c.references.size());
    for (std::size_t r = 0; r < all.size(); ++r)
      for (std::size_t k = 0; k < c.references[r].size(); ++k) all[r].push_back(reference(r, k));
    return all;
  }
  /// Own elements of round 0 after a scatter of values() to them.
  std::vector<double> sums(const random_references& c) const {
    std::vector<double> all;
    for (index_t g = 0; g < c.elements; ++g) all.push_back(element(g, 0));
    all = scattered(c, all, values(c), 1, scatter_order::plan, [](double a, double b) { return a + b; });
    std::vector<double> x;
    for (const index_t g : mine(c.owned)) x.push_back(all[static_cast<std::size_t>(g)]);
    return x;
  }
  static bool same_bits(const std::vector<double>& a, const double* b) {
    return a.empty() || std::memcmp(a.data(), b, a.size() * sizeof(double)) == 0;
  }

  /// Gathers of ever new elements, on arrays in near memory or the caller's own, whole or started.
  int wrong_gathers(irregular_plan& p, const random_references& c, std::span<double> x) {
    int wrong = 0;
    std::vector<double> out(mine(c.references).size());
    for (int i = 0; i < calls; ++i) {
      const std::vector<double> now = own(c, i);
      std::copy(now.begin(), now.end(), x.begin());
      if (i % 3 == 0)
        p.start_gather(x, out), p.finish();
      else
        p.gather(x, out);
      for (std::size_t k = 0; k < out.size(); ++k) wrong += out[k] != element(mine(c.references)[k], i);
    }
    return wrong;
  }
  int wrong_scatters(irregular_plan& p, const random_references& c, std::span<double> x) {
    int wrong = 0;
    const std::vector<double> before = own(c, 0), given = mine(values(c)), wanted = sums(c);
    for (int i = 0; i < calls; ++i) {
      std::copy(before.begin(), before.end(), x.begin());
      p.scatter(given, x);
      wrong += same_bits(wanted, x.data()) ? 0 : 1;
    }
    return wrong;
  }
  std::vector<double> mine(const std::vector<std::vector<double>>& lists) const {
    return lists[static_cast<std::size_t>(rank())];
  }
  static std::span<double> span_of(irregular_vector<double>& x) { return {x.data(), x.size()}; }
  static bool has_later_races(const irregular_plan& p) { return p.describe().find("later races") != std::string::npos; }
};

/// Every rank has ghosts of every other one, in blocks: races are held.
struct all_to_all {
  index_t elements;
  distribution where;
  std::vector<index_t> refs;
  explicit all_to_all(const team& t) : elements(40 * t.size()), where(distribution::cyclic(t, elements)) {
    for (index_t g = 0; g < elements; ++g) refs.push_back(g);
  }
};

TEST_F(IrregularLaterRacesTest, results_are_those_of_the_oracles_in_every_call) {
  const team t(comm());
  for (const unsigned seed : {21U, 24U}) {  // ranks without elements and without references are among them
    SCOPED_TRACE(seed);
    random_references c(seed, t);
    const distribution d = c.make_distribution(t);
    irregular_plan p(d, mine(c.references), {.budget_s = 0.01});
    for (int round = 0; round < 2; ++round) {
      irregular_vector<double> near(p);
      std::vector<double> plain(near.size());
      EXPECT_EQ(wrong_gathers(p, c, span_of(near)), 0);
      EXPECT_EQ(wrong_scatters(p, c, plain), 0);
      EXPECT_EQ(wrong_gathers(p, c, plain), 0);
      EXPECT_EQ(wrong_scatters(p, c, span_of(near)), 0);
      c.draw_references();
      p.update(mine(c.references));
    }
  }
}

/// Thirds and the like, whose sum depends on the order: own element, then the ghosts by ascending rank.
TEST_F(IrregularLaterRacesTest, ghosts_are_added_to_the_same_bits) {
  const team t(comm());
  const all_to_all a(t);
  irregular_plan p(a.where, a.refs, {.budget_s = 0.01});
  irregular_vector<double> x(p);
  int wrong = 0;
  const auto ghost = [](index_t g, int r, int i) { return 1.0 / static_cast<double>(3 * g + 7 * r + i + 1); };
  for (int i = 0; i < 3 * calls; ++i) {
    for (const index_t g : a.refs) {
      const auto at = p.local_indices()[static_cast<std::size_t>(g)];
      x.data()[at] = at < p.map().owned() ? element(g, i) : ghost(g, t.rank(), i);
    }
    p.assemble_ghosts(x, reduce_op::sum);
    for (const index_t g : a.refs) {
      double sum = element(g, i);
      for (int r = 0; r < t.size(); ++r)
        if (r != static_cast<int>(g % t.size())) sum += ghost(g, r, i);
      wrong += x.data()[p.local_indices()[static_cast<std::size_t>(g)]] != sum;
    }
  }
  EXPECT_EQ(wrong, 0);
  const bool is_by_messages = p.method() == "isend";  // which a first race on too few cores may find; they stay
  EXPECT_EQ(has_later_races(p), t.nodes() == 1 && !is_by_messages) << p.describe();
}

TEST_F(IrregularLaterRacesTest, none_where_the_method_is_pinned_or_unwanted) {
  const team t(comm());
  const all_to_all a(t);
  std::vector<double> x(static_cast<std::size_t>(a.elements));
  setenv("NEARFAR_TUNE_AGAIN", "0", 1);
  irregular_plan unwanted(a.where, a.refs, {.budget_s = 0.01});
  unsetenv("NEARFAR_TUNE_AGAIN");
  irregular_plan pinned(a.where, a.refs, {.method = "isend"});
  for (irregular_plan* p : {&unwanted, &pinned}) {
    const std::string method = p->method();
    for (int i = 0; i < calls; ++i) p->gather_ghosts(x);
    EXPECT_EQ(p->method(), method);
    EXPECT_FALSE(has_later_races(*p));
  }
  setenv("NEARFAR_TUNE_AGAIN", "often", 1);
  EXPECT_THROW((irregular_plan{a.where, a.refs, {.budget_s = 0.02}}), usage_error);
}

/// Messages of the program's own, and late ranks, between start and finish.
TEST_F(IrregularLaterRacesTest, other_traffic_may_pass_between_start_and_finish) {
  const team t(comm());
  const all_to_all a(t);
  irregular_plan p(a.where, a.refs, {.budget_s = 0.01}), q(a.where, a.refs, {.budget_s = 0.01});
  irregular_vector<double> x(p), y(q);
  int wrong = 0;
  const int right = (t.rank() + 1) % t.size(), left = (t.rank() + t.size() - 1) % t.size();
  for (int i = 0; i < calls; ++i) {
    for (index_t k = 0; k < p.map().owned(); ++k)
      x.data()[k] = y.data()[k] = static_cast<double>(k * t.size() + t.rank() + i);
    p.start_gather_ghosts(x);
    q.start_gather_ghosts(y);
    int passed = -1;
    if (t.rank() == 0) MPI_Send(&i, 1, MPI_INT, right, 3, comm());  // round the ranks: each waits for the one before
    MPI_Recv(&passed, 1, MPI_INT, left, 3, comm(), MPI_STATUS_IGNORE);
    if (t.rank() != 0) MPI_Send(&passed, 1, MPI_INT, right, 3, comm());
    while (i % 2 == 0 && !p.test()) std::this_thread::yield();
    p.finish();
    q.finish();
    for (std::size_t g = 0; g < a.refs.size(); ++g) {
      wrong += x.data()[p.local_indices()[g]] != static_cast<double>(g) + i;
      wrong += y.data()[q.local_indices()[g]] != static_cast<double>(g) + i;
    }
  }
  EXPECT_EQ(wrong, 0);
}

/// Plans are freed in every stage of a race, and the next one takes over their notification table.
TEST_F(IrregularLaterRacesTest, plans_may_be_freed_in_the_middle_of_a_race) {
  const team t(comm());
  const all_to_all a(t);
  for (int end = 158; end < 200; end += 3) {
    irregular_plan p(a.where, a.refs, {.budget_s = 0.01});
    irregular_vector<double> x(p);
    for (int i = 0; i < end; ++i) {
      for (index_t k = 0; k < p.map().owned(); ++k) x.data()[k] = static_cast<double>(k * t.size() + t.rank() + i);
      p.gather_ghosts(x);
    }
    for (std::size_t g = 0; g < a.refs.size(); ++g)
      EXPECT_EQ(x.data()[p.local_indices()[g]], static_cast<double>(g) + end - 1);
  }
}

/// What method() says can be pinned.
TEST_F(IrregularLaterRacesTest, two_methods_have_a_name) {
  const team t(comm());
  const all_to_all a(t);
  for (const char* name : {"near-streamed/near-direct", "near-direct/near-staged"}) {
    if (t.nodes() > 1) continue;
    irregular_plan p(a.where, a.refs, {.method = name});
    EXPECT_EQ(p.method(), name);
    irregular_vector<double> x(p);
    for (index_t k = 0; k < p.map().owned(); ++k) x.data()[k] = static_cast<double>(k * t.size() + t.rank());
    p.gather_ghosts(x);
    p.scatter_ghosts(x, reduce_op::sum);
    for (index_t k = 0; k < p.map().owned(); ++k)
      EXPECT_EQ(x.data()[k], t.size() * static_cast<double>(k * t.size() + t.rank()));
  }
  EXPECT_THROW((irregular_plan{a.where, a.refs, {.method = "near-direct/isend"}}), usage_error);
}

}  // namespace
}  // namespace nearfar::test
