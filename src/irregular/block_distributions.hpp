// SPDX-License-Identifier: BSD-3-Clause
// Distributions whose owners are computed: block, cyclic and block-cyclic, and two arrays in blocks one after the
// other.
#pragma once

#include <base/even_blocks.hpp>
#include <vector>

#include "distribution_state.hpp"

namespace nearfar::irregular {

std::shared_ptr<const distribution_state> make_block(const team& t, index_t elements);
std::shared_ptr<const distribution_state> make_block_sizes(const team& t, index_t own, std::vector<index_t> firsts);
std::shared_ptr<const distribution_state> make_dealt(const team& t, index_t elements, index_t block, const char* name);
std::shared_ptr<const distribution_state> make_two_block(const team& t, index_t elements, index_t first,
                                                         bool is_reversed);

}  // namespace nearfar::irregular
