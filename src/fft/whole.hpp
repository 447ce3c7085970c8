// SPDX-License-Identifier: BSD-3-Clause
// The choice of stages for a whole plan: candidates are timed forward and backward, one after the other, as programs
// call them.
#pragma once

#include "builder.hpp"

namespace nearfar::fft {

/// Gives both directions of `p` their links: each stage the fastest of its own race, unless stages all of one kind are
/// faster together. A stage alone is raced with its numbers in this rank's caches, where the stages around it may not
/// leave them. Collective.
template <class Real>
void build_links(fft_state<Real>& p, const transpose_arrays& physical, const transpose_arrays& spectral,
                 std::vector<std::string> engines);

}  // namespace nearfar::fft
