// SPDX-License-Identifier: BSD-3-Clause
// Values on split edges and faces: projected from the mortars, and given back to them.
#pragma once

#include <base/thread_team.hpp>
#include <mortar/layout.hpp>

namespace adaptive_heat {

/// What a split line gives to its mortar points: its own values by the transposed projection.
void project_line_transposed(int order, const double* own, double* points) noexcept;
/// The same of a split face; both with the lower axis first.
void project_face_transposed(int order, const double* own, double* points) noexcept;

/// The lowest and the highest point of each group of traces that are worked on together.
struct trace_spans {
  struct span {
    std::int32_t low, high;
  };
  std::vector<span> edges, faces;
};
trace_spans spans_of_traces(const mortar_layout& layout);

/// Fills the places of all traces from the mortar values: the n-th of `parts` parts of the work.
void project_traces(const mortar_layout& layout, double* mortar, int n = 0, int parts = 1) noexcept;

/// Adds what was given to the places of traces to the mortars, by the transpose. First to those points that other ranks
/// have too; then to the others, which clears the places. So every sum is made in one order, whatever the sums over
/// ranks wait for.
void collect_shared_traces(const mortar_layout& layout, double* mortar) noexcept;
/// `spans` are those of the layout. Each thread takes the traces that have points in its part of the others.
void collect_other_traces(const thread_team& threads, const mortar_layout& layout, const trace_spans& spans,
                          double* mortar) noexcept;

}  // namespace adaptive_heat
