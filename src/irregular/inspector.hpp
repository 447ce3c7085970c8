// SPDX-License-Identifier: BSD-3-Clause
// The local half of making a plan: which elements are referred to, who owns them, and every reference in local
// numbering.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "distribution_state.hpp"

namespace nearfar::irregular {

/// Entries first … first + count - 1 of some list belong to `peer`.
struct share {
  int peer = 0;
  index_t first = 0, count = 0;
};

struct inspection {
  index_t owned = 0;
  std::vector<std::int32_t> local;          ///< per reference
  std::vector<share> owners;                ///< of the ghosts, ascending; this rank is not among them
  std::vector<std::int32_t> ghost_offsets;  ///< per ghost: its offset at its owner
  std::vector<index_t> ghost_globals;       ///< per ghost; only where the distribution cannot tell from the offset
  std::array<index_t, 2> most{};            ///< ghosts of one rank with near and with far owners, the most of any
  index_t ghosts() const noexcept { return as_index(ghost_offsets.size()); }
};

/// Collective over `members`: all ranks fail or none. `check` is called first and may throw.
/// @throws usage_error an index out of range; too many elements for 32-bit local indices
inspection inspect(const team& members, const distribution_state& where, std::span<const index_t> indices,
                   const std::string& plan, const std::function<void()>& check);

}  // namespace nearfar::irregular
