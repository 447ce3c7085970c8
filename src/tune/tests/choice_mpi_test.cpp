// SPDX-License-Identifier: BSD-3-Clause
// Choices of the program's own: the fastest is taken, remembered, and not measured again.
#include <fake_clock.hpp>
#include <nearfar/choice.hpp>
#include <nearfar/error.hpp>

#include <own_wisdom.hpp>

namespace nearfar::test {
namespace {

class ChoiceTest : public OwnWisdomTest {
 protected:
  /// Runs of alternatives that take so long.
  std::function<void(std::size_t)> taking(std::vector<double> seconds) {
    return [this, seconds](std::size_t n) { ++runs_, clock_.pass(seconds[n]); };
  }
  int runs_ = 0;

 private:
  fake_clock clock_;
};

TEST_F(ChoiceTest, takes_the_fastest_and_remembers_it) {
  const team members(comm());
  const auto found = tune_choice(members, "blocks", {"8", "16", "32"}, taking({0.004, 0.001, 0.002}));
  EXPECT_EQ(found.chosen, 1u);
  EXPECT_FALSE(found.is_from_wisdom);
  EXPECT_GT(runs_, 3);
  runs_ = 0;
  const auto again = tune_choice(members, "blocks", {"8", "16", "32"}, taking({0.001, 0.004, 0.002}));
  EXPECT_EQ(again.chosen, 1u) << "what was found before";
  EXPECT_TRUE(again.is_from_wisdom);
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(tune_choice(members, "blocks of another grid", {"8", "16", "32"}, taking({0.001, 0.004, 0.002})).chosen,
            0u);
}

TEST_F(ChoiceTest, keeps_the_first_unless_another_one_is_clearly_faster) {
  const team members(comm());
  EXPECT_EQ(tune_choice(members, "a", {"first", "second"}, taking({0.00101, 0.001})).chosen, 0u);
  EXPECT_EQ(tune_choice(members, "b", {"first", "second"}, taking({0.002, 0.001}), {.budget_s = -1}).chosen, 0u);
  EXPECT_EQ(runs_ > 0, true);
  runs_ = 0;
  EXPECT_EQ(tune_choice(members, "c", {"alone"}, taking({0.002})).chosen, 0u);
  EXPECT_EQ(runs_, 0);
}

TEST_F(ChoiceTest, refuses_alternatives_that_cannot_be_told_apart) {
  const team members(comm());
  EXPECT_THROW(tune_choice(members, "a", {}, taking({})), usage_error);
  EXPECT_THROW(tune_choice(members, "a", {"x", "y", "x"}, taking({1, 1, 1})), usage_error);
}

}  // namespace
}  // namespace nearfar::test
