// SPDX-License-Identifier: BSD-3-Clause
// Gathers that send each element to a node once: what travels is counted at MPI's own door, values are compared with
// the serial oracle. Alone: it replaces MPI_Isend.
#include <mpi_test.hpp>
#include <set>
#include <thread>

#include "random_references.hpp"

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {3, 4, 6}, .node_sizes = {2, 3}, .on_cluster = false}};

/// Bytes handed to MPI_Isend for ranks that are not near.
struct {
  const nearfar::team* members = nullptr;  ///< null: not counting
  nearfar::index_t bytes = 0, messages = 0;
} sent;

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (sent.members != nullptr && !sent.members->is_near(to)) {
    int size = 0;
    PMPI_Type_size(type, &size);
    sent.bytes += static_cast<nearfar::index_t>(count) * size;
    ++sent.messages;
  }
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace nearfar::test {
namespace {

class OnceTest : public MpiTest {
 protected:
  struct traffic {
    index_t bytes = 0, messages = 0;
  };
  template <class Step>
  traffic far_traffic(const team& t, Step step) {
    sent.bytes = sent.messages = 0;
    sent.members = &t;
    step();
    sent.members = nullptr;
    index_t mine[2] = {sent.bytes, sent.messages}, sum[2] = {};
    MPI_Allreduce(mine, sum, 2, MPI_INT64_T, MPI_SUM, comm());
    return {sum[0], sum[1]};
  }

  std::vector<int> node_of_all(const team& t) {
    const int mine = t.node();
    std::vector<int> all(static_cast<std::size_t>(size()));
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm());
    return all;
  }

  /// Elements that must cross: once per rank, and once per node; and the pairs of an owner and another rank or another
  /// node.
  struct needs {
    std::set<std::pair<int, index_t>> by_rank, by_node;
    std::set<std::pair<int, int>> ranks, nodes;
  };
  needs needs_of(const random_references& c, const team& t) {
    const std::vector<int> node = node_of_all(t);
    needs n;
    for (int r = 0; r < size(); ++r)
      for (const index_t g : c.references[static_cast<std::size_t>(r)]) {
        const int owner = c.owner[static_cast<std::size_t>(g)], to = node[static_cast<std::size_t>(r)];
        if (node[static_cast<std::size_t>(owner)] == to) continue;
        n.by_rank.emplace(r, g), n.by_node.emplace(to, g);
        n.ranks.emplace(owner, r), n.nodes.emplace(owner, to);
      }
    return n;
  }

  std::span<const index_t> mine(const random_references& c) { return c.references[static_cast<std::size_t>(rank())]; }

  /// The values of elements are their numbers, in two types.
  void check_values(irregular_plan& p, const random_references& c, index_t round) {
    std::vector<index_t> x(static_cast<std::size_t>(p.map().total()), -1);
    irregular_vector<float> y(p, 3);
    const auto& own = c.owned[static_cast<std::size_t>(rank())];
    for (std::size_t i = 0; i < own.size(); ++i) {
      x[i] = 7 * own[i] + round;
      y[static_cast<index_t>(3 * i + 2)] = static_cast<float>(own[i] - round);
    }
    p.gather_ghosts(x, y);
    const auto ghosts = p.ghost_indices();
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
      EXPECT_EQ(x[own.size() + i], 7 * ghosts[i] + round);
      EXPECT_EQ(y[static_cast<index_t>(3 * (own.size() + i) + 2)], static_cast<float>(ghosts[i] - round));
    }
    std::vector<index_t> out(mine(c).size());
    p.start_gather(std::span<const index_t>(x.data(), own.size()), out);
    while (!p.test()) std::this_thread::yield();
    p.finish();
    for (std::size_t k = 0; k < out.size(); ++k) EXPECT_EQ(out[k], 7 * mine(c)[k] + round);
  }
};

TEST_F(OnceTest, an_element_crosses_to_a_node_once) {
  const team t(comm());
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    random_references c(seed, t);
    const distribution d = c.make_distribution(t);
    const needs n = needs_of(c, t);
    irregular_plan once(d, mine(c), {.method = "once"}), plain(d, mine(c), {.method = "near-direct+isend"});
    for (irregular_plan* p : {&once, &plain}) {
      irregular_vector<double> x(*p);
      p->gather_ghosts(x);
      const traffic s = far_traffic(t, [&] { p->gather_ghosts(x); });
      EXPECT_EQ(p->describe().find("each once per node") != std::string::npos, p == &once && !n.by_node.empty());
      EXPECT_EQ(s.bytes, 8 * static_cast<index_t>(p == &once ? n.by_node.size() : n.by_rank.size()));
      EXPECT_EQ(s.messages, static_cast<index_t>(p == &once ? n.nodes.size() : n.ranks.size()));
    }
    for (index_t round = 0; round < 5; ++round) check_values(once, c, round);
    NEARFAR_ASSERT_ALL(!HasFailure());
  }
}

TEST_F(OnceTest, updated_plans_send_what_is_needed_now) {
  const team t(comm());
  for (const char* const method : {"once", "once-lanes"}) {
    SCOPED_TRACE(method);
    random_references c(5, t);
    const distribution d = c.make_distribution(t);
    irregular_plan p(d, mine(c), {.method = method});
    for (index_t change = 0; change < 4; ++change) {
      check_values(p, c, change);
      c.draw_references();
      p.update(mine(c));
      check_values(p, c, change);
      irregular_vector<double> x(p);
      const traffic s = far_traffic(t, [&] { p.gather_ghosts(x), p.gather_ghosts(x); });
      if (method != std::string("once-lanes")) {
        EXPECT_EQ(s.bytes, 2 * 8 * static_cast<index_t>(needs_of(c, t).by_node.size()));
      }
      NEARFAR_ASSERT_ALL(!HasFailure());
    }
  }
}

TEST_F(OnceTest, all_of_one_rank_by_all_others) {
  const team t(comm());
  const index_t elements = 1000;
  const distribution d = distribution::block_sizes(t, rank() == 0 ? elements : 0);
  std::vector<index_t> all(static_cast<std::size_t>(elements));
  std::iota(all.begin(), all.end(), index_t{0});
  irregular_plan p(d, all, {.method = "once"});
  std::vector<std::int32_t> x(all.size()), out(all.size());
  std::iota(x.begin(), x.end(), 5);
  const std::span<const std::int32_t> own(x.data(), static_cast<std::size_t>(d.owned()));
  p.gather(own, out);
  out.assign(out.size(), 0);
  const traffic s = far_traffic(t, [&] { p.gather(own, out); });
  EXPECT_EQ(s.bytes, 4 * elements * (t.nodes() - 1));
  EXPECT_EQ(s.messages, t.nodes() - 1);
  std::iota(x.begin(), x.end(), 5);
  EXPECT_EQ(out, x);
}

}  // namespace
}  // namespace nearfar::test
