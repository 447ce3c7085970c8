// SPDX-License-Identifier: BSD-3-Clause
// Near memory that cannot be mapped any more once a plan has been made: packing space that grows, arrays that are new,
// requests of an update. What it would have carried comes in messages, to the same results.
#include <closed_process.hpp>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <optional>
#include <random>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .on_cluster = false}};

class IrregularRefusals : public MpiTest {
 protected:
  static constexpr index_t elements = 301, references_of_each = 257;

  std::vector<index_t> references_of(int of, unsigned seed) const {
    std::mt19937 random(seed + 100 * static_cast<unsigned>(of));
    std::vector<index_t> all(references_of_each);
    for (index_t& g : all) g = static_cast<index_t>(random() % elements);
    return all;
  }
  static std::int64_t value(index_t element, index_t component) { return 1000 * element + component; }

  /// Gathers x, then adds component + 1 to it for each reference; both as a loop over all ranks' references says.
  template <class X>
  void expect_right(irregular_plan& p, X&& x, index_t components, unsigned seed) {
    const auto mine = references_of(rank(), seed);
    const index_t first = rank() * (elements / size()) + std::min<index_t>(rank(), elements % size()),
                  owned = p.map().owned();
    const auto x_at = [&](index_t i, index_t c) -> std::int64_t& { return std::data(x)[i * components + c]; };
    for (index_t i = 0; i < owned; ++i)
      for (index_t c = 0; c < components; ++c) x_at(i, c) = value(first + i, c);
    std::vector<std::int64_t> out(mine.size() * static_cast<std::size_t>(components));
    p.gather(x, out, components);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto at = static_cast<index_t>(k);
      wrong += out[k] != value(mine[k / static_cast<std::size_t>(components)], at % components);
      out[k] = at % components + 1;
    }
    EXPECT_EQ(wrong, 0U) << p.method() << ": gather of " << components << " components";

    p.scatter(out, x, reduce_op::sum, components);
    std::vector<index_t> times(elements);
    for (int r = 0; r < size(); ++r)
      for (const index_t g : references_of(r, seed)) ++times[static_cast<std::size_t>(g)];
    wrong = 0;
    for (index_t i = 0; i < owned; ++i)
      for (index_t c = 0; c < components; ++c)
        wrong += x_at(i, c) != value(first + i, c) + times[static_cast<std::size_t>(first + i)] * (c + 1);
    EXPECT_EQ(wrong, 0U) << p.method() << ": scatter of " << components << " components";
  }

  void expect_right_on_own_memory(irregular_plan& p, index_t components, unsigned seed) {
    expect_right(p, std::vector<std::int64_t>(static_cast<std::size_t>(p.map().owned() * components)), components,
                 seed);
  }
};

TEST_F(IrregularRefusals, what_cannot_be_mapped_comes_in_messages) {
  const team t(comm());
  const distribution where = distribution::block(t, elements);
  constexpr index_t few = 1, many = 400;  // of many, packing space fills a chunk of its own
  for (const std::string method : {"near-direct", "near-staged", "near-streamed", "isend"}) {
    irregular_plan p(where, references_of(rank(), 1), {.method = method});
    irregular_vector<std::int64_t> before(p, few), fresh(p, many);
    expect_right(p, before, few, 1);
    std::optional<no_descriptors> lack{std::in_place};
    for (int i = 0; i < 3; ++i) expect_right_on_own_memory(p, many, 1);
    for (int i = 0; i < 2; ++i) expect_right(p, fresh, many, 1);
    expect_right(p, before, few, 1);
    p.update(references_of(rank(), 2));
    expect_right_on_own_memory(p, few, 2);
    expect_right_on_own_memory(p, many, 2);
    lack.reset();
    for (int i = 0; i < 3; ++i) expect_right_on_own_memory(p, many, 2);
  }
}

}  // namespace
}  // namespace nearfar::test
