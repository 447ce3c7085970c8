// SPDX-License-Identifier: BSD-3-Clause
// Sums over ranks: the bits of the table, whatever the number of ranks and however the numbers are dealt out.
#include <mpi_test.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nearfar/error.hpp>
#include <nearfar/reproducible.hpp>
#include <random>

#include "exact_numbers.hpp"
#include "exact_table.hpp"

namespace nearfar {
namespace {

using test::as_floats;
using test::bits_of;
using test::exact_numbers;
using test::exact_row;
using test::exact_table;

class Reproducible : public test::MpiTest {
 protected:
  // This rank's share of row `row`: in blocks, in turn, at random, or all on the last rank.
  template <class T>
  std::vector<T> share(const std::vector<T>& all, int order) const {
    std::vector<T> mine;
    std::mt19937 random(17);
    const auto ranks = static_cast<std::size_t>(size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t owners[] = {i * ranks / all.size(), i % ranks, random() % ranks, ranks - 1};
      if (static_cast<int>(owners[order]) == rank()) mine.push_back(all[i]);
    }
    if (order == 2) std::shuffle(mine.begin(), mine.end(), random);
    return mine;
  }
};

constexpr int orders = 4;

TEST_F(Reproducible, sums_have_the_bits_of_the_table) {
  const team members(comm());
  for (const auto& row : exact_table) {
    const auto all = exact_numbers(row.family, row.seed, row.count);
    for (int order = 0; order < orders; ++order) {
      const auto mine = share(all, order);
      EXPECT_EQ(bits_of(reproducible_sum(members, mine)), bits_of(row.sum)) << row.family << " " << row.count;
      EXPECT_EQ(bits_of(reproducible_sum(members, as_floats(mine))), bits_of(row.float_sum)) << row.family;
      exact_sum by_hand;
      for (const double x : mine) by_hand.add(x);
      EXPECT_EQ(bits_of(reproducible_sum(members, by_hand)), bits_of(row.sum)) << row.family;
    }
  }
}

TEST_F(Reproducible, dot_products_have_the_bits_of_the_table) {
  const team members(comm());
  for (const auto& row : exact_table) {
    const auto a = exact_numbers(row.family, row.seed, row.count);
    const auto b = exact_numbers(test::partner_of(row.family), row.seed + 50000, row.count);
    for (const int order : {0, 1, 3}) {  // both arrays are dealt alike
      const auto x = share(a, order), y = share(b, order);
      EXPECT_EQ(bits_of(reproducible_dot(members, x, y)), bits_of(row.dot)) << row.family << " " << row.count;
      EXPECT_EQ(bits_of(reproducible_dot(members, as_floats(x), as_floats(y))), bits_of(row.float_dot)) << row.family;
      exact_dot by_hand;
      by_hand.add(x, y);
      EXPECT_EQ(bits_of(reproducible_dot(members, by_hand)), bits_of(row.dot)) << row.family;
    }
  }
}

TEST_F(Reproducible, several_sums_share_a_message) {
  const team members(comm());
  std::vector<std::vector<double>> arrays;
  for (const auto& row : exact_table) arrays.push_back(share(exact_numbers(row.family, row.seed, row.count), 1));
  const std::vector<std::span<const double>> spans(arrays.begin(), arrays.end());
  std::vector<double> sums(spans.size(), -1);
  reproducible_sums(members, spans, sums);
  for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_EQ(bits_of(sums[k]), bits_of(exact_table[k].sum));

  std::vector<std::vector<float>> narrow;
  for (const auto& one : arrays) narrow.push_back(as_floats(one));
  const std::vector<std::span<const float>> narrow_spans(narrow.begin(), narrow.end());
  std::vector<float> narrow_sums(spans.size(), -1);
  reproducible_sums(members, narrow_spans, narrow_sums);
  for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_EQ(bits_of(narrow_sums[k]), bits_of(exact_table[k].float_sum));

  sums.pop_back();
  EXPECT_THROW(reproducible_sums(members, spans, sums), usage_error);
}

TEST_F(Reproducible, several_accumulators_share_a_message) {
  const team members(comm());
  std::vector<exact_sum> sums(std::size(exact_table));
  std::vector<exact_dot> dots(std::size(exact_table));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const auto& row = exact_table[k];
    const auto a = share(exact_numbers(row.family, row.seed, row.count), 1);
    const auto b = share(exact_numbers(test::partner_of(row.family), row.seed + 50000, row.count), 1);
    sums[k].add(std::span<const double>(a));
    dots[k].add(a, b);
  }
  std::vector<double> found(sums.size()), found_dots(sums.size());
  std::vector<float> narrow(sums.size()), narrow_dots(sums.size());
  reproducible_sums(members, sums, found);
  reproducible_sums(members, sums, narrow);
  reproducible_dots(members, dots, found_dots);
  reproducible_dots(members, dots, narrow_dots);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    EXPECT_EQ(bits_of(found[k]), bits_of(exact_table[k].sum));
    EXPECT_EQ(bits_of(found_dots[k]), bits_of(exact_table[k].dot));
    exact_sum whole;
    exact_dot whole_dot;
    const auto& row = exact_table[k];
    const auto a = exact_numbers(row.family, row.seed, row.count);
    whole.add(std::span<const double>(a));
    whole_dot.add(a, exact_numbers(test::partner_of(row.family), row.seed + 50000, row.count));
    EXPECT_EQ(bits_of(narrow[k]), bits_of(whole.value_as_float()));
    EXPECT_EQ(bits_of(narrow_dots[k]), bits_of(whole_dot.value_as_float()));
  }
}

TEST_F(Reproducible, more_sums_than_fit_one_message) {
  const team members(comm());
  const std::vector<double> ones(3, 1.0);
  const std::vector<std::span<const double>> spans(2500, ones);
  std::vector<double> sums(spans.size());
  reproducible_sums(members, spans, sums);
  EXPECT_THAT(sums, ::testing::Each(3.0 * size()));
}

// The sum of one element over the ranks, from the numbers that all ranks contribute.
template <class T>
void check_elements(const team& members, const std::vector<std::vector<T>>& contributions) {
  auto mine = contributions[static_cast<std::size_t>(members.rank())];
  reproducible_allreduce(members, std::span<T>(mine));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    exact_sum sum;
    for (const auto& one : contributions) sum.add(static_cast<double>(one[i]));
    const T expected = std::is_same_v<T, float> ? static_cast<T>(sum.value_as_float()) : static_cast<T>(sum.value());
    EXPECT_EQ(bits_of(mine[i]), bits_of(expected)) << i << " of " << mine.size();
  }
}

TEST_F(Reproducible, elements_are_summed_exactly) {
  const team members(comm());
  for (const char* family : {"even", "any", "huge", "ties", "tiny", "two_scales"})
    for (const int count : {0, 1, 5, 700, 9001}) {
      std::vector<std::vector<double>> all;
      std::vector<std::vector<float>> narrow;
      for (int r = 0; r < size(); ++r) {
        all.push_back(exact_numbers(family, 4000 + static_cast<unsigned>(r), count));
        narrow.push_back(as_floats(all.back()));
      }
      check_elements(members, all);
      check_elements(members, narrow);
    }
}

TEST_F(Reproducible, elements_with_nan_infinities_and_zeros) {
  const team members(comm());
  const bool first = rank() == 0, last = rank() == size() - 1;
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::vector<double> values{last ? -nan : 1.0, first ? inf : 2.0, -0.0, first ? inf : -inf, 5.0};
  reproducible_allreduce(members, std::span<double>(values));
  EXPECT_EQ(bits_of(values[0]), bits_of(nan));
  EXPECT_EQ(values[1], inf);
  EXPECT_EQ(bits_of(values[2]), bits_of(0.0));
  EXPECT_EQ(bits_of(values[3]), size() == 1 ? bits_of(inf) : bits_of(nan));
  EXPECT_EQ(values[4], 5.0 * size());
}

TEST_F(Reproducible, long_arrays_go_in_pieces) {
  const team members(comm());
  const std::size_t n = (std::size_t{1} << 20) + 12345;
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 1000) + static_cast<float>(rank());
  reproducible_allreduce(members, std::span<float>(values));
  const auto ranks = static_cast<float>(size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += values[i] != static_cast<float>(i % 1000) * ranks + ranks * (ranks - 1) / 2 ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Reproducible, arrays_of_different_length_are_refused_before_anything_is_sent) {
  const team members(comm());
  const std::vector<double> a(3), b(4);
  EXPECT_THROW(reproducible_dot(members, a, b), usage_error);
  EXPECT_EQ(reproducible_sum(members, std::vector<double>{1.5}), 1.5 * size());
}

}  // namespace
}  // namespace nearfar
