// SPDX-License-Identifier: BSD-3-Clause
// Memory runs out on one rank while an exchange is made: all ranks throw, or none does, by every method and while
// methods are raced. Alone: it replaces operator new.
#include <cstdlib>
#include <exchange/exchange.hpp>
#include <mpi_test.hpp>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <new>

#include "../transport.hpp"

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .on_cluster = false}};
bool is_scarce = false;
constexpr std::size_t most_scarce_bytes = std::size_t{1} << 18;

void* taken(void* memory, std::size_t bytes) {
  if (memory != nullptr && !(is_scarce && bytes > most_scarce_bytes)) return memory;
  std::free(memory);
  throw std::bad_alloc();
}
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) { return taken(std::malloc(bytes > 0 ? bytes : 1), bytes); }
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace nearfar::exchange::test {
namespace {

class ScarceMemory : public nearfar::test::MpiTest {
 protected:
  /// Rows with gaps, larger in all than what can be had.
  static constexpr index_t rows = 512, row_bytes = 2048, step_bytes = row_bytes + 64, box_bytes = rows * step_bytes;

  static strided_box box_number(index_t i) { return {i * box_bytes, 8, {rows, row_bytes / 8}, {step_bytes, 8}}; }

  /// To the next rank.
  pattern ring_of_boxes() {
    pattern p;
    p.buffers = {{memory.data(), as_index(memory.size())}};
    p.sends.push_back({(rank() + 1) % size(), 0, box_number(0)});
    p.receives.push_back({(rank() + size() - 1) % size(), 0, box_number(1)});
    return p;
  }
  /// Whether ranks throw, all of them or none.
  void expect_one_verdict(const std::string& method, pattern what, bool must_fail) {
    SCOPED_TRACE(method);
    bool has_thrown = false;
    is_scarce = rank() == size() - 1;
    try {
      const exchange e(all, std::move(what), {.name = "scarce", .method = method, .budget_s = 0.001});
    } catch (const resource_error&) {
      has_thrown = true;
    }
    is_scarce = false;
    const bool have_all = agreed(has_thrown), has_none = agreed(!has_thrown);
    EXPECT_TRUE(have_all || has_none);
    EXPECT_TRUE(have_all || !must_fail);
  }

  team all{nearfar::test::everyone()};
  std::vector<std::byte> memory = std::vector<std::byte>(as_size(3 * box_bytes));
};

TEST_F(ScarceMemory, every_method_fails_on_all_ranks_or_on_none) {
  for (const std::string& method : methods_here(all)) expect_one_verdict(method, ring_of_boxes(), method == "isend");
}

TEST_F(ScarceMemory, what_a_rank_sends_itself_counts) {
  for (const std::string& method : methods_here(all)) {
    pattern what = ring_of_boxes();
    what.sends.push_back({rank(), 0, box_number(0)});
    what.receives.push_back({rank(), 0, box_number(2)});  // in one buffer: by a message of its own
    expect_one_verdict(method, std::move(what), true);
  }
}

TEST_F(ScarceMemory, races_fail_on_all_ranks) { expect_one_verdict("", ring_of_boxes(), true); }

}  // namespace
}  // namespace nearfar::exchange::test
