// SPDX-License-Identifier: BSD-3-Clause
// Values of elements when these are split into eight or merged.
#pragma once

#include <array>
#include <element/operators.hpp>
#include <mesh/octant.hpp>
#include <span>

namespace adaptive_heat {

using element_values = std::array<double, volume>;

/// The values of child c, 0 … 7: interpolation, exact.
element_values refine_to_child(const element_values& whole, int c);
/// The values of the whole: its points lie in the children, where they are evaluated (no projection).
element_values merge_children(const std::array<element_values, 8>& children);

/// The values of `leaf`, which lies in one of the old leaves or consists of several.
/// @pre `old`, with `values`, is sorted and covers `leaf`
element_values values_in(const octant& leaf, std::span<const octant> old, std::span<const element_values> values);

}  // namespace adaptive_heat
