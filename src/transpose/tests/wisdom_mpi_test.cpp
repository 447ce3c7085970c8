// SPDX-License-Identifier: BSD-3-Clause
// What a race of one transposition has found is not taken for another one of the same shape.
#include <algorithm>
#include <array>
#include <fstream>
#include <nearfar/transpose.hpp>

#include <own_wisdom.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

using order = std::array<int, 3>;

class TransposeWisdom : public OwnWisdomTest {
 protected:
  /// Decisions in the file, after a race among the plan's candidates.
  long kept_after(const order& from, const order& to) {
    const team all(comm());
    const std::vector<index_t> extents{16, 16, 16};
    const transpose_side in{decomposition::slab(all, extents, 0), {from[0], from[1], from[2]}},
        out{decomposition::slab(all, extents, 1), {to[0], to[1], to[2]}};
    transpose_array<double> a(in), b(out);
    const transpose_plan plan(in, out, a, b, {.budget_s = 1e-3});
    MPI_Barrier(comm());
    std::ifstream file(folder_ / "wisdom.jsonl");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }
};

TEST_F(TransposeWisdom, every_pair_of_orders_is_decided_for_itself) {
  const order straight{0, 1, 2}, turned{2, 1, 0};
  const std::pair<order, order> pairs[] = {{straight, straight}, {straight, turned},    {turned, straight},
                                           {turned, turned},     {straight, {1, 0, 2}}, {{0, 2, 1}, {1, 2, 0}}};
  long kept = 0;
  for (const auto& [from, to] : pairs) {
    EXPECT_EQ(kept_after(from, to), ++kept) << from[0] << from[1] << from[2] << " to " << to[0] << to[1] << to[2];
    EXPECT_EQ(kept_after(from, to), kept) << "the same again";
  }
}

}  // namespace
}  // namespace nearfar::test
