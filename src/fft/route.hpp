// SPDX-License-Identifier: BSD-3-Clause
// The route of a distributed transform: axes that are whole on a rank are transformed, then a move (transposition)
// makes the next ones whole.
//
//   physical [x whole] → transform x → move → [y whole] → transform y → move → [z whole] → transform z → spectral
#pragma once

#include <vector>

#include "shape.hpp"

namespace nearfar {

namespace fft {

/// All elements between two steps.
struct resting {
  transpose_side side;
  bool is_complex = false;
};

/// From one resting place to the next: a move of elements between ranks (or between orders of memory), or transforms
/// along axes that are whole on both sides, whose boxes differ along these axes at most.
struct step {
  resting from, to;
  std::vector<int> axes{};  ///< in the order in which they are transformed; empty: a move
  bool is_move() const noexcept { return axes.empty(); }
};

/// True if all ranks own the same boxes on both. Local.
bool are_same_parts(const decomposition& a, const decomposition& b);

/// The side's axes from slowest to fastest, with the default written out.
std::vector<int> order_of(const transpose_side& side);

/// Elements above the fastest axis in memory that make rows a multiple of `unit` elements, so that each begins with a
/// cache line; none where rows are so short that they would cost much. Local.
ghosts row_padding(const transpose_side& side, index_t unit);

/// The axes that no rank has only a part of. Local.
std::vector<bool> whole_axes(const decomposition& parts);

/// Forward steps from one side to the other; collective.
std::vector<step> find_route(const fft_shape& shape, const transpose_side& physical,
                             const std::optional<transpose_side>& spectral);

/// The same backward: steps in reverse, each from its end to its beginning.
std::vector<step> reversed(const std::vector<step>& forward);

/// Sides for those who do not choose (see fft_layout_options). Collective.
transpose_side chosen_physical(const team& members, const fft_shape& shape, const std::vector<int>& process_grid);

/// A distribution of these extents with axis `whole` whole; `may_stay_cut` are cut rather than others. Collective.
decomposition parts_with_whole(const team& members, const std::vector<index_t>& extents, int whole,
                               const std::vector<bool>& may_stay_cut);

}  // namespace fft

struct fft_layout_state {
  team members;
  fft_shape shape;  ///< checked
  transpose_side physical, spectral;
  std::vector<fft::step> forward;
};

namespace fft {

/// Throws usage_error on every rank unless all gave the same layout. Collective.
void require_same_layout(const fft_layout_state& layout);

}  // namespace fft

}  // namespace nearfar
