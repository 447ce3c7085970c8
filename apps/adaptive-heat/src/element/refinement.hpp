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

/// A leaf of the mesh before, and its values.
struct old_leaf {
  octant where;
  element_values values;
};

/// The values of `leaf`, which lies in old leaves or consists of old leaves. @pre `old` is sorted and covers `leaf`
element_values values_in(const octant& leaf, std::span<const old_leaf> old);

}  // namespace adaptive_heat
