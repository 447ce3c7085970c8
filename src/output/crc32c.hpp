// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (Castagnoli), by the processor's instruction where it has one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearfar::output {

/// Goes on from `crc`, which is 0 at the start.
std::uint32_t crc32c(std::uint32_t crc, const std::byte* data, std::size_t bytes) noexcept;

/// The same without the instruction.
std::uint32_t crc32c_by_table(std::uint32_t crc, const std::byte* data, std::size_t bytes) noexcept;

/// Of two pieces of memory one behind the other, out of the sums of both; `bytes` are those of the second.
std::uint32_t joined_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t bytes) noexcept;

}  // namespace nearfar::output
