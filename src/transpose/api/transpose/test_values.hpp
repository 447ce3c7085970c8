// SPDX-License-Identifier: BSD-3-Clause
// Contents of arrays that are only used for timing.
#pragma once

#include <nearfar/transpose.hpp>
#include <vector>

namespace nearfar {

/// Fills arrays that allocate_near() made for these sides with numbers between 0 and 2, as float and as double, none of
/// them zero: memory systems that take zeros for less than other numbers would flatter whatever stores past the caches
/// (0.57 of the time on one machine). Local.
void fill_with_test_values(const std::vector<transpose_side>& sides, index_t fields, std::size_t element_bytes,
                           const std::vector<void*>& starts);

}  // namespace nearfar
