// SPDX-License-Identifier: BSD-3-Clause
// The mortar projection along lines, in one direction after the other on faces; eight traces at a time.
#include <algorithm>
#include <array>
#include <element/operators.hpp>
#include <mortar/traces.hpp>

namespace adaptive_heat {
namespace {

constexpr std::size_t group = 8;
/// The same value of each trace of a group.
typedef double simd_lane_values __attribute__((vector_size(group * sizeof(double))));

/// Between the values of a trace and its mortar points, for elements of order N.
template <int N>
struct projector {
  static constexpr std::size_t inner = N - 1, line = 2 * N + 1, face = inner * inner, grid = line * line;
  using table = std::array<std::array<double, line>, inner>;

  static const table& projection() {
    static const table made = [] {
      table t;
      for (std::size_t i = 0; i < inner; ++i) std::copy_n(ops(N).projection[i], line, t[i].begin());
      return t;
    }();
    return made;
  }

  /// own[i] = sum over j of P[i][j] points[j], values lying `step_points` and `step_own` apart.
  static void project(const table& P, const simd_lane_values* points, std::size_t step_points, simd_lane_values* own,
                      std::size_t step_own) {
    simd_lane_values sum[inner] = {};
    for (std::size_t j = 0; j < line; ++j)
      for (std::size_t i = 0; i < inner; ++i) sum[i] += P[i][j] * points[j * step_points];
    for (std::size_t i = 0; i < inner; ++i) own[i * step_own] = sum[i];
  }

  static void project_transposed(const table& P, const simd_lane_values* own, std::size_t step_own,
                                 simd_lane_values* points, std::size_t step_points) {
    simd_lane_values value[inner];
    for (std::size_t i = 0; i < inner; ++i) value[i] = own[i * step_own];
    for (std::size_t j = 0; j < line; ++j) {
      simd_lane_values sum = P[0][j] * value[0];
      for (std::size_t i = 1; i < inner; ++i) sum += P[i][j] * value[i];
      points[j * step_points] = sum;
    }
  }

  static void project_lines(const simd_lane_values* points, simd_lane_values* own) {
    project(projection(), points, 1, own, 1);
  }
  static void project_lines_transposed(const simd_lane_values* own, simd_lane_values* points) {
    project_transposed(projection(), own, 1, points, 1);
  }

  /// Both with the lower axis first.
  static void project_faces(const simd_lane_values* points, simd_lane_values* own) {
    const table& P = projection();
    simd_lane_values half[inner * line];
    for (std::size_t a = 0; a < line; ++a) project(P, points + a, line, half + a, line);
    for (std::size_t j = 0; j < inner; ++j) project(P, half + line * j, 1, own + inner * j, 1);
  }
  static void project_faces_transposed(const simd_lane_values* own, simd_lane_values* points) {
    const table& P = projection();
    simd_lane_values half[inner * line];
    for (std::size_t j = 0; j < inner; ++j) project_transposed(P, own + inner * j, 1, half + line * j, 1);
    for (std::size_t a = 0; a < line; ++a) project_transposed(P, half + a, line, points + a, line);
  }
};

/// A group of traces, which lie one after the other.
struct trace_group {
  std::int32_t place;
  const std::int32_t* points;
  std::size_t count;
};

/// Calls act(group) for traces first … last - 1 in groups of at most eight.
template <class Act>
void for_groups(const trace_list& traces, std::size_t first, std::size_t last, Act&& act) {
  for (; first < last; first += group) {
    const std::size_t count = std::min(group, last - first);
    act(trace_group{traces.place(first), traces.points(first, count).data(), count});
  }
}

/// `Points` mortar points of each trace.
template <std::size_t Points>
void take_points(const trace_group& traces, const double* mortar, simd_lane_values* values) {
  for (std::size_t l = 0; l < traces.count; ++l)
    for (std::size_t j = 0; j < Points; ++j) values[j][l] = mortar[traces.points[l * Points + j]];
}

/// To points first … last - 1.
template <std::size_t Points>
void give_points(const trace_group& traces, const simd_lane_values* values, double* mortar, index_t first,
                 index_t last) {
  for (std::size_t l = 0; l < traces.count; ++l)
    for (std::size_t j = 0; j < Points; ++j)
      if (const std::int32_t point = traces.points[l * Points + j]; point >= first && point < last)
        mortar[point] += values[j][l];
}

/// The values of a trace are `Values`, and those of the next one follow.
template <std::size_t Values>
void set_places(const trace_group& traces, const simd_lane_values* values, double* mortar) {
  for (std::size_t l = 0; l < traces.count; ++l)
    for (std::size_t i = 0; i < Values; ++i)
      mortar[static_cast<std::size_t>(traces.place) + l * Values + i] = values[i][l];
}
template <std::size_t Values>
void take_places(const trace_group& traces, simd_lane_values* values, const double* mortar) {
  for (std::size_t l = 0; l < traces.count; ++l)
    for (std::size_t i = 0; i < Values; ++i)
      values[i][l] = mortar[static_cast<std::size_t>(traces.place) + l * Values + i];
}

/// What groups of traces of one kind, edges or faces, get and give.
template <std::size_t Values, std::size_t Points, auto project, auto project_transposed>
struct trace_work {
  static void take(const trace_group& traces, double* mortar) {
    simd_lane_values points[Points] = {}, own[Values];
    take_points<Points>(traces, mortar, points);
    project(points, own);
    set_places<Values>(traces, own, mortar);
  }
  static void give(const trace_group& traces, double* mortar, index_t first, index_t last) {
    simd_lane_values own[Values] = {}, points[Points];
    take_places<Values>(traces, own, mortar);
    project_transposed(own, points);
    give_points<Points>(traces, points, mortar, first, last);
  }
};
template <int N>
using edge_work = trace_work<projector<N>::inner, projector<N>::line, projector<N>::project_lines,
                             projector<N>::project_lines_transposed>;
template <int N>
using face_work = trace_work<projector<N>::face, projector<N>::grid, projector<N>::project_faces,
                             projector<N>::project_faces_transposed>;

/// The first `count`.
template <class TraceWork>
void collect(const trace_list& traces, index_t count, double* mortar, index_t first, index_t last) {
  for_groups(traces, 0, static_cast<std::size_t>(count),
             [&](const trace_group& some) { TraceWork::give(some, mortar, first, last); });
}

/// Of those groups that have points among them.
template <class TraceWork>
void collect_near(const trace_list& traces, const std::vector<trace_spans::span>& spans, double* mortar, index_t first,
                  index_t last) {
  const trace_spans::span* s = spans.data();
  for_groups(traces, 0, traces.size(), [&](const trace_group& some) {
    if (s->high >= first && s->low < last) TraceWork::give(some, mortar, first, last);
    ++s;
  });
}

std::vector<trace_spans::span> spans_of(const trace_list& traces) {
  std::vector<trace_spans::span> spans;
  for (std::size_t first = 0; first < traces.size(); first += group) {
    const auto points = traces.points(first, std::min(group, traces.size() - first));
    const auto [low, high] = std::minmax_element(points.begin(), points.end());
    spans.push_back({*low, *high});
  }
  return spans;
}

/// The n-th part of the groups.
template <class TraceWork>
void project_part(const trace_list& traces, double* mortar, int n, int parts) {
  const std::size_t groups = (traces.size() + group - 1) / group;
  const auto begin_of = [&](int part) {
    return std::min(traces.size(), group * (groups * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts)));
  };
  for_groups(traces, begin_of(n), begin_of(n + 1), [&](const trace_group& some) { TraceWork::take(some, mortar); });
}

}  // namespace

trace_spans spans_of_traces(const mortar_layout& layout) {
  return {spans_of(layout.edge_traces), spans_of(layout.face_traces)};
}

namespace {

/// Of one trace, in the first SIMD lane.
template <std::size_t Values, std::size_t Points, auto project_transposed>
void project_one_transposed(const double* own, double* points) {
  simd_lane_values in[Values] = {}, out[Points];
  for (std::size_t i = 0; i < Values; ++i) in[i][0] = own[i];
  project_transposed(in, out);
  for (std::size_t i = 0; i < Points; ++i) points[i] = out[i][0];
}

}  // namespace

void project_line_transposed(int order, const double* own, double* points) noexcept {
  with_order(order, [&](auto n) {
    using of = projector<n>;
    project_one_transposed<of::inner, of::line, of::project_lines_transposed>(own, points);
  });
}

void project_face_transposed(int order, const double* own, double* points) noexcept {
  with_order(order, [&](auto n) {
    using of = projector<n>;
    project_one_transposed<of::face, of::grid, of::project_faces_transposed>(own, points);
  });
}

void project_traces(const mortar_layout& layout, double* mortar, int n, int parts) noexcept {
  with_order(layout.counts.order, [&](auto order) {
    project_part<edge_work<order>>(layout.edge_traces, mortar, n, parts);
    project_part<face_work<order>>(layout.face_traces, mortar, n, parts);
  });
}

void collect_shared_traces(const mortar_layout& layout, double* mortar) noexcept {
  const index_t first = layout.own_private, last = layout.total();
  with_order(layout.counts.order, [&](auto n) {
    collect<edge_work<n>>(layout.edge_traces, layout.shared_edge_traces, mortar, first, last);
    collect<face_work<n>>(layout.face_traces, layout.shared_face_traces, mortar, first, last);
  });
}

void collect_other_traces(const thread_team& threads, const mortar_layout& layout, const trace_spans& spans,
                          double* mortar) noexcept {
  with_order(layout.counts.order, [&](auto n) {
    threads.share(0, layout.own_private, [&](index_t first, index_t last) {
      collect_near<edge_work<n>>(layout.edge_traces, spans.edges, mortar, first, last);
      collect_near<face_work<n>>(layout.face_traces, spans.faces, mortar, first, last);
    });
  });
  std::fill(mortar + layout.traces_begin, mortar + layout.unused(), 0.0);
}

}  // namespace adaptive_heat
