// SPDX-License-Identifier: BSD-3-Clause
// Numbers in bytes of either order.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace seismic {

template <std::integral U>
constexpr U swapped(U value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(U)>>(value);
  for (std::size_t i = 0; i < sizeof(U) / 2; ++i) std::swap(bytes[i], bytes[sizeof(U) - 1 - i]);
  return std::bit_cast<U>(bytes);
}

/// Whether bytes of that order are to be swapped on this machine.
constexpr bool is_foreign(bool is_big_endian) { return is_big_endian == (std::endian::native == std::endian::little); }

template <std::integral U>
U integer_in(std::span<const std::byte> bytes, std::size_t at, bool is_big_endian) {
  U value;
  std::memcpy(&value, bytes.subspan(at, sizeof(U)).data(), sizeof(U));
  return is_foreign(is_big_endian) ? swapped(value) : value;
}

template <std::integral U>
void put_integer(std::span<std::byte> bytes, std::size_t at, bool is_big_endian, U value) {
  if (is_foreign(is_big_endian)) value = swapped(value);
  std::memcpy(bytes.subspan(at, sizeof(U)).data(), &value, sizeof(U));
}

inline float float_in(std::span<const std::byte> bytes, std::size_t at, bool is_big_endian) {
  return std::bit_cast<float>(integer_in<std::uint32_t>(bytes, at, is_big_endian));
}

inline double double_in(std::span<const std::byte> bytes, std::size_t at, bool is_big_endian) {
  return std::bit_cast<double>(integer_in<std::uint64_t>(bytes, at, is_big_endian));
}

inline void put_float(std::span<std::byte> bytes, std::size_t at, bool is_big_endian, float value) {
  put_integer(bytes, at, is_big_endian, std::bit_cast<std::uint32_t>(value));
}

}  // namespace seismic
