// SPDX-License-Identifier: BSD-3-Clause
// Sums and dot products that are exact until they are asked for: any order, any grouping, the same bits.
#pragma once

#include <cstdint>
#include <nearfar/api.hpp>
#include <span>

namespace nearfar {

namespace internal {

/// A number with a digit for every power of two from 2^Lowest up, in limbs that hold 32 bits each and have room for
/// carries; and how many of the numbers added were not finite. Adding two of them word by word adds the numbers.
template <int Lowest, int Limbs>
class NEARFAR_API fixed_point {
 public:
  static constexpr int words = Limbs + 3;

  void add(double value) noexcept { add(&value, 1); }
  void add(const double* values, std::int64_t count) noexcept;
  void add_product(double a, double b) noexcept;  ///< the exact product; Lowest must be low enough
  void add(const fixed_point& other) noexcept;
  template <class T>
  T rounded() const noexcept;  ///< to nearest, ties to even; T: float or double

  /// Carries propagated: every limb but the last is in 0 … 2^32-1, so that 2^30 of these may be added word by word.
  const std::int64_t* settled() noexcept;
  void take(const std::int64_t* sum_of_settled) noexcept;

 private:
  void add_bits(std::uint64_t bits, int place, bool is_negative) noexcept;
  void propagate() noexcept;
  bool is_negative_after_propagate() const noexcept { return words_[Limbs - 1] < 0; }
  void negate() noexcept;

  std::int64_t words_[words] = {};  ///< limbs, then counts of NaN, +infinity, -infinity
  std::int64_t pending_ = 0;        ///< additions since carries were propagated, each less than 2^32 per limb
};

}  // namespace internal

/// The exact sum of any numbers added, of either sign and any size, up to 2^63 of them. Local; no memory but its own
/// 600 bytes.
///
/// The value is the exact sum, rounded once to nearest, ties to even. So it does not depend on the order of the
/// numbers, nor on how they were spread over accumulators. Sums that pass the largest number on the way do not
/// overflow. An exact zero is +0. NaN, or infinities of both signs, give the one quiet NaN. The caller's rounding mode
/// and flush-to-zero do not matter. One thread at a time; give each thread its own and merge them.
///
/// @source two stages, vector loops before an accumulator whose carries wait: S. Collange, D. Defour, S. Graillat, R.
///         Iakymchuk, Full-speed deterministic bit-accurate parallel floating-point summation on multi- and many-core
///         architectures, 2014. Accumulator: R. M. Neal, Fast exact summation using small and large superaccumulators,
///         arXiv:1505.05571 (the small one). Loops: the error-free vector transformation of S. M. Rump, T. Ogita, S.
///         Oishi, Accurate floating-point summation part I: faithful rounding, SIAM J. Sci. Comput. 31(1), 2008; three
///         of them in one pass is ours
class NEARFAR_API exact_sum {
 public:
  /// Adds one number.
  void add(double value) noexcept { total_.add(value); }
  /// Adds all elements, with vector instructions; one call is much cheaper than one per element.
  void add(std::span<const double> values) noexcept;
  void add(std::span<const float> values) noexcept;  ///< the same for floats
  /// Adds the sum of the other one, whose value stays.
  void merge(const exact_sum& other) noexcept { total_.add(other.total_); }

  double value() const noexcept;          ///< all that was added, rounded once to nearest; more may be added afterwards
  float value_as_float() const noexcept;  ///< rounded once, not by way of double

  using digits = internal::fixed_point<-1074, 68>;  ///< internal
  digits& total() noexcept { return total_; }       ///< internal

 private:
  digits total_;
};

/// The exact sum of products: as exact_sum, with exact products of two numbers added. 1.1 kB.
///
/// No product overflows or underflows. A product with NaN, or of zero and infinity, is NaN.
/// @source product and its error by fused multiply-add, or after T. J. Dekker, A floating-point technique for extending
///         the available precision, Numer. Math. 18, 1971; products near the ends of the range by integers, ours
class NEARFAR_API exact_dot {
 public:
  /// Adds the exact product of the two numbers.
  void add(double a, double b) noexcept { total_.add_product(a, b); }
  /// Adds a[0] b[0] + a[1] b[1] + …. @throws usage_error if the lengths differ
  void add(std::span<const double> a, std::span<const double> b);
  void add(std::span<const float> a, std::span<const float> b);  ///< the same for floats
  /// Adds the sum of the other one, whose value stays.
  void merge(const exact_dot& other) noexcept { total_.add(other.total_); }

  double value() const noexcept;          ///< all that was added, rounded once to nearest
  float value_as_float() const noexcept;  ///< rounded once, not by way of double

  using digits = internal::fixed_point<-2148, 134>;  ///< internal
  digits& total() noexcept { return total_; }        ///< internal

 private:
  digits total_;
};

}  // namespace nearfar
