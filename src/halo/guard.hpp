// SPDX-License-Identifier: BSD-3-Clause
// NEARFAR_CHECK=paranoid: poisons ghosts that must not be read, and detects writes to own cells that peers read.
#pragma once

#include <cstdint>
#include <exchange/pattern.hpp>
#include <vector>

namespace nearfar {

/// True with NEARFAR_CHECK=paranoid. @throws usage_error for a value that is not off, local, collective or paranoid
bool is_paranoid();

/// What a plan moves, for the checks around each exchange.
struct guarded_cells {
  int part = 0;  ///< of the plan
  std::byte* base = nullptr;
  exchange::strided_box where;
};

void poison(const std::vector<guarded_cells>& ghosts);                   ///< fills with 0xFF bytes
std::uint64_t fingerprint(const std::vector<guarded_cells>& own_cells);  ///< changes when any byte does, but for chance

}  // namespace nearfar
