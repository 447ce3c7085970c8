// SPDX-License-Identifier: BSD-3-Clause
// A plan that one rank alone has started says whom it waits for, in its finish and in its destructor.
#include <late_rank.hpp>
#include <memory>
#include <mpi_test.hpp>
#include <nearfar/plan_options.hpp>
#include <topology/plan_identity.hpp>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2}, .node_sizes = {0, 1}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;

class PlanIdentity : public MpiTest {
 protected:
  /// Two plans that look alike, so that their first starts are compared.
  struct twins {
    explicit twins(const team& members) {
      for (auto* one : {&first, &second}) {
        *one = std::make_unique<plan_identity>(members, "halo", plan_options{.name = "winds"},
                                               std::source_location::current());
        (*one)->join(7, plan_identity::neighbours(members));
      }
    }
    std::unique_ptr<plan_identity> first, second;
  };
};

TEST_F(PlanIdentity, who_waits_for_a_rank_says_its_number) {
  const team members(comm());
  for (const bool is_destroyed : {false, true}) {
    twins plans(members);
    const auto end = [&] {
      plans.first->start();
      is_destroyed ? plans.first.reset() : plans.first->finish();
    };
    const std::string said = words_of_a_wait(comm(), end, end);
    if (rank() != 0) continue;
    EXPECT_THAT(said, AllOf(HasSubstr("halo \"winds\" (plan_identity_mpi_test.cpp:"),
                            HasSubstr("waiting for rank 1 to start it since")));
    EXPECT_THAT(said, ::testing::Not(HasSubstr("MPI's own")));
  }
}

}  // namespace
}  // namespace nearfar::test
