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

}  // namespace nearfar::output
