// SPDX-License-Identifier: BSD-3-Clause
// A gather of ghosts and a scatter back, on an array of the plan's own.
#include "raced_array.hpp"

#include <algorithm>
#include <array>
#include <topology/agree.hpp>

namespace nearfar::irregular {

namespace {

/// For each element that is wanted of a rank: so that those that lie apart stay apart, as far as caches can tell.
constexpr index_t own_per_wanted = 16;
constexpr index_t least_own_bytes = index_t{1} << 20;

/// Adding, to elements that may be no numbers: it must take as long as callers' additions, and x is scratch.
nearfar::detail::combiner test_operation(index_t element_bytes) {
  if (element_bytes % 8 == 0) return nearfar::detail::combiner_of(reduce_op::sum, element_type::int64, 8);
  if (element_bytes % 4 == 0) return nearfar::detail::combiner_of(reduce_op::sum, element_type::int32, 4);
  return nearfar::detail::combiner_of(reduce_op::replace, element_type::bytes, 1);
}

void fold_all(std::vector<std::int32_t>& places, index_t most) {
  for (std::int32_t& p : places) p = static_cast<std::int32_t>(p % most);
}

}  // namespace

raced_array::raced_array(const team& members, near::arena& memory, const plan_lists& of, index_t element_bytes,
                         executor& moves)
    : of_(of), moves_(moves), element_bytes_(element_bytes) {
  std::array<index_t, 2> largest{of.here.owned, as_index(of.to.wanted.places.size())};
  agree(
      members, [&] { how_ = test_operation(element_bytes); }, largest);
  most_own_ = std::max({largest[1] * own_per_wanted, least_own_bytes / element_bytes, index_t{1}});
  is_folded_ = largest[0] > most_own_;
  agree(members, [&] {
    if (is_folded_) fold();
    memory_ = memory.allocate(std::max<index_t>((lists().here.owned + of_.here.ghosts()) * element_bytes, 1));
  });
}

void raced_array::fold() {
  folded_.here.owned = std::min(of_.here.owned, most_own_);
  folded_.here.owners = of_.here.owners;
  folded_.here.ghost_offsets = of_.here.ghost_offsets;
  folded_.here.most = of_.here.most;
  folded_.to.wanted = of_.to.wanted;
  folded_.to.wanter_nodes = of_.to.wanter_nodes;
  folded_.has_near = of_.has_near, folded_.has_far = of_.has_far;
  fold_all(folded_.here.ghost_offsets, most_own_);
  fold_all(folded_.to.wanted.places, most_own_);
}

raced_moves raced_array::raced() {
  return {[this](const choice& c) { gather_and_scatter(c); }, [this] { write_own(); }};
}

void raced_array::gather_and_scatter(const choice& c) {
  const index_t components = element_bytes_ / as_index(how_.value_bytes), owned = lists().here.owned;
  std::byte *const x = memory_.data(), *const ghosts = x + owned * element_bytes_;
  const moved_array array{x, owned + of_.here.ghosts(), ghosts, element_bytes_, components};
  moves_.use(&lists(), c);
  moves_.start(movement_kind::gather, {&array, 1}, nullptr);
  moves_.finish();
  const moved_array back{ghosts, of_.here.ghosts(), x, element_bytes_, components};
  moves_.start(movement_kind::scatter, {&back, 1}, &how_);
  moves_.finish();
}

void raced_array::write_own() {
  for (index_t at = 0; at < lists().here.owned * element_bytes_; at += 64) {
    volatile std::byte& b = memory_.data()[at];
    b = b;
  }
}

}  // namespace nearfar::irregular
