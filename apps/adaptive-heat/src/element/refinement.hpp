// SPDX-License-Identifier: BSD-3-Clause
// Values of elements when these are split into eight or merged.
#pragma once

#include <element/operators.hpp>
#include <mesh/octant.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Of one element, x fastest: point_counts::volume() of its order.
using element_values = std::vector<double>;

/// The values of child c, 0 … 7: interpolation, exact.
void refine_to_child(int order, const double* whole, int c, double* child);
/// The values of the whole from those of the eight, one after the other: its points lie in the children, where they are
/// evaluated (no projection).
void merge_children(int order, const double* children, double* whole);

/// The values of `leaf`, which lies in one of the old leaves or consists of several.
/// @param values  of the old leaves, one after the other
/// @pre `old`, with `values`, is sorted and covers `leaf`
void values_in(int order, const octant& leaf, std::span<const octant> old, const double* values, double* result);

}  // namespace adaptive_heat
