// SPDX-License-Identifier: BSD-3-Clause
// Exact sums and dot products against a table worked out with fractions, in any order and grouping, on the processor's
// best loops and on the plain ones, and in unusual arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <nearfar/error.hpp>
#include <nearfar/exact_sum.hpp>
#include <random>
#include <thread>

#include "exact/split.hpp"
#include "exact/standard_arithmetic.hpp"
#include "exact_numbers.hpp"
#include "exact_table.hpp"
#include "kernel.hpp"

namespace nearfar {
namespace {

using test::as_floats;
using test::bits_of;
using test::exact_numbers;
using test::exact_row;
using test::exact_table;

std::string name_of(const exact_row& row) { return std::string(row.family) + " " + std::to_string(row.count); }

double sum_of(const std::vector<double>& x) {
  exact_sum sum;
  sum.add(std::span<const double>(x));
  return sum.value();
}

TEST(ExactSum, gives_the_bits_of_the_table) {
  for (const auto& row : exact_table) {
    const auto x = exact_numbers(row.family, row.seed, row.count);
    const auto y = exact_numbers(test::partner_of(row.family), row.seed + 50000, row.count);
    EXPECT_EQ(bits_of(sum_of(x)), bits_of(row.sum)) << name_of(row);
    exact_sum singly, narrow;
    for (const double one : x) singly.add(one);
    EXPECT_EQ(bits_of(singly.value()), bits_of(row.sum)) << name_of(row);
    narrow.add(std::span<const float>(as_floats(x)));
    EXPECT_EQ(bits_of(narrow.value_as_float()), bits_of(row.float_sum)) << name_of(row);
    exact_dot dot, dot_singly, dot_narrow;
    dot.add(x, y);
    EXPECT_EQ(bits_of(dot.value()), bits_of(row.dot)) << name_of(row);
    for (std::size_t i = 0; i < x.size(); ++i) dot_singly.add(x[i], y[i]);
    EXPECT_EQ(bits_of(dot_singly.value()), bits_of(row.dot)) << name_of(row);
    const auto u = as_floats(x), v = as_floats(y);
    dot_narrow.add(u, v);
    EXPECT_EQ(bits_of(dot_narrow.value_as_float()), bits_of(row.float_dot)) << name_of(row);
  }
}

TEST(ExactSum, does_not_depend_on_order_or_grouping) {
  std::mt19937 random(3);
  for (const auto& row : exact_table) {
    auto x = exact_numbers(row.family, row.seed, row.count);
    for (int shuffle = 0; shuffle < 5; ++shuffle) {
      std::shuffle(x.begin(), x.end(), random);
      std::vector<exact_sum> parts(std::size_t{1} + random() % 7);
      std::size_t at = 0;
      while (at < x.size()) {
        const std::size_t many = std::min<std::size_t>(x.size() - at, random() % 1500);
        parts[random() % parts.size()].add(std::span<const double>(x).subspan(at, many));
        at += many;
      }
      for (std::size_t k = 1; k < parts.size(); ++k) parts[0].merge(parts[k]);
      EXPECT_EQ(bits_of(parts[0].value()), bits_of(row.sum)) << name_of(row);
    }
  }
}

TEST(ExactSum, words_of_settled_accumulators_may_be_added) {
  for (const auto& row : exact_table) {
    const auto x = exact_numbers(row.family, row.seed, row.count);
    std::vector<std::int64_t> total(exact_sum::digits::words);
    for (std::size_t part = 0; part < 5; ++part) {
      exact_sum one;
      for (std::size_t i = part; i < x.size(); i += 5) one.add(x[i]);
      const std::int64_t* words = one.total().settled();
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += words[i];
    }
    exact_sum sum;
    sum.total().take(total.data());
    EXPECT_EQ(bits_of(sum.value()), bits_of(row.sum)) << name_of(row);
  }
}

TEST(ExactSum, what_is_not_finite_and_zeros) {
  const double inf = INFINITY, nan = NAN;
  const auto value_of = [](std::vector<double> x) {
    const double short_one = sum_of(x);
    x.resize(2000, 1e-3);
    const double long_one = sum_of(x);
    EXPECT_TRUE(std::isfinite(short_one) || bits_of(short_one) == bits_of(long_one));
    return short_one;
  };
  const std::uint64_t the_nan = bits_of(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(bits_of(value_of({1, nan, 2})), the_nan);
  EXPECT_EQ(bits_of(value_of({-nan})), the_nan);
  EXPECT_EQ(bits_of(value_of({inf, 1, -inf})), the_nan);
  EXPECT_EQ(value_of({inf, -1e308}), inf);
  EXPECT_EQ(value_of({-inf, 1e308}), -inf);
  EXPECT_EQ(bits_of(value_of({})), bits_of(0.0));
  EXPECT_EQ(bits_of(value_of({-0.0, -0.0})), bits_of(0.0));
  EXPECT_EQ(bits_of(value_of({1e300, -1e300})), bits_of(0.0));
  EXPECT_EQ(value_of({0x1p1023, 0x1p1023, -0x1p1023}), 0x1p1023);
  exact_dot dot;
  dot.add(0, inf);
  EXPECT_EQ(bits_of(dot.value()), the_nan);
  exact_dot large;
  large.add(1e300, 1e300);
  EXPECT_EQ(large.value(), inf);
  large.add(-1e300, 1e300);
  large.add(3, 5);
  EXPECT_EQ(large.value(), 15);
  large.add(inf, -1);
  EXPECT_EQ(large.value(), -inf);
  exact_dot small;
  small.add(0x1p-1074, 0x1p-1074);
  small.add(0x1p-1000, 0x1p-75);
  EXPECT_EQ(bits_of(small.value()), bits_of(0x1p-1074));  // just above half of the smallest number
}

TEST(ExactSum, numbers_next_to_ties_round_to_even) {
  for (const double e : {0x1p-300, 1.0, 0x1p200}) {
    EXPECT_EQ(sum_of({1 * e, 0x1p-53 * e}), 1 * e);
    EXPECT_EQ(sum_of({1 * e, 0x1p-52 * e, 0x1p-53 * e}), (1 + 0x1p-51) * e);
    EXPECT_EQ(sum_of({1 * e, 0x1p-53 * e, 0x1p-700 * e}), (1 + 0x1p-52) * e);
    EXPECT_EQ(sum_of({1 * e, 0x1p-53 * e, -0x1p-700 * e}), 1 * e);
    EXPECT_EQ(sum_of({-1 * e, -0x1p-53 * e, -0x1p-700 * e}), -(1 + 0x1p-52) * e);
  }
  EXPECT_EQ(sum_of({std::numeric_limits<double>::max(), 0x1p969}), std::numeric_limits<double>::max());
  EXPECT_EQ(sum_of({std::numeric_limits<double>::max(), 0x1p970}), INFINITY);
}

TEST(ExactSum, many_additions_do_not_overflow_the_limbs) {
  exact_sum sum;
  const double largest = std::numeric_limits<double>::max();
  for (int k = 0; k < 40; ++k) {
    exact_sum other = sum;
    other.add(largest);
    sum.merge(other);  // 2^k - 1 times the largest number
  }
  EXPECT_EQ(sum.value(), INFINITY);
  exact_sum opposite;
  for (int k = 0; k < 40; ++k) {
    exact_sum other = opposite;
    other.add(-largest);
    opposite.merge(other);
  }
  opposite.add(1.5);
  sum.merge(opposite);
  EXPECT_EQ(sum.value(), 1.5);
}

#if defined(__SSE2__)
// As a program compiled with -ffast-math, or one that rounds upwards.
TEST(ExactSum, does_not_depend_on_the_mode_of_the_processor) {
  const unsigned before = _mm_getcsr();
  for (const unsigned mode : {0x8040u, 0x4000u, 0x2000u, 0x6000u, 0xe040u}) {
    for (const auto& row : exact_table) {
      const auto x = exact_numbers(row.family, row.seed, row.count);
      const auto y = exact_numbers(test::partner_of(row.family), row.seed + 50000, row.count);
      exact_dot dot;
      exact_sum sum;
      _mm_setcsr((before & ~0xe040u) | mode);
      sum.add(std::span<const double>(x));
      dot.add(x, y);
      const double found = sum.value(), found_dot = dot.value();
      const unsigned after = _mm_getcsr();
      _mm_setcsr(before);
      EXPECT_EQ(after & 0xe040u, mode) << "the mode is the caller's again";
      EXPECT_EQ(bits_of(found), bits_of(row.sum)) << name_of(row) << " mode " << mode;
      EXPECT_EQ(bits_of(found_dot), bits_of(row.dot)) << name_of(row) << " mode " << mode;
    }
  }
}
#endif

TEST(ExactSum, threads_each_with_their_own_give_the_same) {
  const exact_row& row = exact_table[std::size(exact_table) - 1];
  const auto x = exact_numbers(row.family, row.seed, row.count);
  exact_sum parts[4];
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < x.size(); i += 4) parts[t].add(x[i]);
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 1; t < 4; ++t) parts[0].merge(parts[t]);
  EXPECT_EQ(bits_of(parts[0].value()), bits_of(row.sum));
}

TEST(ExactDot, lengths_must_agree) {
  exact_dot dot;
  const std::vector<double> a(3), b(4);
  EXPECT_THROW(dot.add(a, b), usage_error);
}

// ---- The loops ----

std::vector<const reduction::exact_loops*> all_loops() {
  std::vector<const reduction::exact_loops*> list{&reduction::plain::exact};
  if (reduction::avx2::is_usable()) list.push_back(&reduction::avx2::exact);
  if (reduction::avx512::is_usable()) list.push_back(&reduction::avx512::exact);
  return list;
}

TEST(ExactLoops, what_is_split_off_and_what_is_left_are_the_whole) {
  for (const auto* loops : all_loops())
    for (const char* family : {"even", "ties", "two_scales", "cancelling"}) {
      auto x = exact_numbers(family, 77, 1008);
      for (double& one : x)
        if (std::fabs(one) > 0x1p900) one = 1;
      const double most = loops->largest(x.data(), 1008);
      EXPECT_EQ(most, std::fabs(*std::max_element(x.begin(), x.end(),
                                                  [](double a, double b) { return std::fabs(a) < std::fabs(b); })));
      double sums[3];
      std::vector<double> rest(1008);
      const double left = loops->split(x.data(), 1008, std::ldexp(1.0, std::ilogb(most) + 11), sums, rest.data());
      exact_sum whole, parts;
      for (const double one : x) whole.add(one);
      for (const double one : sums) parts.add(one);
      for (const double one : rest) {
        parts.add(one);
        EXPECT_LE(std::fabs(one), left);
      }
      EXPECT_LE(left, most * 0x1p-100);
      parts.add(-whole.value());
      whole.add(-whole.value());
      EXPECT_EQ(parts.value(), whole.value()) << family;
    }
}

TEST(ExactLoops, products_have_two_parts_without_error) {
  for (const auto* loops : all_loops()) {
    std::vector<double> p(1000), e(1000);
    const auto a = exact_numbers("even", 5, 1000), b = exact_numbers("ties", 6, 1000);
    EXPECT_TRUE(loops->multiply(a.data(), b.data(), 1000, p.data(), e.data()));
    for (std::size_t i = 0; i < 1000; ++i) {
      exact_dot dot;
      dot.add(a[i], b[i]);
      dot.add(-p[i], 1);
      dot.add(-e[i], 1);
      EXPECT_EQ(dot.value(), 0) << i;
    }
    for (const double bad : {0x1p-1000, 0x1p991, std::numeric_limits<double>::infinity(), std::nan("")}) {
      auto worse = b;
      worse[500] = bad;
      EXPECT_FALSE(loops->multiply(a.data(), worse.data(), 1000, p.data(), e.data())) << bad;
    }
  }
}

template <class T>
void check_columns(const std::vector<std::vector<T>>& in,
                   index_t (*add)(T*, const T* const*, int, index_t, unsigned char*)) {
  const auto n = static_cast<index_t>(in[0].size());
  std::vector<const T*> pointers;
  for (const auto& one : in) pointers.push_back(one.data());
  std::vector<T> out(in[0].size());
  std::vector<unsigned char> is_open(in[0].size(), 7);
  const index_t open = add(out.data(), pointers.data(), static_cast<int>(in.size()), n, is_open.data());
  EXPECT_EQ(open, std::count(is_open.begin(), is_open.end(), 1));
  for (std::size_t i = 0; i < out.size(); ++i) {
    exact_sum sum;
    for (const auto& one : in) sum.add(static_cast<double>(one[i]));
    const T expected = std::is_same_v<T, float> ? static_cast<T>(sum.value_as_float()) : static_cast<T>(sum.value());
    EXPECT_TRUE(is_open[i] || bits_of(out[i]) == bits_of(expected)) << i;
  }
}

TEST(ExactLoops, columns_are_rounded_correctly_or_left_open) {
  for (const auto* loops : all_loops())
    for (const char* family : {"even", "any", "huge", "ties", "tiny", "two_scales"})
      for (const int parts : {1, 2, 3, 4, 7}) {
        std::vector<std::vector<double>> wide;
        std::vector<std::vector<float>> narrow;
        for (int k = 0; k < parts; ++k) {
          wide.push_back(exact_numbers(family, 900 + static_cast<unsigned>(k), 700));
          narrow.push_back(as_floats(wide.back()));
        }
        check_columns<double>(wide, loops->add_columns_double);
        check_columns<float>(narrow, loops->add_columns_float);
      }
}

}  // namespace
}  // namespace nearfar
