// SPDX-License-Identifier: BSD-3-Clause
// Byte counts and times as people read them.
#include <array>
#include <base/text.hpp>
#include <charconv>
#include <cmath>

namespace nearfar {
namespace {

// Decimals that leave three significant digits of a value below 1000.
int decimals_for(double value) {
  if (value < 9.995) return 2;
  return value < 99.95 ? 1 : 0;
}

std::string print(double value, int decimals, const char* unit) {
  std::array<char, 512> digits{};  // room for every double
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals);
  return std::string(digits.data(), end.ptr) + ' ' + unit;
}

}  // namespace

std::string readable_bytes(std::int64_t bytes) {
  const double magnitude = std::abs(static_cast<double>(bytes));
  if (magnitude < 1000) return text(bytes, " B");
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
  double scaled = magnitude / 1000;
  std::size_t unit = 0;
  while (scaled >= 999.5 && unit + 1 < units.size()) scaled /= 1000, ++unit;
  return print(bytes < 0 ? -scaled : scaled, scaled < 9.95 ? 1 : 0, units[unit]);
}

std::string readable_time(double seconds) {
  if (!std::isfinite(seconds)) return text(seconds, " s");
  const double magnitude = std::abs(seconds);
  constexpr std::array<std::pair<double, const char*>, 3> small{{{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}}};
  for (const auto& [scale, unit] : small)
    if (magnitude * scale < 999.5) return print(seconds * scale, decimals_for(magnitude * scale), unit);
  return print(seconds, decimals_for(magnitude), "s");
}

}  // namespace nearfar
