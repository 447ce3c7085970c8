// SPDX-License-Identifier: BSD-3-Clause
// The pattern of a halo plan on a modelled machine, without arrays.
#include <base/internals.hpp>
#include <halo/lowering.hpp>

#include "boxes.hpp"
#include "transfers.hpp"

namespace nearfar {

namespace {

/// Row by row without gaps.
array_layout layout_of(const box& held, index_t element_bytes) {
  array_layout a;
  a.element_bytes = as_size(element_bytes);
  index_t stride = element_bytes;
  for (int d = held.dimensions; d-- > 0;) {
    a.extents[at(d)] = held.extent(d);
    a.strides_bytes[at(d)] = stride;
    stride *= held.extent(d);
  }
  return a;
}

}  // namespace

halo_lowering::halo_lowering(const node_shape& shape, halo_request what) : shape_(shape), what_(std::move(what)) {
  const grid cells(modelled_team(shape, 0), what_.extents, what_.cut);
  cut_ = std::make_shared<grid_state>(state_of(cells));
}

halo_lowering::halo_lowering(const node_shape& shape, halo_request what, std::vector<box> tiles)
    : shape_(shape), what_(std::move(what)) {
  const team members = modelled_team(shape, 0);
  cut_ = std::make_shared<grid_state>(grid_state{{what_.extents}, members, given_tiling{std::move(tiles)}});
  for (std::size_t d = 0; d < what_.cut.periodic.size(); ++d) cut_->periodic[d] = what_.cut.periodic[d];
}

box halo_lowering::own(int rank) const {
  if (const auto* given = std::get_if<given_tiling>(&cut_->tiles)) return given->boxes.at(at(rank));
  return std::get<cartesian_tiling>(cut_->tiles).tile_of(rank);
}

exchange::rank_flows halo_lowering::flows_of(int rank) const {
  cut_->members = modelled_team(shape_, rank);
  cut_->own = own(rank);
  if (cut_->own.is_empty()) return {};
  const box held = grown(cut_->own, what_.widths);
  const array_layout a = layout_of(held, what_.element_bytes);
  const dimension_order order = walking_order(a, cut_->dimensions());
  exchange::pattern all;
  all.receives = transfers_of(a, held, 0, order, received_pieces(*cut_, what_.widths, what_.shape));
  all.sends = transfers_of(a, held, 0, order, sent_pieces(*cut_, what_.widths, what_.shape));
  return exchange::repeated(exchange::flows_of(all), what_.fields);
}

}  // namespace nearfar
