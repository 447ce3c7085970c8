// SPDX-License-Identifier: BSD-3-Clause
// Output streams by each policy, by copies and without.
#include <optional>

#include "bench_output.hpp"

namespace bench {
namespace {

using nearfar::output_policy;

constexpr int steps_of_trial = 32;  // after them the choice has been made

nearfar::output_array snapshot(const output_experiment& e) {
  nearfar::output_array a{.name = "p"};
  a.extents.assign(e.grid.begin(), e.grid.end());
  a.own = {3, {}, {e.grid[0], e.grid[1], e.grid[2]}};
  return a;
}

struct manner {
  output_policy policy = output_policy::synchronous;
  bool is_zero_copy = true;
  nearfar::output_placement placement = nearfar::output_placement::near;
};

double one_step(nearfar::output_stream& out, const output_experiment& e, const manner& m, int step, float* frame) {
  double stall = 0;
  if (m.is_zero_copy) {
    const double from = clock_s();
    out.begin_step(step);
    stall += clock_s() - from;
    compute_step(e, step, static_cast<float*>(out.slot("p").data));
  } else {
    compute_step(e, step, frame);
  }
  const double from = clock_s();
  if (!m.is_zero_copy) {
    out.begin_step(step);
    out.put("p", frame);
  }
  out.end_step();
  return stall + clock_s() - from;
}

output_result compute_all(const output_experiment& e, const manner& m, const nearfar::output_crew* crew) {
  std::vector<float> frame(m.is_zero_copy ? 0 : static_cast<std::size_t>(e.bytes() / 4));
  const nearfar::team alone = crew != nullptr ? crew->computing() : nearfar::team(MPI_COMM_SELF);
  nearfar::output_stream out(alone, e.path(), {snapshot(e)},
                             {.policy = m.policy, .direct = e.is_direct, .throttle_bytes_per_s = e.rate, .crew = crew});
  const int untimed = m.policy == output_policy::automatic ? steps_of_trial : 0;
  for (int step = 0; step < untimed; ++step) one_step(out, e, m, step, frame.data());
  if (untimed > 0) out.flush();
  output_result r;
  const double began = clock_s();
  for (int step = 0; step < e.frames; ++step) r.stall_s += one_step(out, e, m, untimed + step, frame.data());
  out.flush();
  r.seconds = clock_s() - began;
  out.close();
  return r;
}

/// A crew each time: only with it rank 1 can sleep between two ways.
output_result run(const output_experiment& e, const manner& m) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  output_result r;
  if (m.policy == output_policy::writer || m.policy == output_policy::automatic) {
    nearfar::output_crew crew(nearfar::team(MPI_COMM_WORLD), {.placement = m.placement});
    if (crew.is_writer())
      crew.serve();
    else
      r = compute_all(e, m, &crew);
  } else if (rank == 0) {
    r = compute_all(e, m, nullptr);
  }
  return r;
}

}  // namespace

std::vector<output_way> nearfar_output_ways() {
  const auto way = [](const char* name, manner m) {
    return output_way{name, [m](const output_experiment& e) { return run(e, m); }};
  };
  return {way("synchronous", {output_policy::synchronous, true}),
          way("thread-put", {output_policy::thread, false}),
          way("thread-slot", {output_policy::thread, true}),
          way("writer-put", {output_policy::writer, false}),
          way("writer-slot", {output_policy::writer, true}),
          way("far-slot", {output_policy::writer, true, nearfar::output_placement::far}),
          way("nearfar", {output_policy::automatic, true})};
}

}  // namespace bench
