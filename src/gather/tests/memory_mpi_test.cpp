// SPDX-License-Identifier: BSD-3-Clause
// What plans hold: bytes that operator new has given and not got back, counted.
// Alone: it replaces operator new.
#include <malloc.h>

#include <atomic>
#include <base/text.hpp>
#include <cstdlib>
#include <mpi_test.hpp>
#include <new>

#include "random_gather.hpp"

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 4}, .node_sizes = {1, 2}, .on_cluster = false}};
std::atomic<long long> held{0};

void* taken(std::size_t bytes) {
  void* p = std::malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  held += static_cast<long long>(malloc_usable_size(p));
  return p;
}
void given_back(void* p) noexcept {
  held -= static_cast<long long>(malloc_usable_size(p));
  std::free(p);
}
}  // namespace

void* operator new(std::size_t bytes) { return taken(bytes); }
void* operator new[](std::size_t bytes) { return taken(bytes); }
void operator delete(void* p) noexcept { given_back(p); }
void operator delete[](void* p) noexcept { given_back(p); }
void operator delete(void* p, std::size_t) noexcept { given_back(p); }
void operator delete[](void* p, std::size_t) noexcept { given_back(p); }

namespace nearfar::test {
namespace {

/// Besides what grows with the references.
constexpr long long fixed_bytes = 64 * 1024;

class GatherMemoryTest : public MpiTest {
 protected:
  /// Each rank refers to the other's elements, all of them, three times.
  std::vector<index_t> references(index_t each) const {
    std::vector<index_t> refs;
    for (index_t k = 0; k < 3 * each; ++k) refs.push_back((1 - rank()) * each + 7 * k % each);
    return refs;
  }
};

TEST_F(GatherMemoryTest, a_far_reference_costs_4_bytes_and_a_remote_element_16) {
  const team t(comm());
  if (size() != 2 || t.nodes() != 2) GTEST_SKIP() << "counts for two far ranks";
  constexpr index_t each = 100'000;
  const distribution d = distribution::block(t, each * size());
  const std::vector<index_t> refs = references(each);
  std::vector<double> x(static_cast<std::size_t>(2 * each));
  for (const char* const method : {"isend", "parts", "persistent"}) {
    SCOPED_TRACE(method);
    { const gather_plan first(d, refs, {.method = method}); }  // what a team makes once
    const long long before = held;
    gather_plan p(d, refs, {.method = method});
    EXPECT_EQ(p.map().ghosts(), each);
    const auto per_remote = [&] {
      return static_cast<double>(held - before - 4 * p.references() - fixed_bytes) / static_cast<double>(each);
    };
    EXPECT_LE(per_remote(), 8);
    p.gather_ghosts(x);
    p.scatter_ghosts(x);
    EXPECT_LE(per_remote(), 16);
    EXPECT_GT(held - before, 4 * (p.references() + each)) << "nothing is counted";
    for (int i = 0; i < 3; ++i) {
      p.update(refs);
      p.gather_ghosts(x);
      p.scatter_ghosts(x);
    }
    EXPECT_LE(per_remote(), 16);
  }
}

/// Two nodes of two ranks; each refers to all elements of both far ranks, from another one on.
TEST_F(GatherMemoryTest, elements_that_cross_once_cost_12_bytes_per_node_and_4_per_ghost_that_near_ranks_have_too) {
  const team t(comm());
  if (size() != 4 || t.nodes() != 2) GTEST_SKIP() << "counts for two nodes of two ranks";
  constexpr index_t each = 50'000, ghosts = 2 * each;
  const distribution d = distribution::block(t, each * size());
  std::vector<index_t> refs;
  const index_t first = (1 - t.node()) * ghosts;
  for (index_t k = 0; k < ghosts; ++k) refs.push_back(first + k);
  std::vector<double> x(static_cast<std::size_t>(each + ghosts));
  const auto per_ghost = [&](const char* method, bool is_scattered) {
    { const gather_plan before_it(d, refs, {.method = method}); }  // what a team makes once
    const long long before = held;
    gather_plan p(d, refs, {.method = method});
    EXPECT_EQ(p.map().ghosts(), ghosts);
    p.gather_ghosts(x);
    p.gather_ghosts(x);
    if (is_scattered) p.scatter_ghosts(x);
    if (p.method().find("once") != std::string::npos) {
      EXPECT_NE(p.describe().find(text("receives ", each, " for its node")), std::string::npos) << p.describe();
    }
    return static_cast<double>(held - before - 4 * p.references() - fixed_bytes) / static_cast<double>(ghosts);
  };
  // 4 per ghost, and 4 per copy that others have of own elements: as many as ghosts.
  constexpr double lists = 8, packing_for_ranks = 8, merged_lists = 4 * 0.5, packing_for_nodes = 8 * 0.5, places = 4;
  EXPECT_LE(per_ghost("near-direct+isend", false), lists + packing_for_ranks);
  for (const char* const method : {"near-direct+once", "near-direct+once-parts"}) {
    SCOPED_TRACE(method);
    EXPECT_LE(per_ghost(method, false), lists + merged_lists + packing_for_nodes + places);
    EXPECT_GT(per_ghost(method, false), lists + merged_lists + packing_for_nodes) << "nothing is counted";
    EXPECT_LE(per_ghost(method, true), lists + merged_lists + packing_for_nodes + places + packing_for_ranks);
  }
}

}  // namespace
}  // namespace nearfar::test
