// SPDX-License-Identifier: BSD-3-Clause
// Models as bytes of files: a ground of 3 x 4 x 5 points along z, y and x whose values are their own places.
#pragma once

#include <grid/grid.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace seismic {

inline float value_at(index_t k, index_t j, index_t i) { return static_cast<float>(1000 + 100 * k + 10 * j + i); }

template <class T>
std::string bytes_of(const std::vector<T>& values, bool is_swapped = false) {
  std::string all;
  for (const T v : values) {
    std::string one(reinterpret_cast<const char*>(&v), sizeof v);
    if (is_swapped) std::reverse(one.begin(), one.end());
    all += one;
  }
  return all;
}

template <class T>
void put(std::string& bytes, std::size_t at, T value, bool is_big_endian) {
  bytes.replace(at, sizeof value, bytes_of(std::vector<T>{value}, is_big_endian));
}

/// IBM's format for numbers that it holds exactly.
inline std::uint32_t ibm_of(float value) {
  int exponent = 0;
  const double share = std::frexp(static_cast<double>(value), &exponent);
  const int hex = (exponent + 3) / 4;
  return static_cast<std::uint32_t>((hex + 64) << 24) |
         static_cast<std::uint32_t>(std::ldexp(share, exponent - 4 * hex + 24));
}

struct segy_kind {
  bool is_big_endian = true, is_ibm = false, has_lines = true;
  int extended = 0;
};

inline std::string segy_of(const segy_kind& kind) {
  std::string all(3600, ' ');
  std::fill(all.begin() + 3200, all.end(), '\0');
  put<std::int16_t>(all, 3220, 3, kind.is_big_endian),
      put<std::int16_t>(all, 3224, kind.is_ibm ? 1 : 5, kind.is_big_endian);
  put<std::uint16_t>(all, 3500, 0x0100, kind.is_big_endian);
  put<std::int16_t>(all, 3504, static_cast<std::int16_t>(kind.extended), kind.is_big_endian);
  all += std::string(static_cast<std::size_t>(3200 * kind.extended), ' ');
  for (index_t j = 0; j < 4; ++j)
    for (index_t i = 0; i < 5; ++i) {
      std::string trace(240 + 12, '\0');
      put<std::int16_t>(trace, 114, 3, kind.is_big_endian);
      if (kind.has_lines)
        put(trace, 188, static_cast<std::int32_t>(j + 7), kind.is_big_endian),
            put(trace, 192, static_cast<std::int32_t>(i + 1), kind.is_big_endian);
      for (index_t k = 0; k < 3; ++k) {
        const float v = value_at(k, j, i);
        put(trace, static_cast<std::size_t>(240 + 4 * k), kind.is_ibm ? ibm_of(v) : std::bit_cast<std::uint32_t>(v),
            kind.is_big_endian);
      }
      all += trace;
    }
  return all;
}

}  // namespace seismic
