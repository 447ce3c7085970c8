// SPDX-License-Identifier: BSD-3-Clause
// Distributions whose owners are computed: blocks, dealt blocks, and two arrays of blocks after one another.
#pragma once

#include <vector>

#include "distribution_state.hpp"

namespace nearfar::gathering {

/// `elements` in `ranks` contiguous blocks that differ by at most one element.
struct even_blocks {
  index elements = 0;
  int ranks = 1;

  index size(int r) const noexcept { return elements / ranks + (r < elements % ranks ? 1 : 0); }
  index first(int r) const noexcept;
  int owner(index g) const noexcept;
};

std::shared_ptr<const distribution_state> make_block(const team& t, index elements);
std::shared_ptr<const distribution_state> make_block_sizes(const team& t, index own, std::vector<index> firsts);
std::shared_ptr<const distribution_state> make_dealt(const team& t, index elements, index block, const char* name);
std::shared_ptr<const distribution_state> make_two_block(const team& t, index elements, index first, bool is_reversed);

}  // namespace nearfar::gathering
