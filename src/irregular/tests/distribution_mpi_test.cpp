// SPDX-License-Identifier: BSD-3-Clause
// Every distribution puts each element where its definition says, and back; wrong ones are refused on every rank.
#include <mpi_test.hpp>

#include "random_references.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;

class DistributionTest : public MpiTest {
 protected:
  template <class Step>
  std::string refusal(Step step) {
    try {
      step();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "accepted";
  }
};

TEST_F(DistributionTest, elements_are_where_the_definition_says) {
  const team t(comm());
  for (unsigned seed = 0; seed < 60; ++seed) {
    random_references c(seed, t);
    const distribution d = c.make_distribution(t);
    SCOPED_TRACE(d.describe());
    const auto& mine = c.owned[static_cast<std::size_t>(rank())];
    EXPECT_EQ(d.elements(), c.elements);
    EXPECT_EQ(d.owned(), static_cast<index_t>(mine.size()));
    std::vector<index_t> all(static_cast<std::size_t>(c.elements)), offsets(all.size());
    std::vector<int> owners(all.size());
    std::iota(all.begin(), all.end(), index_t{0});
    std::shuffle(all.begin(), all.end(), c.random);
    d.locate(all, owners, offsets);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(owners[i], c.owner[static_cast<std::size_t>(all[i])]);
      EXPECT_EQ(c.owned[static_cast<std::size_t>(owners[i])][static_cast<std::size_t>(offsets[i])], all[i]);
    }
    std::vector<index_t> own_offsets(mine.size()), globals(mine.size());
    std::iota(own_offsets.begin(), own_offsets.end(), index_t{0});
    d.globals(own_offsets, globals);
    EXPECT_EQ(globals, mine);
    d.check_round_trip();
    d.check_round_trip(3);
    NEARFAR_ASSERT_ALL(!HasFailure());
  }
}

TEST_F(DistributionTest, wrong_sizes_are_refused_on_every_rank) {
  const team t(comm());
  const bool is_last = rank() == size() - 1;
  EXPECT_THAT(refusal([&] { distribution::block(t, is_last ? -5 : 5); }), HasSubstr("is -5; it is 0 or more"));
  EXPECT_THAT(refusal([&] { distribution::block_cyclic(t, 5, 0); }), HasSubstr("a block has 0 elements"));
  std::vector<index_t> sizes(static_cast<std::size_t>(size()), 1);
  sizes.back() = -2;
  EXPECT_THAT(refusal([&] { distribution::block_sizes(t, sizes); }),
              HasSubstr("the size of a block is -2; it is 0 or"));
  sizes.push_back(0);
  EXPECT_THAT(refusal([&] { distribution::block_sizes(t, sizes); }), HasSubstr("sizes of blocks for"));
  EXPECT_THAT(refusal([&] { distribution::two_block(t, 5, 6); }),
              HasSubstr("the first part has 6 elements; it has 0 … 5"));
  if (size() > 1) {
    EXPECT_THAT(refusal([&] { distribution::cyclic(t, is_last ? 7 : 8); }),
                HasSubstr("must be the same on every rank"));
  }
}

TEST_F(DistributionTest, sizes_of_blocks_that_come_to_more_than_an_index_are_refused) {
  const team t(comm());
  constexpr index_t most = std::numeric_limits<index_t>::max();
  const auto says = AllOf(HasSubstr("come to more than"), HasSubstr(std::to_string(most)));
  std::vector<index_t> sizes(static_cast<std::size_t>(size()), 0);
  sizes.front() = most;
  EXPECT_EQ(refusal([&] { distribution::block_sizes(t, sizes); }), "accepted");
  EXPECT_EQ(refusal([&] { distribution::block_sizes(t, sizes[static_cast<std::size_t>(rank())]); }), "accepted");
  if (size() == 1) return;
  sizes.back() = 1;
  EXPECT_THAT(refusal([&] { distribution::block_sizes(t, sizes); }), says);
  EXPECT_THAT(refusal([&] { distribution::block_sizes(t, sizes[static_cast<std::size_t>(rank())]); }), says);
}

TEST_F(DistributionTest, lists_must_name_each_element_once) {
  const team t(comm());
  const index_t me = rank();
  EXPECT_THAT(refusal([&] {
                distribution::from_owned(t, std::vector<index_t>{me, me == 0 ? 0 : me + size()});
              }),
              HasSubstr(size() == 1 ? "element 0 is owned by rank 0 and by rank 0" : "element 0 is owned by rank 0"));
  EXPECT_THAT(refusal([&] { distribution::from_owned(t, std::vector<index_t>{me - 1}); }),
              HasSubstr("owns element -1"));
  EXPECT_THAT(refusal([&] { distribution::from_owned(t, std::vector<index_t>{me + 1}); }), HasSubstr("owns element "));
}

TEST_F(DistributionTest, rules_that_contradict_themselves_are_found) {
  const team t(comm());
  struct liar : table_rule {
    using table_rule::table_rule;
    void globals(int r, std::span<const index_t> offsets, std::span<index_t> g) const override {
      table_rule::globals(r, offsets, g);
      for (index_t& i : g) i = elements() - 1 - i;
    }
  };
  std::vector<int> owners(40);
  for (std::size_t g = 0; g < owners.size(); ++g) owners[g] = static_cast<int>(g) % size();
  const distribution d = distribution::from_rule(t, std::make_shared<liar>(owners, size()));
  EXPECT_THAT(refusal([&] { d.check_round_trip(); }), HasSubstr("which is located at"));
  struct short_one : table_rule {
    using table_rule::table_rule;
    index_t elements() const override { return table_rule::elements() + 1; }
  };
  EXPECT_THAT(refusal([&] { distribution::from_rule(t, std::make_shared<short_one>(owners, size())); }),
              HasSubstr("has 41 elements, but the ranks own 40"));
  EXPECT_THAT(refusal([&] { distribution::from_rule(t, nullptr); }), HasSubstr("there is no rule"));
}

/// Says of each element that it lies at one place.
struct stray : table_rule {
  using table_rule::table_rule;
  int owner = 0;
  index_t offset = 0;
  void locate(std::span<const index_t>, std::span<int> owners, std::span<index_t> offsets) const override {
    std::fill(owners.begin(), owners.end(), owner);
    std::fill(offsets.begin(), offsets.end(), offset);
  }
};

TEST_F(DistributionTest, rules_that_lead_out_of_memory_are_found) {
  const team t(comm());
  std::vector<int> owners(40);
  for (std::size_t g = 0; g < owners.size(); ++g) owners[g] = static_cast<int>(g) % size();
  const auto rule = std::make_shared<stray>(owners, size());
  const distribution d = distribution::from_rule(t, rule);
  const std::vector<index_t> wanted{5};
  std::vector<int> owner(1);
  std::vector<index_t> offset(1);
  for (const auto& [r, o] : {std::pair{0, index_t{40}}, {0, index_t{-1}}, {size(), index_t{0}}, {-1, index_t{0}}}) {
    rule->owner = r, rule->offset = o;
    EXPECT_THAT(refusal([&] { d.locate(wanted, owner, offset); }),
                AllOf(HasSubstr("element 5 is number " + std::to_string(o) + " of rank " + std::to_string(r)),
                      HasSubstr("numbers 0 … 39")));
  }
}

TEST_F(DistributionTest, plans_take_places_up_to_the_last_element_of_a_rank_and_none_behind_it) {
  const team t(comm());
  std::vector<int> owners(42);  // as many of them on each rank
  for (std::size_t g = 0; g < owners.size(); ++g) owners[g] = static_cast<int>(g) % size();
  const auto rule = std::make_shared<stray>(owners, size());
  const distribution d = distribution::from_rule(t, rule);
  const std::vector<index_t> wanted{5};
  for (const int owner : {rank(), (rank() + 1) % size()}) {
    const index_t has = rule->owned_by(owner);
    const auto plan_with = [&](index_t offset) {
      rule->owner = owner, rule->offset = offset;
      return refusal([&] { irregular_plan(d, wanted, {.method = "isend"}); });
    };
    EXPECT_EQ(plan_with(0), "accepted");
    EXPECT_EQ(plan_with(has - 1), "accepted");
    for (index_t behind = has; behind < 42; behind += 13) {  // beyond 42 the distribution itself refuses
      EXPECT_THAT(plan_with(behind), AllOf(HasSubstr("element 5 is said to be number " + std::to_string(behind)),
                                           HasSubstr("which owns " + std::to_string(has))))
          << "owner " << owner;
    }
    EXPECT_THAT(plan_with(42), HasSubstr("element 5 is number 42"));
    EXPECT_THAT(plan_with(-1), HasSubstr("element 5 is number -1"));
  }
}

TEST_F(DistributionTest, indices_out_of_range_are_refused) {
  const team t(comm());
  const distribution d = distribution::block(t, 10);
  int owner = 0;
  index_t offset = 0;
  const index_t outside = 10;
  EXPECT_THAT(refusal([&] {
                d.locate({&outside, 1}, {&owner, 1}, {&offset, 1});
              }),
              HasSubstr("index 10 is out of range; indices are 0 … 9"));
  EXPECT_THAT(refusal([&] { d.globals({&outside, 1}, {&offset, 1}); }), HasSubstr("offset 10 is out of range"));
}

}  // namespace
}  // namespace nearfar::test
