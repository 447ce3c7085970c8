// SPDX-License-Identifier: BSD-3-Clause
// What plans hold: bytes that operator new has given and not got back, counted; what becomes of makers when it gives
// nothing more on one rank, and what memory making a plan needs.
// Alone: it replaces operator new.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <base/text.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mpi_test.hpp>
#include <new>
#include <optional>

#include "random_references.hpp"

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 4}, .node_sizes = {1, 2}, .on_cluster = false}};
std::atomic<long long> held{0};
/// Long pieces that are still given; -1: all are.
long long pieces_left = -1;
constexpr std::size_t long_piece_bytes = 20'000;

bool is_given(std::size_t bytes) {
  if (bytes < long_piece_bytes || pieces_left < 0) return true;
  if (pieces_left == 0) return false;
  --pieces_left;
  return true;
}

void* taken(std::size_t bytes) {
  void* p = is_given(bytes) ? std::malloc(bytes) : nullptr;
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

index_t address_space_bytes() {
  std::ifstream pages("/proc/self/statm");
  index_t all = 0;
  pages >> all;
  return all * sysconf(_SC_PAGESIZE);
}

/// Besides what grows with the references.
constexpr long long fixed_bytes = 64 * 1024;

class IrregularMemoryTest : public MpiTest {
 protected:
  /// Each rank refers to the other's elements, all of them, three times.
  std::vector<index_t> references(index_t each) const {
    std::vector<index_t> refs;
    for (index_t k = 0; k < 3 * each; ++k) refs.push_back((1 - rank()) * each + 7 * k % each);
    return refs;
  }
};

TEST_F(IrregularMemoryTest, a_far_reference_costs_4_bytes_and_a_remote_element_16) {
  const team t(comm());
  if (size() != 2 || t.nodes() != 2) GTEST_SKIP() << "counts for two far ranks";
  constexpr index_t each = 100'000;
  const distribution d = distribution::block(t, each * size());
  const std::vector<index_t> refs = references(each);
  std::vector<double> x(static_cast<std::size_t>(2 * each));
  for (const char* const method : {"isend", "parts", "persistent"}) {
    SCOPED_TRACE(method);
    { const irregular_plan first(d, refs, {.method = method}); }  // what a team makes once
    const long long before = held;
    irregular_plan p(d, refs, {.method = method});
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
TEST_F(IrregularMemoryTest, elements_that_cross_once_cost_12_bytes_per_node_and_4_per_ghost_that_near_ranks_have_too) {
  const team t(comm());
  if (size() != 4 || t.nodes() != 2) GTEST_SKIP() << "counts for two nodes of two ranks";
  constexpr index_t each = 50'000, ghosts = 2 * each;
  const distribution d = distribution::block(t, each * size());
  std::vector<index_t> refs;
  const index_t first = (1 - t.node()) * ghosts;
  for (index_t k = 0; k < ghosts; ++k) refs.push_back(first + k);
  std::vector<double> x(static_cast<std::size_t>(each + ghosts));
  const auto per_ghost = [&](const char* method, bool is_scattered) {
    { const irregular_plan before_it(d, refs, {.method = method}); }  // what a team makes once
    const long long before = held;
    irregular_plan p(d, refs, {.method = method});
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

/// Lets one rank alone have one long piece more from time to time, until the step succeeds. In each try all ranks get
/// the same error, or none gets one.
class ScarceIrregularMemory : public IrregularMemoryTest {
 protected:
  void expect_one_verdict(const char* name, const std::function<void()>& step) {
    SCOPED_TRACE(name);
    constexpr int most_tries = 200;
    int tries = 0;
    for (bool is_over = false; !is_over && tries < most_tries; ++tries) {
      std::string words;
      pieces_left = rank() == size() - 1 ? tries : -1;
      try {
        step();
      } catch (const resource_error& e) {
        words = e.what();
      } catch (const std::bad_alloc&) {
        words = "this rank alone";
      }
      pieces_left = -1;
      is_over = agreed(words.empty());
      EXPECT_TRUE(is_over || agreed(words.find(text("out of memory [on rank ", size() - 1, "]")) != std::string::npos))
          << "try " << tries << ": " << words;
      if (!agreed(!HasFailure())) return;
    }
    EXPECT_GT(tries, 1) << "nothing was refused";
    EXPECT_LT(tries, most_tries);
  }
};

TEST_F(ScarceIrregularMemory, makers_fail_on_all_ranks_or_on_none) {
  const team t(comm());
  constexpr index_t each = 6000;
  const index_t elements = each * size();
  std::vector<index_t> own, refs;
  for (index_t k = 0; k < each; ++k) own.push_back(k * size() + (rank() + 1) % size());
  for (index_t k = 0; k < each; ++k) refs.push_back((rank() * each + 7 * k) % elements);
  for (index_t k = 0; k < each; ++k) refs.push_back(((rank() + 1) * each + 7 * k) % elements);
  std::optional<distribution> lists;
  expect_one_verdict("from_owned", [&] { lists.emplace(distribution::from_owned(t, own)); });
  NEARFAR_ASSERT_ALL(lists.has_value());
  std::vector<int> owners(refs.size());
  std::vector<index_t> offsets(refs.size());
  expect_one_verdict("locate", [&] { lists->locate(refs, owners, offsets); });
  const distribution blocks = distribution::block(t, elements), cycles = distribution::cyclic(t, elements);
  const distribution* const ways[] = {&blocks, &cycles, &*lists};
  for (const distribution* d : ways) {
    if (size() > 2 && d != &blocks) continue;  // what is near and far does not depend on the distribution
    SCOPED_TRACE(d->describe());
    const auto order = d == &cycles ? scatter_order::plan : scatter_order::canonical;
    std::optional<irregular_plan> p;
    expect_one_verdict("plan", [&] { p.emplace(*d, refs, irregular_options{.method = "isend", .order = order}); });
    NEARFAR_ASSERT_ALL(p.has_value());
    if (d != &blocks) continue;
    const std::vector<index_t> none;
    p->update(none);
    expect_one_verdict("update", [&] { p->update(refs); });
  }
}

/// Far more elements than there is memory for, of which a few are referred to.
TEST_F(IrregularMemoryTest, making_a_plan_needs_memory_for_what_is_referred_to) {
  const team t(comm());
  constexpr index_t each = index_t{1} << 29, spare_bytes = index_t{1} << 28;
  const distribution d = distribution::block(t, each * size());
  const std::vector<index_t> refs{0, each * size() - 1, each, each / 2, each + each / 3};
  { const irregular_plan first(d, refs, {.budget_s = 0.001}); }  // what a team makes once
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit scarce = before;
  scarce.rlim_cur = static_cast<rlim_t>(address_space_bytes() + spare_bytes);
  setrlimit(RLIMIT_AS, &scarce);
  for (const char* method : {"", "isend", "near-direct+isend", "near-streamed+once"}) try {
      irregular_plan p(d, refs, {.method = method, .budget_s = 0.001, .element_bytes = 16});
      EXPECT_EQ(p.references(), 5);
    } catch (const std::exception& e) {
      const std::string words = e.what();
      EXPECT_NE(words.find("cannot be had"), std::string::npos) << method << ": " << words;
    }
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace nearfar::test
