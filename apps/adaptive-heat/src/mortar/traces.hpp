// SPDX-License-Identifier: BSD-3-Clause
// Values on split edges and faces: projected from the mortars, and given back to them.
#pragma once

#include <mortar/layout.hpp>

namespace adaptive_heat {

/// One line of a coarse element from its nine mortar values, and the transpose: 3 values added to 9.
void project_line(const double* nine, double* three) noexcept;
void project_line_transposed(const double* three, double* nine) noexcept;
/// The same on faces: 9 values from 81, both with the lower axis first; the transpose sets all 81.
void project_face(const double* grid, double* nine) noexcept;
void project_face_transposed(const double* nine, double* grid) noexcept;

enum class trace_part { shared, private_, all };

/// Fills the places of all traces from the mortar values.
void project_traces(const mortar_layout& layout, double* mortar) noexcept;
/// Adds what was given to the places of traces to the mortars, by the transpose, and clears those places.
void collect_traces(const mortar_layout& layout, trace_part part, double* mortar) noexcept;

}  // namespace adaptive_heat
