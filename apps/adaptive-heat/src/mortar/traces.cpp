// SPDX-License-Identifier: BSD-3-Clause
// The mortar projection along lines, in one direction after the other on faces; eight traces at a time.
#include <algorithm>
#include <element/operators.hpp>
#include <mortar/traces.hpp>

namespace adaptive_heat {
namespace {

constexpr std::size_t group = 8;
/// The same value of each trace of a group.
typedef double lane_values __attribute__((vector_size(group * sizeof(double))));
using projection_table = std::array<std::array<double, mortar_points>, 3>;

/// three[i] = sum over j of P[i][j] nine[j], values lying `step_nine` and `step_three` apart.
void project(const projection_table& P, const lane_values* nine, std::size_t step_nine, lane_values* three,
             std::size_t step_three) {
  lane_values sum[3] = {};
  for (std::size_t j = 0; j < 9; ++j)
    for (std::size_t i = 0; i < 3; ++i) sum[i] += P[i][j] * nine[j * step_nine];
  for (std::size_t i = 0; i < 3; ++i) three[i * step_three] = sum[i];
}

void project_transposed(const projection_table& P, const lane_values* three, std::size_t step_three, lane_values* nine,
                        std::size_t step_nine) {
  const lane_values value[3] = {three[0], three[step_three], three[2 * step_three]};
  for (std::size_t j = 0; j < 9; ++j)
    nine[j * step_nine] = P[0][j] * value[0] + P[1][j] * value[1] + P[2][j] * value[2];
}

/// Nine from 81, both with the lower axis first.
void project_faces(const projection_table& P, const lane_values* grid, lane_values* nine) {
  lane_values half[27];
  for (std::size_t a = 0; a < 9; ++a) project(P, grid + a, 9, half + a, 9);
  for (std::size_t j = 0; j < 3; ++j) project(P, half + 9 * j, 1, nine + 3 * j, 1);
}

void project_faces_transposed(const projection_table& P, const lane_values* nine, lane_values* grid) {
  lane_values half[27];
  for (std::size_t j = 0; j < 3; ++j) project_transposed(P, nine + 3 * j, 1, half + 9 * j, 1);
  for (std::size_t a = 0; a < 9; ++a) project_transposed(P, half + a, 9, grid + a, 9);
}

/// Calls act(first, count) for the traces in groups of at most eight.
template <class Trace, class Act>
void for_groups(std::span<const Trace> traces, Act&& act) {
  for (std::size_t first = 0; first < traces.size(); first += group)
    act(traces.subspan(first, std::min(group, traces.size() - first)));
}

template <class Trace>
void take_points(std::span<const Trace> traces, const double* mortar, lane_values* values) {
  for (std::size_t l = 0; l < traces.size(); ++l)
    for (std::size_t j = 0; j < traces[l].points.size(); ++j) values[j][l] = mortar[traces[l].points[j]];
}

/// To points first … last - 1.
template <class Trace>
void give_points(std::span<const Trace> traces, const lane_values* values, double* mortar, index first, index last) {
  for (std::size_t l = 0; l < traces.size(); ++l)
    for (std::size_t j = 0; j < traces[l].points.size(); ++j)
      if (const std::int32_t point = traces[l].points[j]; point >= first && point < last) mortar[point] += values[j][l];
}

template <class Trace>
void set_places(std::span<const Trace> traces, std::size_t count, const lane_values* values, double* mortar) {
  for (std::size_t l = 0; l < traces.size(); ++l)
    for (std::size_t i = 0; i < count; ++i) mortar[traces[l].place + static_cast<std::int32_t>(i)] = values[i][l];
}

template <class Trace>
void take_places(std::span<const Trace> traces, std::size_t count, lane_values* values, const double* mortar) {
  for (std::size_t l = 0; l < traces.size(); ++l)
    for (std::size_t i = 0; i < count; ++i) values[i][l] = mortar[traces[l].place + static_cast<std::int32_t>(i)];
}

void collect(std::span<const edge_trace> all, double* mortar, index first, index last) {
  for_groups(all, [&](std::span<const edge_trace> traces) {
    lane_values three[3] = {}, nine[9];
    take_places(traces, 3, three, mortar);
    project_transposed(ops().projection, three, 1, nine, 1);
    give_points(traces, nine, mortar, first, last);
  });
}

void collect(std::span<const face_trace> all, double* mortar, index first, index last) {
  for_groups(all, [&](std::span<const face_trace> traces) {
    lane_values nine[9] = {}, grid[81];
    take_places(traces, 9, nine, mortar);
    project_faces_transposed(ops().projection, nine, grid);
    give_points(traces, grid, mortar, first, last);
  });
}

/// Of those groups that have points among them.
template <class Trace>
void collect_near(const std::vector<Trace>& traces, const std::vector<trace_spans::span>& spans, double* mortar,
                  index first, index last) {
  for (std::size_t g = 0; g < spans.size(); ++g)
    if (spans[g].high >= first && spans[g].low < last)
      collect(std::span(traces).subspan(g * group, std::min(group, traces.size() - g * group)), mortar, first, last);
}

template <class Trace>
std::vector<trace_spans::span> spans_of(const std::vector<Trace>& traces) {
  std::vector<trace_spans::span> spans;
  for_groups(std::span(traces), [&](std::span<const Trace> some) {
    spans.push_back({some[0].points[0], some[0].points[0]});
    trace_spans::span& s = spans.back();
    for (const Trace& t : some)
      for (const std::int32_t point : t.points) s.low = std::min(s.low, point), s.high = std::max(s.high, point);
  });
  return spans;
}

/// The n-th part of the groups.
template <class Trace>
std::span<const Trace> part_of(const std::vector<Trace>& traces, int n, int parts) {
  const std::size_t groups = (traces.size() + group - 1) / group, part = static_cast<std::size_t>(n);
  const auto begin_of = [&](std::size_t p) {
    return std::min(traces.size(), group * (groups * p / static_cast<std::size_t>(parts)));
  };
  return std::span(traces).subspan(begin_of(part), begin_of(part + 1) - begin_of(part));
}

}  // namespace

trace_spans spans_of_traces(const mortar_layout& layout) {
  return {spans_of(layout.edge_traces), spans_of(layout.face_traces)};
}

void project_line_transposed(const double* three, double* nine) noexcept {
  const auto& p = ops().projection;
  for (std::size_t j = 0; j < 9; ++j) nine[j] += p[0][j] * three[0] + p[1][j] * three[1] + p[2][j] * three[2];
}

void project_face_transposed(const double* nine, double* grid) noexcept {
  lane_values in[9] = {}, out[81];
  for (std::size_t i = 0; i < 9; ++i) in[i][0] = nine[i];
  project_faces_transposed(ops().projection, in, out);
  for (std::size_t i = 0; i < 81; ++i) grid[i] = out[i][0];
}

void project_traces(const mortar_layout& layout, double* mortar, int n, int parts) noexcept {
  const projection_table& P = ops().projection;
  for_groups(part_of(layout.edge_traces, n, parts), [&](std::span<const edge_trace> traces) {
    lane_values nine[9] = {}, three[3];
    take_points(traces, mortar, nine);
    project(P, nine, 1, three, 1);
    set_places(traces, 3, three, mortar);
  });
  for_groups(part_of(layout.face_traces, n, parts), [&](std::span<const face_trace> traces) {
    lane_values grid[81] = {}, nine[9];
    take_points(traces, mortar, grid);
    project_faces(P, grid, nine);
    set_places(traces, 9, nine, mortar);
  });
}

void collect_shared_traces(const mortar_layout& layout, double* mortar) noexcept {
  const auto shared_of = [](const auto& traces, index count) {
    return std::span(traces).first(static_cast<std::size_t>(count));
  };
  collect(shared_of(layout.edge_traces, layout.shared_edge_traces), mortar, layout.own_private, layout.total());
  collect(shared_of(layout.face_traces, layout.shared_face_traces), mortar, layout.own_private, layout.total());
}

void collect_other_traces(const crew& threads, const mortar_layout& layout, const trace_spans& spans,
                          double* mortar) noexcept {
  threads.share(0, layout.own_private, [&](index first, index last) {
    collect_near(layout.edge_traces, spans.edges, mortar, first, last);
    collect_near(layout.face_traces, spans.faces, mortar, first, last);
  });
  std::fill(mortar + layout.traces_begin, mortar + layout.unused(), 0.0);
}

}  // namespace adaptive_heat
