// SPDX-License-Identifier: BSD-3-Clause
// Random numbers by counting: the number of an index depends on nothing but that and a seed.
#pragma once

#include <array>
#include <cstdint>

namespace seismic {

/// Philox4x32 with ten rounds. @source Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2,
/// 3", section 3.3
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0], b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

/// From 0 to below 1, in steps of 2^-24: a float holds it.
constexpr double random_share(std::uint64_t seed, std::uint64_t index) {
  const auto words = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, 0},
                            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return static_cast<double>(words[0] >> 8) * 0x1p-24;
}

}  // namespace seismic
