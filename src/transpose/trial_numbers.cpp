// SPDX-License-Identifier: BSD-3-Clause
// Words of 32 bits: a float from 1 to 2 each, and the upper half of a double of about 0.01.
#include <algorithm>
#include <cstdint>
#include <transpose/side.hpp>
#include <transpose/trial_numbers.hpp>

namespace nearfar {

void fill_with_trial_numbers(const std::vector<transpose_side>& sides, index fields, std::size_t element_bytes,
                             const std::vector<void*>& starts) {
  constexpr std::uint32_t one = 0x3f800000, any = 2654435761;  // any: Knuth's multiplicative hashing
  constexpr int fraction_bits = 23;
  index bytes = 0;
  for (const transpose_side& side : sides)
    bytes = std::max(bytes, array_bytes(side, shape_of(side), fields, as_index(element_bytes)));
  for (void* const start : starts) {
    auto* const words = static_cast<std::uint32_t*>(start);
    for (std::size_t i = 0; i < as_size(bytes) / sizeof *words; ++i)
      words[i] = one | (static_cast<std::uint32_t>(i) * any) >> (32 - fraction_bits);
  }
}

}  // namespace nearfar
