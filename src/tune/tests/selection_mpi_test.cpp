// SPDX-License-Identifier: BSD-3-Clause
// The order pinned, known, raced; and what a selection tells of itself.
#include <nlohmann/json.hpp>
#include <tune/selection.hpp>

#include <own_wisdom.hpp>

namespace nearfar::tune::test {
namespace {

class SelectionTest : public nearfar::test::OwnWisdomTest {
 protected:
  selection_terms terms(std::string winner) {
    return {
        .key = [this] { return ++keys_, "what is moved"; },
        .accepts = one_of({"a", "b"}),
        .race =
            [this, winner] {
              ++races_;
              return decision{winner, 0.5, 0.1, {{"a", 1, 0.9, 3, true, true}, {winner, 0.5, 0.4, 7, false, false}}};
            }};
  }
  int races_ = 0, keys_ = 0;
};

TEST_F(SelectionTest, takes_what_is_pinned_without_asking_anybody) {
  selection_terms wanted = terms("b");
  wanted.pinned = "anything";
  const selection s = select(team(comm()), wanted);
  EXPECT_EQ(s.chosen, "anything");
  EXPECT_EQ(s.how, "pinned");
  EXPECT_EQ(races_ + keys_, 0);
}

TEST_F(SelectionTest, races_what_is_not_known_and_keeps_the_winner) {
  const team members(comm());
  const selection first = select(members, terms("b")), second = select(members, terms("a"));
  EXPECT_EQ(first.chosen, "b");
  EXPECT_TRUE(first.is_raced());
  EXPECT_EQ(first.how.find("tuned in "), 0u) << first.how;
  EXPECT_EQ(second.chosen, "b");
  EXPECT_EQ(second.how, "from wisdom");
  EXPECT_EQ(second.seconds, 0.5);
  EXPECT_FALSE(second.is_raced());
  EXPECT_EQ(races_, 1);
}

TEST_F(SelectionTest, races_anew_where_what_is_known_cannot_be_had) {
  const team members(comm());
  EXPECT_EQ(select(members, terms("c")).chosen, "c");
  EXPECT_EQ(select(members, terms("b")).chosen, "b");
  EXPECT_EQ(races_, 2);
  EXPECT_FALSE(remembered(members, "what is moved", one_of({"a"})));
  EXPECT_TRUE(remembered(members, "what is moved", one_of({"a", "b"})));
}

TEST_F(SelectionTest, plans_of_a_run_decide_once_without_a_wisdom_file) {
  const team members(comm());
  setenv("NEARFAR_WISDOM", "off", 1);
  selection_terms kept = terms("b");
  kept.is_kept_in_this_run = true;
  EXPECT_EQ(select(members, kept).chosen, "b");
  EXPECT_EQ(select(members, kept).how, "as a plan before");
  EXPECT_EQ(races_, 1);
  select(members, terms("b"));
  EXPECT_EQ(races_, 2) << "not asked for";
}

TEST_F(SelectionTest, tells_the_same_in_lines_and_in_json) {
  const selection s = select(team(comm()), terms("b"));
  const std::string lines = s.timings_in_lines();
  EXPECT_NE(lines.find("median of 3 (dropped)\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("median of 7  <- chosen\n"), std::string::npos) << lines;
  const auto j = nlohmann::json::parse(s.json("halo", "a \"name\""));
  EXPECT_EQ(j["plan"], "halo");
  EXPECT_EQ(j["name"], "a \"name\"");
  EXPECT_EQ(j["chosen"], "b");
  EXPECT_EQ(j["how"], s.how);
  EXPECT_EQ(j["tried"].size(), 2u);
  EXPECT_EQ(j["tried"][0]["dropped"], true);
  EXPECT_EQ(j["tried"][1]["median_s"], 0.5);
}

}  // namespace
}  // namespace nearfar::tune::test
