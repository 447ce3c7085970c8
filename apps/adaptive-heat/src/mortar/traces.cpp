// SPDX-License-Identifier: BSD-3-Clause
// The mortar projection along lines, in one direction after the other on faces.
#include <algorithm>
#include <element/operators.hpp>
#include <mortar/traces.hpp>

namespace adaptive_heat {

void project_line(const double* nine, double* three) noexcept {
  const auto& p = ops().projection;
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 9; ++j) sum += p[i][j] * nine[j];
    three[i] = sum;
  }
}

void project_line_transposed(const double* three, double* nine) noexcept {
  const auto& p = ops().projection;
  for (std::size_t j = 0; j < 9; ++j) nine[j] += p[0][j] * three[0] + p[1][j] * three[1] + p[2][j] * three[2];
}

void project_face(const double* grid, double* nine) noexcept {
  double half[3][9];  // lower axis projected, transposed
  for (std::size_t b = 0; b < 9; ++b) {
    double three[3];
    project_line(grid + 9 * b, three);
    for (std::size_t i = 0; i < 3; ++i) half[i][b] = three[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    double three[3];
    project_line(half[i], three);
    for (std::size_t j = 0; j < 3; ++j) nine[3 * j + i] = three[j];
  }
}

void project_face_transposed(const double* nine, double* grid) noexcept {
  double half[3][9] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const double three[3] = {nine[i], nine[3 + i], nine[6 + i]};
    project_line_transposed(three, half[i]);
  }
  std::fill(grid, grid + 81, 0.0);
  for (std::size_t b = 0; b < 9; ++b) {
    const double three[3] = {half[0][b], half[1][b], half[2][b]};
    project_line_transposed(three, grid + 9 * b);
  }
}

void project_traces(const mortar_layout& layout, double* mortar) noexcept {
  for (const edge_trace& t : layout.edge_traces) {
    double nine[9];
    for (std::size_t j = 0; j < 9; ++j) nine[j] = mortar[t.points[j]];
    project_line(nine, mortar + t.place);
  }
  for (const face_trace& t : layout.face_traces) {
    double grid[81];
    for (std::size_t j = 0; j < 81; ++j) grid[j] = mortar[t.points[j]];
    project_face(grid, mortar + t.place);
  }
}

namespace {

template <class Trace>
std::span<const Trace> part_of(const std::vector<Trace>& traces, index shared, trace_part part) {
  const std::span<const Trace> all(traces);
  const auto cut = static_cast<std::size_t>(shared);
  return part == trace_part::all ? all : part == trace_part::shared ? all.first(cut) : all.subspan(cut);
}

}  // namespace

void collect_traces(const mortar_layout& layout, trace_part part, double* mortar) noexcept {
  for (const edge_trace& t : part_of(layout.edge_traces, layout.shared_edge_traces, part)) {
    double nine[9] = {};
    project_line_transposed(mortar + t.place, nine);
    for (std::size_t j = 0; j < 9; ++j) mortar[t.points[j]] += nine[j];
    std::fill_n(mortar + t.place, 3, 0.0);
  }
  for (const face_trace& t : part_of(layout.face_traces, layout.shared_face_traces, part)) {
    double grid[81];
    project_face_transposed(mortar + t.place, grid);
    for (std::size_t j = 0; j < 81; ++j) mortar[t.points[j]] += grid[j];
    std::fill_n(mortar + t.place, 9, 0.0);
  }
}

}  // namespace adaptive_heat
