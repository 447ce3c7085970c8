// SPDX-License-Identifier: BSD-3-Clause
// Which steps can be fused, and the fused stage.
#pragma once

#include "stage.hpp"

namespace nearfar::fft {

/// True for a move and transforms along one or two axes with all their modes, that nobody scales. The same on all
/// ranks.
bool can_fuse(const stage_context& context, const step& move, const step& transforms);

/// Collective. While it is tuned, `out` is written.
template <class Real>
std::unique_ptr<stage> make_fused(const stage_context& context, const step& move, const step& transforms,
                                  const transpose_arrays& in, const transpose_arrays& out, const race_terms& terms);

}  // namespace nearfar::fft
