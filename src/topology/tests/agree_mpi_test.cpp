// SPDX-License-Identifier: BSD-3-Clause
// Verdicts: what one rank throws, all ranks throw, with the same class and message.
#include <mpi_test.hpp>

#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar {
namespace {

using ::testing::HasSubstr;

class AgreeTest : public test::MpiTest {
 protected:
  // What this rank gets when `step` runs in agree(): class and message.
  std::pair<status, std::string> outcome(const std::function<void()>& step) {
    try {
      agree(comm(), step);
    } catch (const error& e) {
      return {e.code(), e.what()};
    }
    return {status::ok, ""};
  }
  std::string difference(const std::vector<std::int64_t>& values) {
    try {
      require_same(comm(), "extents", values);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(AgreeTest, runs_the_step_once_and_is_silent_when_all_is_well) {
  int runs = 0;
  EXPECT_EQ(outcome([&] { ++runs; }).first, status::ok);
  EXPECT_EQ(runs, 1);
}

TEST_F(AgreeTest, one_failing_rank_fails_all_with_its_message) {
  for (int guilty = 0; guilty < size(); ++guilty) {
    const auto [code, message] = outcome([&] {
      if (rank() == guilty) throw usage_error(text("tile ", guilty, " is too thin"));
    });
    EXPECT_EQ(code, status::usage);
    const std::string where = size() == 1 ? "" : text(" [on rank ", guilty, "]");
    EXPECT_EQ(message, text("tile ", guilty, " is too thin", where));
  }
}

TEST_F(AgreeTest, several_failing_ranks_are_listed_under_the_lowest_one_s_message) {
  if (size() < 3) GTEST_SKIP() << "needs 3 ranks";
  const auto [code, message] = outcome([&] {
    if (rank() == 1) throw resource_error("no memory here");
    if (rank() == size() - 1) throw io_error("another reason, which is not told");
  });
  EXPECT_EQ(code, status::resource);
  EXPECT_EQ(message, text("no memory here [on ranks 1, ", size() - 1, "]"));
}

TEST_F(AgreeTest, long_lists_of_ranks_are_cut) {
  if (size() < 6) GTEST_SKIP() << "needs 6 ranks";
  const auto [code, message] = outcome([&] {
    if (rank() > 0) throw usage_error("bad");
  });
  EXPECT_EQ(message, text("bad [on ranks 1, 2, 3, 4 … (", size() - 1, " of ", size(), ")]"));
}

TEST_F(AgreeTest, all_ranks_failing_is_said_in_short) {
  const auto [code, message] = outcome([&] { throw transport_error(text("lost by rank ", rank())); });
  EXPECT_EQ(code, status::transport);
  EXPECT_EQ(message, size() == 1 ? "lost by rank 0" : text("lost by rank 0 [on all ", size(), " ranks]"));
}

TEST_F(AgreeTest, keeps_the_class) {
  const bool is_guilty = rank() == size() - 1;
  const auto code_when = [&](const std::function<void()>& thrower) {
    return outcome([&] {
             if (is_guilty) thrower();
           })
        .first;
  };
  EXPECT_EQ(code_when([] { throw usage_error("x"); }), status::usage);
  EXPECT_EQ(code_when([] { throw resource_error("x"); }), status::resource);
  EXPECT_EQ(code_when([] { throw transport_error("x"); }), status::transport);
  EXPECT_EQ(code_when([] { throw io_error("x"); }), status::io);
  EXPECT_EQ(code_when([] { throw std::bad_alloc(); }), status::resource);
  EXPECT_EQ(code_when([] { std::vector<int>().at(1); }), status::usage);
  EXPECT_EQ(code_when([] { std::filesystem::create_directory("/proc/cannot"); }), status::io);
  EXPECT_EQ(code_when([] { throw std::runtime_error("x"); }), status::resource);
  EXPECT_EQ(code_when([] { throw 42; }), status::resource);
}

TEST_F(AgreeTest, long_messages_arrive_whole) {
  const std::string reason(100'000, 'n');
  const auto [code, message] = outcome([&] {
    if (rank() == size() - 1) throw usage_error(reason);
  });
  EXPECT_EQ(message.substr(0, reason.size()), reason);
}

TEST_F(AgreeTest, maxima_come_with_the_verdict) {
  const team t(comm());
  std::array<std::int64_t, 3> most{};
  agree(
      t,
      [&] {
        most = {rank(), -rank(), std::int64_t{1} << (40 + rank())};
      },
      most);
  EXPECT_EQ(most, (std::array<std::int64_t, 3>{size() - 1, 0, std::int64_t{1} << (40 + size() - 1)}));
  const int guilty = size() - 1;
  try {
    agree(
        t,
        [&] {
          if (rank() == guilty) throw io_error("the disk is full");
        },
        most);
    ADD_FAILURE() << "no error";
  } catch (const io_error& e) {
    EXPECT_NE(std::string(e.what()).find("the disk is full"), std::string::npos);
  }
}

TEST_F(AgreeTest, works_on_a_team) {
  const team t(comm());
  EXPECT_NO_THROW(agree(t, [] {}));
  EXPECT_THROW(agree(t, [] { throw io_error("x"); }), io_error);
  const std::vector<std::int64_t> same{1, 2};
  EXPECT_NO_THROW(require_same(t, "extents", same));
}

TEST_F(AgreeTest, same_values_pass) {
  EXPECT_EQ(difference({}), "");
  EXPECT_EQ(difference({-1, 0, INT64_MAX, INT64_MIN}), "");
}

TEST_F(AgreeTest, one_rank_that_differs_is_named_with_both_values) {
  for (int guilty = 1; guilty < size(); ++guilty)
    EXPECT_EQ(difference({7, rank() == guilty ? 9 : 8}),
              text("extents must be the same on every rank, but it is (7, 8) on rank 0 but (7, 9) on rank ", guilty));
}

TEST_F(AgreeTest, a_single_value_is_printed_bare) {
  if (size() == 1) GTEST_SKIP() << "needs 2 ranks";
  EXPECT_THAT(difference({rank() == 0 ? 5 : 6}), HasSubstr("5 on rank 0 but 6 on rank 1"));
}

TEST_F(AgreeTest, different_counts_are_a_difference) {
  if (size() == 1) GTEST_SKIP() << "needs 2 ranks";
  std::vector<std::int64_t> values(static_cast<std::size_t>(rank() == size() - 1 ? 2 : 3), 4);
  EXPECT_THAT(difference(values), HasSubstr(text("(4, 4, 4) on rank 0 but (4, 4) on rank ", size() - 1)));
  values.resize(rank() == 0 ? 20 : 30);
  EXPECT_THAT(difference(values), HasSubstr("20 values on rank 0 but 30 values on rank 1"));
}

TEST_F(AgreeTest, in_long_lists_the_place_is_named) {
  if (size() == 1) GTEST_SKIP() << "needs 2 ranks";
  std::vector<std::int64_t> values(1000, 1);
  if (rank() == 1) values[41] = 2;
  EXPECT_THAT(difference(values), HasSubstr("1 on rank 0 but 2 on rank 1 (number 42 of 1000)"));
}

}  // namespace
}  // namespace nearfar
