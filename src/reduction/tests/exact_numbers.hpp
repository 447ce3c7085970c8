// SPDX-License-Identifier: BSD-3-Clause
// The numbers whose sums exact_table.hpp lists, made the same way in make_exact_table.py.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace nearfar::test {

class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

inline double finite_from_bits(std::uint64_t bits) {
  if ((bits >> 52 & 0x7ff) == 0x7ff) bits &= ~(std::uint64_t{1} << 52);
  return std::bit_cast<double>(bits);
}

inline double exact_number(const std::string& family, int i, std::uint64_t r, double before) {
  const double even = static_cast<double>(r >> 11) * 0x1p-53 - 0.5;
  if (family == "even") return even;
  if (family == "any") return finite_from_bits(r);
  if (family == "cancelling" && i % 97 == 96) return even * 0x1p-600;
  if (family == "cancelling") return i % 2 ? -before : finite_from_bits(r);
  if (family == "huge") return (1.75 + even * 0.25) * 0x1p1023 * (i % 3 == 1 ? -1 : 1);
  const double ties[] = {1, 0x1p-53, 0x1p-53, -0x1p-106, 0x1p-105, 0};
  if (family == "ties") return ties[r % 6];
  if (family == "tiny") return finite_from_bits(r & (std::uint64_t{1} << 63 | ((std::uint64_t{1} << 50) - 1)));
  return even * (r & 1 ? 0x1p600 : 0x1p-600);
}

inline std::vector<double> exact_numbers(const std::string& family, std::uint64_t seed, int count) {
  random_bits bits(seed);
  std::vector<double> result;
  double before = 0;
  for (int i = 0; i < count; ++i) result.push_back(before = exact_number(family, i, bits.next(), before));
  return result;
}

/// What the numbers of a family are multiplied with in dot products.
inline std::string partner_of(const std::string& family) {
  if (family == "any") return "even";
  if (family == "cancelling") return "two_scales";
  if (family == "huge") return "tiny";
  if (family == "tiny") return "huge";
  return family == "two_scales" ? "any" : family;
}

inline std::vector<float> as_floats(const std::vector<double>& numbers) {
  std::vector<float> result;
  for (const double x : numbers) result.push_back(std::fabs(x) > 3e38 ? (x > 0 ? 1.0f : -1.0f) : static_cast<float>(x));
  return result;
}

}  // namespace nearfar::test
