// SPDX-License-Identifier: BSD-3-Clause
// Sums and dot products that are exact until they are asked for: any order, any grouping, the same bits.
#pragma once

#include <bit>
#include <cstdint>
#include <nearfar/api.hpp>
#include <span>

namespace nearfar {

namespace internal {

/// value = bits * 2^exponent, exactly, where it is finite.
struct double_parts {
  std::uint64_t bits;
  int exponent;
  bool is_negative, is_finite, is_nan;

  static constexpr int digits = 52, exponent_mask = 0x7ff, lowest = -1074;

  static double_parts of(double value) noexcept {
    const auto raw = std::bit_cast<std::uint64_t>(value);
    const int stored = static_cast<int>(raw >> digits) & exponent_mask;
    const std::uint64_t fraction = raw & ((std::uint64_t{1} << digits) - 1);
    const std::uint64_t leading = std::uint64_t{stored != 0} << digits;
    return {fraction | leading, stored - (stored != 0) + lowest, raw >> 63 != 0, stored != exponent_mask,
            stored == exponent_mask && fraction != 0};
  }
};

/// A number with a digit for every power of two from 2^Lowest up, in limbs that hold 32 bits each and have room for
/// carries; and how many of the numbers added were not finite. Adding two of them word by word adds the numbers.
template <int Lowest, int Limbs>
class NEARFAR_API fixed_point {
 public:
  static constexpr int words = Limbs + 3;

  void add(double value) noexcept {
    const double_parts p = double_parts::of(value);
    if (p.is_finite) [[likely]]
      add_bits(p.bits, p.exponent - Lowest, p.is_negative);
    else
      add_not_finite(p.is_nan, p.is_negative);
  }
  void add(const double* values, std::int64_t count) noexcept;
  /// The exact product. Two 53-bit numbers: 106 digits, in two parts.
  void add_product(double a, double b) noexcept requires(Lowest <= 2 * double_parts::lowest) {
    const double_parts p = double_parts::of(a), q = double_parts::of(b);
    const bool is_negative = p.is_negative != q.is_negative;
    if (p.is_finite && q.is_finite) [[likely]] {
      __extension__ typedef unsigned __int128 product;
      const product exact = static_cast<product>(p.bits) * q.bits;
      const int place = p.exponent + q.exponent - Lowest;
      add_bits(static_cast<std::uint64_t>(exact), place, is_negative);
      add_bits(static_cast<std::uint64_t>(exact >> 64), place + 64, is_negative);
    } else {
      const bool is_zero_in_it = (p.is_finite && p.bits == 0) || (q.is_finite && q.bits == 0);
      add_not_finite(p.is_nan || q.is_nan || is_zero_in_it, is_negative);
    }
  }
  void add(const fixed_point& other) noexcept;
  template <class T>
  T rounded() const noexcept;  ///< to nearest, ties to even; T: float or double

  /// Carries propagated: every limb but the last is in 0 … 2^32-1, so that 2^30 of these may be added word by word.
  const std::int64_t* settled() noexcept;
  void take(const std::int64_t* sum_of_settled) noexcept;

 private:
  static constexpr std::int64_t most_pending = std::int64_t{1} << 30;

  /// Up to 84 bits spread over three limbs.
  void add_bits(std::uint64_t bits, int place, bool is_negative) noexcept {
    constexpr std::uint64_t low_half = 0xffffffffu;
    std::int64_t* const limb = words_ + static_cast<unsigned>(place) / 32;
    const unsigned shift = static_cast<unsigned>(place) % 32;
    const std::uint64_t low = bits << shift, high = bits >> 1 >> (63 - shift);
    // (x ^ -1) + 1 is -x: signs are random, so that a branch would be missed
    const std::int64_t flip = -std::int64_t{is_negative};
    limb[0] += (static_cast<std::int64_t>(low & low_half) ^ flip) - flip;
    limb[1] += (static_cast<std::int64_t>(low >> 32) ^ flip) - flip;
    limb[2] += (static_cast<std::int64_t>(high) ^ flip) - flip;
    if (++pending_ >= most_pending) [[unlikely]]
      propagate();
  }
  void add_not_finite(bool is_nan, bool is_negative) noexcept { ++words_[Limbs + (is_nan ? 0 : is_negative ? 2 : 1)]; }
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
