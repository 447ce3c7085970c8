// SPDX-License-Identifier: BSD-3-Clause
// Output behind computing: policies side by side with the blocking and the non-blocking writer rank, and with the
// ideal.
#include "bench_output.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {

namespace {

struct settings {
  output_experiment what;
  std::vector<double> ratios{0.25, 0.5, 1, 2};
  double step_s = 0;  // of the program's own; 0: it follows from the ratio
  int interval = 1;   // steps from snapshot to snapshot, where the time of one is given
};
settings asked;

/// Options of this program alone, taken out of the command line before the harness reads the rest.
void take_own_options(int& argc, char** argv) {
  const auto take = [&](const std::string& name, const std::string& value) {
    if (name == "--folder")
      asked.what.folder = value;
    else if (name == "--frames")
      asked.what.frames = std::max(1, std::atoi(value.c_str()));
    else if (name == "--rate")
      asked.what.rate = std::atof(value.c_str()) * 1e6;
    else if (name == "--points")
      asked.what.grid.fill(std::max(1, std::atoi(value.c_str())));
    else if (name == "--compute")
      asked.what.is_spinning = value == "spin";
    else if (name == "--field")
      asked.what.is_wave = value == "wave";
    else if (name == "--format")
      asked.what.format = value;
    else if (name == "--compression")
      asked.what.compression = value;
    else if (name == "--ratio")
      asked.ratios = {std::atof(value.c_str())};
    else if (name == "--step-ms")
      asked.step_s = std::atof(value.c_str()) * 1e-3;
    else if (name == "--interval")
      asked.interval = std::max(1, std::atoi(value.c_str()));
    else
      return false;
    return true;
  };
  int kept = 1;
  for (int i = 1; i < argc; ++i)
    if (i + 1 < argc && take(argv[i], argv[i + 1]))
      ++i;
    else
      argv[kept++] = argv[i];
  argc = kept;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct figures {
  std::vector<double> seconds, stalls;
  bool is_right = true;
};

/// One method once: ranks sleep where they have nothing to do.
void measure_once(const output_experiment& e, const output_method& method, figures& to) {
  if (e.who.is_root()) remove_files(e);
  sleep_until_all_are_here();
  const output_result mine = method.run(e);
  sleep_until_all_are_here();
  double most[2] = {mine.seconds, mine.stall_s};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  to.seconds.push_back(most[0]);
  to.stalls.push_back(most[1] / e.frames);
  if (e.who.is_root()) to.is_right = to.is_right && method.is_right(e);
}

/// Seconds to write a snapshot as raw arrays, nothing else going on.
double write_seconds(output_experiment e) {
  if (e.rate > 0) return static_cast<double>(e.bytes()) / e.rate;
  e.compute_s = 0, e.is_wave = false;
  figures alone;
  const auto methods = nearfar_output_methods(e);
  for (int i = 0; i < 3; ++i) measure_once(e, methods.front(), alone);
  // What fills the frame belongs to computing.
  double s = 0;
  if (e.who.is_root()) {
    std::vector<float> frame(static_cast<std::size_t>(e.own_part().elements));
    compute_step(e, 0, frame.data());
    const double from = now_s();
    compute_step(e, 1, frame.data());
    s = median(alone.seconds) / e.frames - (now_s() - from);
  }
  MPI_Bcast(&s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return s;
}

/// Said at once: a run that a time limit ends has then left a word on where it was.
void announce(const output_experiment& e, double ratio, double write_s, int runs) {
  std::fprintf(stderr, "ratio %.2f: %d runs of about %.1f s\n", ratio, runs, e.frames * (e.compute_s + write_s));
}

struct table {
  double ratio = 0, write_s = 0, ideal_s = 0;
  const std::vector<output_method>& methods;
  const std::vector<figures>& all;

  /// Median of the way of this name; 0: it was not run.
  double seconds_of(const std::string& name) const {
    for (std::size_t w = 0; w < methods.size(); ++w)
      if (methods[w].name == name) return median(all[w].seconds);
    return 0;
  }
};

void write_record(const output_experiment& e, const table& t, std::size_t w, double efficiency, std::FILE* json) {
  const double s = median(t.all[w].seconds);
  std::fprintf(json,
               "{\"front\":\"output\",\"case\":\"ratio%.2f\",\"bytes\":%lld,\"method\":\"%s\",\"chosen\":%s,"
               "\"mpi\":\"%s\",\"ranks\":%d,\"nodes\":1,\"median_us\":%.1f,\"samples\":%zu,\"ok\":%s,"
               "\"efficiency\":%.4f,\"ideal_us\":%.1f,\"stall_us\":%.1f}\n",
               t.ratio, static_cast<long long>(e.bytes()), t.methods[w].name.c_str(),
               t.methods[w].name == "nearfar" ? "true" : "false", mpi_name().c_str(), e.who.computing + 1, s * 1e6,
               t.all[w].seconds.size(), t.all[w].is_right ? "true" : "false", efficiency, t.ideal_s * 1e6,
               median(t.all[w].stalls) * 1e6);
}

/// A line per method; `of raw` where that was measured: the share of the rate that the disk takes. False: files were
/// wrong.
bool print(const output_experiment& e, const table& t, std::FILE* json) {
  const double synchronous = t.seconds_of("synchronous"), raw = t.seconds_of("raw");
  std::printf(
      "\nwrite : compute %.2f   %d snapshots of %.1f MB of %d ranks, computing %.1f ms, writing %.1f ms, ideal %.3f "
      "s\n",
      t.ratio, e.frames, static_cast<double>(e.bytes()) * 1e-6, e.who.computing, e.compute_s * 1e3, t.write_s * 1e3,
      t.ideal_s);
  std::printf("  %-28s %9s %9s %10s %12s %14s%s\n", "method", "seconds", "MB/s", "speed-up", "efficiency",
              "stall/frame", raw > 0 ? "   of raw" : "");
  bool is_right = true;
  for (std::size_t w = 0; w < t.methods.size(); ++w) {
    const double s = median(t.all[w].seconds), base = synchronous > 0 ? synchronous : s;
    const double efficiency = (base - s) / (base - t.ideal_s);
    is_right = is_right && t.all[w].is_right;
    std::printf("  %-28s %9.3f %9.0f %9.2fx %11.1f%% %11.2f ms", t.methods[w].name.c_str(), s,
                static_cast<double>(e.bytes()) * e.frames * 1e-6 / s, base / s, efficiency * 100,
                median(t.all[w].stalls) * 1e3);
    if (raw > 0) std::printf(" %7.1f%%", raw / s * 100);
    std::printf("%s\n", t.all[w].is_right ? "" : "  WRONG");
    std::fflush(stdout);
    if (json != nullptr) write_record(e, t, w, efficiency, json);
  }
  return is_right;
}

/// No other library has a throttled disk, and the rate of the disk itself is not asked for there.
std::vector<output_method> methods_for(const options& how, const output_experiment& e) {
  auto methods = plain_output_methods();
  const auto add = [&](std::vector<output_method> more) {
    for (auto& method : more) methods.push_back(std::move(method));
  };
  add(nearfar_output_methods(e));
  if (e.rate <= 0) add(adios2_output_methods()), add(raw_output_methods());
  std::erase_if(methods, [&](const output_method& w) { return !how.wants_method(w.name); });
  return methods;
}

/// The ratio of write to compute time → a table of methods, each with its efficiency against the ideal.
bool run_ratio(const options& how, double ratio, double write_s, std::FILE* json) {
  output_experiment e = asked.what;
  e.compute_s = write_s / ratio;
  const auto methods = methods_for(how, e);
  std::vector<figures> all(methods.size());
  const int rounds = how.max_rounds > 0 ? how.max_rounds : how.is_quick ? 1 : 3;
  if (e.who.is_root()) announce(e, ratio, write_s, rounds * static_cast<int>(methods.size()));
  for (int round = 0; round < rounds; ++round)
    for (std::size_t w = 0; w < methods.size(); ++w) {
      const std::size_t turn = (w + static_cast<std::size_t>(round)) % methods.size();
      measure_once(e, methods[turn], all[turn]);
    }
  const double ideal_s = e.frames * std::max(e.compute_s, write_s) + std::min(e.compute_s, write_s);
  return !e.who.is_root() || print(e, {ratio, write_s, ideal_s, methods, all}, json);
}

void list() {
  for (const double r : asked.ratios) std::printf("ratio%.2f\n", r);
}

/// @returns false: there are too few ranks, or planes of the grid
bool hand_out_roles(output_experiment& e) {
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &e.who.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  e.who.computing = size - 1;
  if (size < 2 || e.grid[0] < e.who.computing) {
    if (e.who.is_root())
      std::fprintf(stderr,
                   "bench_output needs at least two ranks, of which the last one writes, and a plane of the grid for "
                   "each other\n");
    return false;
  }
  MPI_Comm_split(MPI_COMM_WORLD, e.who.is_writer() ? MPI_UNDEFINED : 0, e.who.rank, &e.who.comm);
  return true;
}

int run(const options& how) {
  if (!hand_out_roles(asked.what)) return 1;
  const bool is_root = asked.what.who.is_root();
  std::FILE* json = is_root && !how.json_file.empty() ? std::fopen(how.json_file.c_str(), "w") : nullptr;
  const double write_s = write_seconds(asked.what);
  if (asked.step_s > 0) asked.ratios = {write_s / (asked.interval * asked.step_s)};
  bool is_right = true;
  for (const double ratio : asked.ratios) is_right = run_ratio(how, ratio, write_s, json) && is_right;
  if (json != nullptr) std::fclose(json);
  if (is_root) remove_files(asked.what);
  if (asked.what.who.comm != MPI_COMM_NULL) MPI_Comm_free(&asked.what.who.comm);
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::take_own_options(argc, argv);
  return bench::run_program(
      argc, argv,
      "Output of snapshots behind computing. Two ranks or more: the last one writes or sleeps, the others compute. Own "
      "options: "
      "--folder PATH, --points N (cube), --frames N, --rate MB/S (throttled disk), --compute sleep|spin, --ratio "
      "WRITE:COMPUTE, or --step-ms MS and --interval STEPS (from snapshot to snapshot), "
      "--field ramp|wave, --format NAME and --compression NAME (our methods once more, as NAME/FORMAT+COMPRESSION).",
      {}, bench::list, bench::run);
}
