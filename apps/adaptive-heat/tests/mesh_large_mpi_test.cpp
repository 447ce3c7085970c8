// SPDX-License-Identifier: BSD-3-Clause
// The large classes: elements and mortar points of the distributed mesh, as it follows the ball, are those of the
// benchmark.
#include <mortar/layout.hpp>
#include <nearfar/collective.hpp>
#include <solver/mesh_part.hpp>

#include "mesh_tables.hpp"
#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0}, .on_cluster = false}};

class MeshLarge : public nearfar::test::MpiTest {
 protected:
  void expect_counts(const char* name, const std::vector<int>& elements, const std::vector<int>& mortars) {
    const nearfar::team t(comm());
    const problem& p = problem_class(name);
    forest mesh(t, p.levels);
    mesh.start(test::ball_at(p, 0));
    layout_maker maker(t);
    mortar_layout layout;
    for (std::size_t i = 0; i < mortars.size(); ++i) {
      if (i > 0) mesh.adapt(test::ball_at(p, i)), mesh.rebalance(0.05);
      const mesh_part part = part_of(mesh);
      maker.make({part.leaves, part.shapes, part.first_key, part.partners}, layout);
      EXPECT_EQ(part.all_leaves, elements[i]) << name << ", adaptation " << i;
      EXPECT_EQ(nearfar::allreduce(t, layout.own(), nearfar::reduce_op::sum), mortars[i])
          << name << ", adaptation " << i;
    }
  }
};

TEST_F(MeshLarge, class_c) { expect_counts("C", test::elements_c, test::mortars_c); }

/// Mortar points are known after each fifth adaptation.
TEST_F(MeshLarge, class_d) { expect_counts("D", test::elements_d, {test::mortars_d[0]}); }

}  // namespace
}  // namespace adaptive_heat
