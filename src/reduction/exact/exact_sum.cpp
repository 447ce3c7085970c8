// SPDX-License-Identifier: BSD-3-Clause
// Adds to accumulators: long arrays go through the vector loops first, which leave three sums per block to add.
#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <nearfar/error.hpp>
#include <nearfar/exact_sum.hpp>

#include "exact/split.hpp"
#include "exact/standard_arithmetic.hpp"

namespace nearfar {

using reduction::exact_loops;
using reduction::exact_loops_here;
using reduction::split_most;
using reduction::standard_arithmetic;

namespace {

constexpr index_t worth_splitting = 24;  // fewer numbers are added one by one
// Leading digits at or beyond these leave no room for the loops' constants.
constexpr int highest_to_split = 1000, lowest_to_split = -940;
// Each takes 126 binary digits. Numbers that are left after the second are spread so widely that the loops do not pay.
constexpr int most_rounds = 2;

bool is_splittable(double largest) {
  if (largest == 0 || !std::isfinite(largest)) return false;
  const int exponent = std::ilogb(largest);
  return exponent < highest_to_split && exponent > lowest_to_split;
}

// n <= split_most numbers. What a round leaves is what the next one begins with.
template <class Digits>
void add_block(Digits& total, const exact_loops& loops, const double* x, index_t n) {
  alignas(64) double rest[split_most];
  double largest = n < worth_splitting ? 0 : loops.largest(x, n);
  for (int round = 0; round < most_rounds && is_splittable(largest); ++round) {
    double sums[reduction::split_sums];
    largest = loops.split(x, n, std::ldexp(1.0, std::ilogb(largest) + 1 + reduction::split_bits), sums, rest);
    if (std::isnan(sums[0])) break;  // only in the first round, when nothing is added yet
    total.add(sums, reduction::split_sums);
    if (largest == 0) return;
    x = rest;
  }
  total.add(x, n);
}

template <class Digits>
void add_all(Digits& total, const exact_loops& loops, const double* x, index_t n) {
  for (index_t start = 0; start < n; start += split_most)
    add_block(total, loops, x + start, std::min(split_most, n - start));
}

// Products of numbers of type float have at most 48 digits: they are exact in double.
void multiply_floats(const float* a, const float* b, index_t n, double* product) {
  for (index_t i = 0; i < n; ++i) product[i] = static_cast<double>(a[i]) * static_cast<double>(b[i]);
}

void require_same_length(std::size_t a, std::size_t b) {
  if (a != b)
    throw usage_error(text("a dot product needs arrays of one length; these have ", a, " and ", b, " elements"));
}

}  // namespace

void exact_sum::add(std::span<const double> values) noexcept {
  const standard_arithmetic guard;
  add_all(total_, exact_loops_here(), values.data(), as_index(values.size()));
}

void exact_sum::add(std::span<const float> values) noexcept {
  const standard_arithmetic guard;
  alignas(64) double wide[split_most];
  for (index_t start = 0; start < as_index(values.size()); start += split_most) {
    const index_t many = std::min(split_most, as_index(values.size()) - start);
    std::copy_n(values.data() + start, many, wide);
    add_block(total_, exact_loops_here(), wide, many);
  }
}

double exact_sum::value() const noexcept { return total_.rounded<double>(); }
float exact_sum::value_as_float() const noexcept { return total_.rounded<float>(); }

void exact_dot::add(std::span<const double> a, std::span<const double> b) {
  require_same_length(a.size(), b.size());
  const standard_arithmetic guard;
  const exact_loops& loops = exact_loops_here();
  alignas(64) double product[split_most], error[split_most];
  for (index_t start = 0; start < as_index(a.size()); start += split_most) {
    const index_t many = std::min(split_most, as_index(a.size()) - start);
    const double *x = a.data() + start, *y = b.data() + start;
    if (loops.multiply(x, y, many, product, error)) {
      add_block(total_, loops, product, many);
      add_block(total_, loops, error, many);
    } else {
      for (index_t i = 0; i < many; ++i) total_.add_product(x[i], y[i]);
    }
  }
}

void exact_dot::add(std::span<const float> a, std::span<const float> b) {
  require_same_length(a.size(), b.size());
  const standard_arithmetic guard;
  alignas(64) double product[split_most];
  for (index_t start = 0; start < as_index(a.size()); start += split_most) {
    const index_t many = std::min(split_most, as_index(a.size()) - start);
    multiply_floats(a.data() + start, b.data() + start, many, product);
    add_block(total_, exact_loops_here(), product, many);
  }
}

double exact_dot::value() const noexcept { return total_.rounded<double>(); }
float exact_dot::value_as_float() const noexcept { return total_.rounded<float>(); }

}  // namespace nearfar
