// SPDX-License-Identifier: BSD-3-Clause
// Output streams by each policy, by copies and without, as raw arrays and in the format and compression that were asked
// for.
#include <algorithm>
#include <optional>

#include "bench_output.hpp"

namespace bench {
namespace {

using nearfar::output_policy;

/// After them the choice has been made: of who writes, and where several ranks compute of how many writers too.
int steps_of_tuning(const output_experiment& e) { return e.who.computing > 1 ? 64 : 32; }

struct manner {
  output_policy policy = output_policy::synchronous;
  bool is_zero_copy = true;
  nearfar::output_placement placement = nearfar::output_placement::near;
  std::string format = "rsf", compression{};
};

nearfar::output_array snapshot(const output_experiment& e) {
  const output_part part = e.own_part();
  nearfar::output_array a{.name = "p"};
  a.extents.assign(e.grid.begin(), e.grid.end());
  a.own = {3, {part.first_plane}, {part.first_plane + part.planes, e.grid[1], e.grid[2]}};
  return a;
}

double one_step(nearfar::output_stream& out, const output_experiment& e, const manner& m, int step, float* mine) {
  double stall = 0;
  if (m.is_zero_copy) {
    const double from = clock_s();
    out.begin_step(step);
    stall += clock_s() - from;
    compute_step(e, step, static_cast<float*>(out.slot("p").data));  // whole planes lie in one piece
  } else {
    compute_step(e, step, mine);
  }
  const double from = clock_s();
  if (!m.is_zero_copy) {
    out.begin_step(step);
    out.put("p", mine);
  }
  out.end_step();
  return stall + clock_s() - from;
}

output_result compute_all(const output_experiment& e, const manner& m, const nearfar::output_writers* writers) {
  std::vector<float> mine(m.is_zero_copy ? 0 : static_cast<std::size_t>(e.own_part().elements));
  const nearfar::team computing = writers != nullptr ? writers->computing() : nearfar::team(e.who.comm);
  nearfar::output_stream out(computing, e.path(), {snapshot(e)},
                             {.format = m.format,
                              .compression = m.compression,
                              .policy = m.policy,
                              .direct = e.is_direct,
                              .throttle_bytes_per_s = e.rate,
                              .writers = writers});
  const int untimed = m.policy == output_policy::automatic ? steps_of_tuning(e) : 0;
  for (int step = 0; step < untimed; ++step) one_step(out, e, m, step, mine.data());
  if (untimed > 0) out.flush();
  output_result r;
  const double began = clock_s();
  for (int step = 0; step < e.frames; ++step) r.stall_s += one_step(out, e, m, untimed + step, mine.data());
  out.flush();
  r.seconds = clock_s() - began;
  out.close();
  return r;
}

/// Writers of its own each time: only with it the writer can sleep between two methods.
output_result run(const output_experiment& e, const manner& m) {
  if (m.policy == output_policy::writer || m.policy == output_policy::automatic) {
    nearfar::output_writers writers(nearfar::team(MPI_COMM_WORLD), {.placement = m.placement});
    if (!writers.is_writer()) return compute_all(e, m, &writers);
    writers.serve();
  } else if (!e.who.is_writer()) {
    return compute_all(e, m, nullptr);
  }
  return {};
}

/// By the values of the raw file; of other formats the data have the sums that they had when they were written.
bool is_right(const output_experiment& e, const manner& m) {
  if (m.format == "rsf") return is_raw_file_right(e);
  if (m.format == "adios2") return have_files(e, ".bp", e.frames * e.bytes());
  const auto reports = nearfar::verify_output(e.path());
  return static_cast<int>(reports.size()) >= e.frames && std::all_of(reports.begin(), reports.end(), [](const auto& r) {
           return r.state == nearfar::output_soundness::sound;
         });
}

const std::vector<std::pair<std::string, manner>>& manners() {
  static const std::vector<std::pair<std::string, manner>> all{
      {"synchronous", {output_policy::synchronous, true}},
      {"thread-put", {output_policy::thread, false}},
      {"thread-slot", {output_policy::thread, true}},
      {"writer-put", {output_policy::writer, false}},
      {"writer-slot", {output_policy::writer, true}},
      {"far-slot", {output_policy::writer, true, nearfar::output_placement::far}},
      {"nearfar", {output_policy::automatic, true}}};
  return all;
}

void add_methods(std::vector<output_method>& to, const std::string& end, const std::string& format,
                 const std::string& compression) {
  for (auto [name, m] : manners()) {
    m.format = format, m.compression = compression;
    to.push_back(
        {name + end, [m = m](const auto& e) { return run(e, m); }, [m = m](const auto& e) { return is_right(e, m); }});
  }
}

}  // namespace

std::vector<output_method> nearfar_output_methods(const output_experiment& formats) {
  std::vector<output_method> methods;
  add_methods(methods, "", "rsf", "");
  const std::string &format = formats.format, &compression = formats.compression;
  if (format != "rsf" || !compression.empty())
    add_methods(methods, "/" + format + (compression.empty() ? "" : "+" + compression), format, compression);
  return methods;
}

}  // namespace bench
