// SPDX-License-Identifier: BSD-3-Clause
// The table of a variant's kernels.
#pragma once

#include <kernels/absorbing_loops.hpp>
#include <kernels/axis_loops.hpp>
#include <kernels/self_adjoint_loops.hpp>
#include <kernels/tilted_loops.hpp>

namespace seismic {
namespace {

template <int W>
constexpr kernel_table table_of(const char* name) {
  return {name,
          {{{isotropic_step<W, 2>, isotropic_step<W, 4>, isotropic_step<W, 6>},
            {fletcher_vti_step<W, 2>, fletcher_vti_step<W, 4>, fletcher_vti_step<W, 6>},
            {fletcher_tti_step<W, 2>, fletcher_tti_step<W, 4>, fletcher_tti_step<W, 6>},
            {self_adjoint_step<W, 2>, self_adjoint_step<W, 4>, self_adjoint_step<W, 6>}}},
          {absorb<W, 2>, absorb<W, 4>, absorb<W, 6>}};
}

}  // namespace
}  // namespace seismic
