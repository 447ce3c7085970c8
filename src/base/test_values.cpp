// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <base/test_values.hpp>
#include <cstdint>
#include <cstring>

namespace nearfar {

bool are_zeros(const std::byte* at, index_t bytes) noexcept {
  return std::all_of(at, at + bytes, [](std::byte b) { return b == std::byte{0}; });
}

void fill_with_test_values(std::byte* at, index_t bytes) noexcept {
  constexpr std::uint32_t one = 0x3f800000, any = 2654435761;  // any: Knuth's multiplicative hashing
  constexpr int fraction_bits = 23;
  constexpr auto word_bytes = static_cast<index_t>(sizeof one);
  for (index_t i = 0; i < bytes; i += word_bytes) {
    const auto number = static_cast<std::uint32_t>(i / word_bytes);
    const std::uint32_t word = one | (number * any) >> (32 - fraction_bits);
    std::memcpy(at + i, &word, as_size(std::min(word_bytes, bytes - i)));
  }
}

}  // namespace nearfar
