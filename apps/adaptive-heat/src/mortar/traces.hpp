// SPDX-License-Identifier: BSD-3-Clause
// Values on split edges and faces: projected from the mortars, and given back to them.
#pragma once

#include <mortar/layout.hpp>

namespace adaptive_heat {

/// What a split line gives to its nine mortar points: its 3 values by the transposed projection, added.
void project_line_transposed(const double* three, double* nine) noexcept;
/// What a split face gives to its 81, set; both with the lower axis first.
void project_face_transposed(const double* nine, double* grid) noexcept;

enum class trace_part { shared, private_, all };

/// Fills the places of all traces from the mortar values.
void project_traces(const mortar_layout& layout, double* mortar) noexcept;
/// Adds what was given to the places of traces to the mortars, by the transpose, and clears those places.
void collect_traces(const mortar_layout& layout, trace_part part, double* mortar) noexcept;

}  // namespace adaptive_heat
