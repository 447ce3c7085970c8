// SPDX-License-Identifier: BSD-3-Clause
// Ghosts by owner as flows.
#include <base/internals.hpp>
#include <gather/lowering.hpp>

#include "inspector.hpp"

namespace nearfar {

exchange::rank_flows gather_flows(const distribution& where, std::span<const index_t> references,
                                  index_t element_bytes) {
  const auto& state = state_of(where);
  const auto found = gathering::inspect(state.members, state, references, "a modelled gather", [] {});
  exchange::rank_flows flows;
  for (const gathering::share& s : found.owners)
    flows.receives.push_back({s.peer, s.count * element_bytes, 1, s.count});
  return flows;
}

}  // namespace nearfar
