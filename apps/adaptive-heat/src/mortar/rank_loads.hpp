// SPDX-License-Identifier: BSD-3-Clause
// What ranks would have to compute and to exchange if there were more of them.
#pragma once

#include <cstdint>
#include <mortar/layout.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

struct rank_load {
  std::int64_t elements = 0;
  std::int64_t values = 0;    ///< that arrive in one sum of the form copies, and as many leave
  std::int64_t partners = 0;  ///< ranks that they come from
};

/// Counted point by point for equal shares of the elements along the curve: what the plans of so many ranks move.
/// `layout` is that of the whole mesh on one rank. Local.
std::vector<rank_load> loads_of(const mortar_layout& layout, std::span<const leaf_shape> shapes, int ranks);

}  // namespace adaptive_heat
