// SPDX-License-Identifier: BSD-3-Clause
// The accumulator behind exact sums: adding a double to it, carries, and rounding once at the end. Integers only.
#include <bit>
#include <limits>
#include <nearfar/exact_sum.hpp>

namespace nearfar::internal {
namespace {

constexpr std::uint64_t low_half = 0xffffffffu;
constexpr int digits_of_double = 52, exponent_mask = 0x7ff;
constexpr int lowest_of_double = -1074;

int width_of(std::uint64_t bits) noexcept { return static_cast<int>(std::bit_width(bits)); }

// value = bits * 2^exponent, exactly.
struct parts {
  std::uint64_t bits;
  int exponent;
  bool is_negative, is_finite, is_nan;
};

parts take_apart(double value) noexcept {
  const auto raw = std::bit_cast<std::uint64_t>(value);
  const int stored = static_cast<int>(raw >> digits_of_double) & exponent_mask;
  const std::uint64_t fraction = raw & ((std::uint64_t{1} << digits_of_double) - 1);
  const std::uint64_t leading = stored == 0 ? 0 : std::uint64_t{1} << digits_of_double;
  return {fraction | leading, (stored == 0 ? 1 : stored) - 1 + lowest_of_double, raw >> 63 != 0,
          stored != exponent_mask, stored == exponent_mask && fraction != 0};
}

template <class T>
struct format;
template <>
struct format<double> {
  using raw = std::uint64_t;
  static constexpr int fraction_bits = 52, lowest = -1074, highest = 1023;
};
template <>
struct format<float> {
  using raw = std::uint32_t;
  static constexpr int fraction_bits = 23, lowest = -149, highest = 127;
};

// mantissa * 2^exponent, where it can be had without rounding; infinity beyond the largest number. A mantissa that
// rounding carried to the next power of two becomes a larger exponent by plain addition.
template <class T>
T put_together(std::uint64_t mantissa, int exponent, bool is_negative) noexcept {
  using f = format<T>;
  using raw = typename f::raw;
  const int width = width_of(mantissa);
  const bool is_too_large = width + exponent > f::highest + 1;
  const auto magnitude =
      static_cast<raw>((static_cast<raw>(exponent - f::lowest) << f::fraction_bits) + static_cast<raw>(mantissa));
  const T value = is_too_large ? std::numeric_limits<T>::infinity() : std::bit_cast<T>(magnitude);
  return is_negative ? -value : value;
}

// What rounding looks at: limbs without carries, the first holding the lowest digits.
class digit_string {
 public:
  digit_string(const std::int64_t* limbs, int count) noexcept : limbs_(limbs), count_(count) {}

  /// Places of digits in use: one more than that of the leading digit; 0 for zero.
  int width() const noexcept {
    for (int i = count_ - 1; i >= 0; --i)
      if (limbs_[i] != 0) return i * 32 + width_of(static_cast<std::uint64_t>(limbs_[i]));
    return 0;
  }
  bool digit(int place) const noexcept { return (limbs_[place / 32] >> (place % 32) & 1) != 0; }
  bool any_below(int place) const noexcept {
    for (int i = 0; i < place / 32; ++i)
      if (limbs_[i] != 0) return true;
    return (static_cast<std::uint64_t>(limbs_[place / 32]) & ((std::uint64_t{1} << (place % 32)) - 1)) != 0;
  }
  /// At most 53 of them, those from place `from` on.
  std::uint64_t digits(int from) const noexcept {
    const int shift = from % 32;
    std::uint64_t value = limb(from / 32) >> shift | limb(from / 32 + 1) << (32 - shift);
    if (shift != 0) value |= limb(from / 32 + 2) << (64 - shift);
    return value;
  }

 private:
  std::uint64_t limb(int i) const noexcept { return i < count_ ? static_cast<std::uint64_t>(limbs_[i]) : 0; }

  const std::int64_t* limbs_;
  int count_;
};

}  // namespace

// Up to 84 bits spread over three limbs.
template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::add_bits(std::uint64_t bits, int place, bool is_negative) noexcept {
  std::int64_t* limb = words_ + place / 32;
  const int shift = place % 32;
  const std::uint64_t low = bits << shift, high = shift == 0 ? 0 : bits >> (64 - shift);
  const std::int64_t flip =
      is_negative ? -1 : 0;  // (x ^ -1) + 1 is -x: signs are random, so that a branch would be missed
  limb[0] += (static_cast<std::int64_t>(low & low_half) ^ flip) - flip;
  limb[1] += (static_cast<std::int64_t>(low >> 32) ^ flip) - flip;
  limb[2] += (static_cast<std::int64_t>(high) ^ flip) - flip;
  if (++pending_ >= std::int64_t{1} << 30) propagate();
}

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::add(const double* values, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const parts p = take_apart(values[i]);
    if (p.bits == 0) continue;
    if (p.is_finite)
      add_bits(p.bits, p.exponent - Lowest, p.is_negative);
    else
      ++words_[Limbs + (p.is_nan ? 0 : p.is_negative ? 2 : 1)];
  }
}

// Two 53-bit numbers: 106 digits, in two parts.
template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::add_product(double a, double b) noexcept {
  if constexpr (Lowest <= 2 * lowest_of_double) {
    const parts p = take_apart(a), q = take_apart(b);
    const bool is_negative = p.is_negative != q.is_negative;
    if (!p.is_finite || !q.is_finite) {
      const bool is_zero_in_it = (p.is_finite && p.bits == 0) || (q.is_finite && q.bits == 0);
      ++words_[Limbs + (p.is_nan || q.is_nan || is_zero_in_it ? 0 : is_negative ? 2 : 1)];
      return;
    }
    const int place = p.exponent + q.exponent - Lowest;
    const auto product = static_cast<unsigned __int128>(p.bits) * q.bits;
    add_bits(static_cast<std::uint64_t>(product), place, is_negative);
    add_bits(static_cast<std::uint64_t>(product >> 64), place + 64, is_negative);
  }
}

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::add(const fixed_point& other) noexcept {
  if (pending_ + other.pending_ + 2 >= std::int64_t{1} << 30) propagate();
  for (int i = 0; i < words; ++i) words_[i] += other.words_[i];
  pending_ += other.pending_ + 2;
}

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::propagate() noexcept {
  for (int i = 0; i + 1 < Limbs; ++i) {
    words_[i + 1] += words_[i] >> 32;
    words_[i] &= static_cast<std::int64_t>(low_half);
  }
  pending_ = 0;
}

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::negate() noexcept {
  for (int i = 0; i < Limbs; ++i) words_[i] = -words_[i];
  propagate();
}

template <int Lowest, int Limbs>
const std::int64_t* fixed_point<Lowest, Limbs>::settled() noexcept {
  propagate();
  return words_;
}

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::take(const std::int64_t* sum_of_settled) noexcept {
  for (int i = 0; i < words; ++i) words_[i] = sum_of_settled[i];
  propagate();
}

template <int Lowest, int Limbs>
template <class T>
T fixed_point<Lowest, Limbs>::rounded() const noexcept {
  const std::int64_t nans = words_[Limbs], above = words_[Limbs + 1], below = words_[Limbs + 2];
  if (nans > 0 || (above > 0 && below > 0)) return std::numeric_limits<T>::quiet_NaN();
  if (above > 0) return std::numeric_limits<T>::infinity();
  if (below > 0) return -std::numeric_limits<T>::infinity();
  fixed_point magnitude = *this;
  magnitude.propagate();
  const bool is_negative = magnitude.is_negative_after_propagate();
  if (is_negative) magnitude.negate();
  const digit_string all(magnitude.words_, Limbs);
  const int width = all.width();
  // The lowest place that the result keeps: its precision counts from the leading digit, but ends at the smallest
  // number.
  constexpr int smallest = format<T>::lowest - Lowest;
  const int precise = width - format<T>::fraction_bits - 1;
  const int cut = precise > smallest ? precise : smallest;
  std::uint64_t mantissa = all.digits(cut);
  const bool is_half = cut > 0 && all.digit(cut - 1);
  if (is_half && ((mantissa & 1) != 0 || all.any_below(cut - 1))) ++mantissa;
  if (mantissa == 0) return T(0);
  return put_together<T>(mantissa, cut + Lowest, is_negative);
}

template class fixed_point<-1074, 68>;
template class fixed_point<-2148, 134>;
template double fixed_point<-1074, 68>::rounded<double>() const noexcept;
template float fixed_point<-1074, 68>::rounded<float>() const noexcept;
template double fixed_point<-2148, 134>::rounded<double>() const noexcept;
template float fixed_point<-2148, 134>::rounded<float>() const noexcept;

}  // namespace nearfar::internal
