// SPDX-License-Identifier: BSD-3-Clause
// The official values of NPB UA.
#include <cstdlib>
#include <solver/simulation.hpp>

#include "mpi_test.hpp"

namespace adaptive_heat {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 3, 4}, .node_sizes = {0}, .on_cluster = false}};

class Verification : public nearfar::test::MpiTest {
 protected:
  void expect_official(const char* name, double points, exchange_form form, mesh_source source) {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    simulation job(nearfar::team(comm()), problem_class(name), form, source);
    const run_result r = job.run();
    EXPECT_TRUE(r.is_verified);
    EXPECT_LT(r.relative_error, 1e-11);
    EXPECT_EQ(r.points, points * 125 * 11);
  }
};

TEST_F(Verification, class_s) { expect_official("S", 9080, exchange_form::copies, mesh_source::forest); }

TEST_F(Verification, class_s_by_owners) {
  if (size() != 2) GTEST_SKIP() << "two ranks suffice";
  expect_official("S", 9080, exchange_form::owner, mesh_source::forest);
}

TEST_F(Verification, class_s_with_replicated_adaptation) {
  if (size() != 2) GTEST_SKIP() << "two ranks suffice";
  expect_official("S", 9080, exchange_form::copies, mesh_source::closed_form);
}

TEST_F(Verification, class_w) {
  if (size() > 2) GTEST_SKIP() << "two ranks suffice";
  expect_official("W", 52495, exchange_form::copies, mesh_source::forest);
}

TEST_F(Verification, class_a) {
  if (size() != 2) GTEST_SKIP() << "two ranks suffice";
  expect_official("A", 395945, exchange_form::copies, mesh_source::forest);
}

}  // namespace
}  // namespace adaptive_heat
