// SPDX-License-Identifier: BSD-3-Clause
// The accumulator behind exact sums: adding a double to it, carries, and rounding once at the end. Integers only.
#include <bit>
#include <limits>
#include <nearfar/exact_sum.hpp>

namespace nearfar::internal {
namespace {

constexpr std::uint64_t low_half = 0xffffffffu;

int width_of(std::uint64_t bits) noexcept { return static_cast<int>(std::bit_width(bits)); }

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

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::add(const double* values, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) add(values[i]);
}

template <int Lowest, int Limbs>
void fixed_point<Lowest, Limbs>::add(const fixed_point& other) noexcept {
  if (pending_ + other.pending_ + 2 >= most_pending) propagate();
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
