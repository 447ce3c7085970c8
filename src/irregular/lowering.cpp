// SPDX-License-Identifier: BSD-3-Clause
// Ghosts by owner as flows.
#include <algorithm>
#include <base/internals.hpp>
#include <irregular/lowering.hpp>
#include <memory>
#include <utility>

#include "inspector.hpp"

namespace nearfar {

namespace {

/// Elements of the owner's from the first to the last that is asked for.
index_t reach_of(const irregular::inspection& all, const irregular::share& s) {
  const auto first = all.ghost_offsets.begin() + s.first;
  const auto [least, most] = std::minmax_element(first, first + s.count);
  return *most - *least + 1;
}

}  // namespace

exchange::rank_flows gather_flows(const distribution& where, std::span<const index_t> references,
                                  index_t element_bytes) {
  const auto& state = state_of(where);
  const auto found = irregular::inspect(state.members, state, references, "a modelled gather", [] {});
  exchange::rank_flows flows;
  for (const irregular::share& s : found.owners)
    flows.receives.push_back({s.peer, s.count * element_bytes, 1, s.count, reach_of(found, s) * element_bytes});
  return flows;
}

exchange::flows_by_rank gather_flows(const node_shape& shape, index_t elements,
                                     const std::function<std::vector<index_t>(int rank)>& references_of,
                                     index_t element_bytes) {
  auto all = std::make_shared<std::vector<exchange::rank_flows>>(as_size(shape.ranks));
  for (int rank = 0; rank < shape.ranks; ++rank) {
    auto found =
        gather_flows(distribution::block(modelled_team(shape, rank), elements), references_of(rank), element_bytes);
    for (exchange::flow_size f : found.receives) (*all)[as_size(std::exchange(f.peer, rank))].sends.push_back(f);
    (*all)[as_size(rank)].receives = std::move(found.receives);
  }
  return [all](int rank) { return all->at(as_size(rank)); };
}

}  // namespace nearfar
