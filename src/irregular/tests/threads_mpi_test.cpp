// SPDX-License-Identifier: BSD-3-Clause
// Plans with two threads give the bits of plans with one, in long loops that really are cut in two.
#include <atomic>
#include <mpi_test.hpp>
#include <mutex>
#include <set>
#include <thread>

#include "random_references.hpp"
#include "slices.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0, 1}, .on_cluster = false}};

constexpr index_t elements = 20'000;

class IrregularThreadsTest : public MpiTest {
 protected:
  std::vector<index_t> references() {
    std::vector<index_t> refs;
    std::mt19937_64 random(static_cast<unsigned>(7 + rank()));
    for (int k = 0; k < 30'000; ++k) refs.push_back(static_cast<index_t>(random() % elements));
    return refs;
  }

  std::vector<double> numbers(std::size_t count, std::uint64_t what) {
    std::vector<double> x;
    for (std::uint64_t i = 0; i < count; ++i)
      x.push_back(value_of<double>(i, static_cast<std::uint64_t>(rank()), what));
    return x;
  }

  /// All that the operations of a plan leave behind, one after the other.
  std::vector<std::vector<double>> results(const distribution& d, const std::string& method, scatter_order order,
                                           int threads, index_t components) {
    irregular_plan p(d, references(), {.method = method, .order = order, .threads = threads});
    const auto size = static_cast<std::size_t>(p.map().total() * components);
    std::vector<double> x = numbers(size, 1),
                        values = numbers(references().size() * static_cast<std::size_t>(components), 2);
    std::vector<double> out(values.size());
    std::vector<std::vector<double>> all;
    p.gather_ghosts(array_of(x, components)), all.push_back(x);
    p.gather(x, out, components), all.push_back(out);
    std::vector<double> own(x.begin(), x.begin() + p.map().owned() * components);
    p.gather(own, out, components), all.push_back(out);
    x = numbers(size, 3);
    p.scatter_ghosts(array_of(x, components)), all.push_back(x);
    p.scatter(values, x, reduce_op::sum, components), all.push_back(x);
    p.assemble(values, reduce_op::sum, components), all.push_back(values);
    return all;
  }
};

TEST_F(IrregularThreadsTest, two_threads_give_the_bits_of_one) {
  const team t(comm());
  const distribution d = distribution::cyclic(t, elements);
  struct method {
    const char* method;
    index_t components;
  };
  for (const method w : {method{"near-direct", 1}, method{"near-streamed", 3}, method{"isend", 1}})
    for (const auto order : {scatter_order::plan, scatter_order::canonical}) {
      const auto one = results(d, w.method, order, 1, w.components), two = results(d, w.method, order, 2, w.components);
      for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_EQ(std::memcmp(one[i].data(), two[i].data(), one[i].size() * sizeof(double)), 0)
            << w.method << ", " << w.components << " components, result " << i;
    }
}

TEST_F(IrregularThreadsTest, ghosts_are_combined_by_all_threads) {
  const team t(comm());
  const distribution d = distribution::cyclic(t, elements);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const auto noted = [&](double a, double b) {
    const std::scoped_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
    return a + b;
  };
  irregular_plan p(d, references(), {.method = "isend", .threads = 2});
  std::vector<double> x(static_cast<std::size_t>(p.map().total()), 1.0);
  p.scatter_ghosts(x, custom_op{noted, 0.0});
  EXPECT_EQ(seen.size(), irregular::has_threads() ? 2U : 1U);
}

TEST_F(IrregularThreadsTest, slices_are_everything_once) {
  for (const index_t count : {0, 1, 2047, 4096, 4097, 15'001})
    for (const int threads : {1, 2, 3, 7}) {
      std::vector<std::atomic<int>> touched(static_cast<std::size_t>(count));
      irregular::in_slices(threads, count, [&](index_t first, index_t some) {
        for (index_t i = first; i < first + some; ++i) ++touched[static_cast<std::size_t>(i)];
      });
      for (const auto& n : touched) EXPECT_EQ(n.load(), 1) << count << " elements, " << threads << " threads";
    }
}

TEST_F(IrregularThreadsTest, numbers_of_threads_are_checked) {
  const team t(comm());
  const distribution d = distribution::cyclic(t, 10);
  for (const int threads : {0, -1, 5000}) EXPECT_THROW(irregular_plan(d, {}, {.threads = threads}), usage_error);
}

}  // namespace
}  // namespace nearfar::test
