// SPDX-License-Identifier: BSD-3-Clause
// Operations allocate nothing once they have been used with a size of elements: operator new is counted.
// Alone: it replaces operator new.
#include <cstdlib>
#include <functional>
#include <mpi_test.hpp>
#include <new>

#include "random_references.hpp"

namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 4}, .on_cluster = false}};
long allocations = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* made = std::malloc(bytes > 0 ? bytes : 1)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto to = static_cast<std::size_t>(alignment);
  if (void* made = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace nearfar::test {
namespace {

/// An operation that has more to remember than fits into a combiner.
struct large_sum {
  std::array<double, 32> weights{1.0};
  double operator()(double a, double b) const { return a + weights[0] * b; }
};

struct named_call {
  const char* name;
  std::function<void()> call;
};

class IrregularAllocationTest : public MpiTest {
 protected:
  void expect_none(const std::vector<named_call>& calls) {
    for (const named_call& c : calls) {
      c.call(), c.call();  // packing has two buffers in turn
      const long before = allocations;
      c.call();
      EXPECT_EQ(allocations - before, 0) << c.name;
    }
  }

  std::vector<named_call> calls_on(irregular_plan& p, std::span<double> x, std::span<double> values) {
    const double weight = 0.5;
    const auto halved = [weight](double a, double b) { return weight * a + b; };
    const custom_op small{halved, 0.0};
    const custom_op large{large_sum{}, 0.0};
    return {
        {"gather_ghosts", [&p, x] { p.gather_ghosts(x); }},
        {"scatter_ghosts", [&p, x] { p.scatter_ghosts(x); }},
        {"assemble_ghosts", [&p, x] { p.assemble_ghosts(x); }},
        {"gather", [&p, x, values] { p.gather(x, values); }},
        {"scatter", [&p, x, values] { p.scatter(values, x); }},
        {"assemble", [&p, values] { p.assemble(values); }},
        {"scatter_ghosts, own operation", [&p, x, small] { p.scatter_ghosts(x, small); }},
        {"scatter, own operation", [&p, x, values, small] { p.scatter(values, x, small); }},
        {"scatter, large operation", [&p, x, values, large] { p.scatter(values, x, large); }},
        {"assemble, large operation", [&p, values, large] { p.assemble(values, large); }},
        {"start_gather_ghosts", [&p, x] { p.start_gather_ghosts(x), p.finish(); }},
        {"start_scatter, own operation", [&p, x, values, small] { p.start_scatter(values, x, small), p.finish(); }},
        {"start_assemble, own operation", [&p, values, small] { p.start_assemble(values, small), p.finish(); }},
    };
  }
};

TEST_F(IrregularAllocationTest, operations_allocate_nothing) {
  const team t(comm());
  const distribution d = distribution::cyclic(t, 400);
  std::vector<index_t> refs;
  for (index_t k = 0; k < 900; ++k) refs.push_back(k * 7 % 400);
  std::vector<double> values(refs.size(), 1.0);
  for (const auto order : {scatter_order::plan, scatter_order::canonical})
    for (const char* method : {"near-direct", "near-streamed", "isend", "persistent", "neighbor"}) {
      SCOPED_TRACE(method);
      irregular_plan p(d, refs, {.method = method, .order = order});
      irregular_vector<double> near(p);
      std::vector<double> plain(near.size());
      expect_none(calls_on(p, std::span<double>(near.data(), near.size()), values));
      expect_none(calls_on(p, plain, values));
    }
}

/// What counts does count.
TEST_F(IrregularAllocationTest, copies_of_large_operations_are_seen) {
  const team t(comm());
  const distribution d = distribution::cyclic(t, 10);
  irregular_plan p(d, std::vector<index_t>{1, 2, 3}, {.method = "isend"});
  std::vector<double> x(static_cast<std::size_t>(p.map().total())), values(3);
  const long before = allocations;
  p.start_scatter(values, x, custom_op{large_sum{}, 0.0});
  p.finish();
  EXPECT_GT(allocations - before, 0);
}

}  // namespace
}  // namespace nearfar::test
