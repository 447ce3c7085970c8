// SPDX-License-Identifier: BSD-3-Clause
// Values for races on arrays of zeros: programs make plans first and fill their arrays later. Some processors copy
// zeros in half the time of other numbers, especially by non-temporal stores, so races on zeros would choose wrongly.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>

namespace nearfar {

bool are_zeros(const std::byte* at, index_t bytes) noexcept;

/// Each 4 bytes are a float from 1 to 2, each 8 a double of about 0.01; all differ.
void fill_with_test_values(std::byte* at, index_t bytes) noexcept;

}  // namespace nearfar
