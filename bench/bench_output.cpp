// SPDX-License-Identifier: BSD-3-Clause
// Output behind computing: policies side by side with the blocking and the non-blocking writer rank, and with the ideal.
#include "bench_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {

double clock_s() { return now_s(); }

void compute_step(const output_experiment& e, int step, float* frame) {
  const double until = now_s() + e.compute_s;
  const auto count = static_cast<std::size_t>(e.bytes() / 4);
  for (std::size_t i = 0; i < count; ++i) frame[i] = static_cast<float>((i & 1023) + static_cast<std::size_t>(step));
  if (e.is_spinning) {
    volatile double sink = 0;
    while (now_s() < until)
      for (int i = 0; i < 1000; ++i) sink = sink + 1;
  } else if (const double left = until - now_s(); left > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
}

bool is_file_right(const output_experiment& e, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(0, std::ios::end);
  const auto frames = static_cast<nearfar::index>(in.tellg()) / e.bytes();
  if (frames < e.frames) return false;
  for (nearfar::index step = 0; step < frames; ++step)
    for (const nearfar::index i : {nearfar::index{0}, e.bytes() / 8 + 77, e.bytes() / 4 - 1}) {
      float value = 0;
      in.seekg(step * e.bytes() + 4 * i);
      in.read(reinterpret_cast<char*>(&value), sizeof value);
      if (value != static_cast<float>((i & 1023) + step)) return false;
    }
  return true;
}

void sleep_until_all_are_here() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int is_done = 0; is_done == 0;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) usleep(2000);
  }
}

namespace {

struct settings {
  output_experiment what;
  std::vector<double> ratios{0.25, 0.5, 1, 2};
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
    else if (name == "--ratio")
      asked.ratios = {std::atof(value.c_str())};
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

/// One way once: rank 1 sleeps where it has nothing to do.
void measure_once(const output_experiment& e, const output_way& way, bool is_root, figures& to) {
  sleep_until_all_are_here();
  const output_result r = way.run(e);
  sleep_until_all_are_here();
  if (!is_root) return;
  to.seconds.push_back(r.seconds);
  to.stalls.push_back(r.stall_s / e.frames);
  to.is_right = to.is_right && is_file_right(e, e.path() + ".p.raw");
}

/// Seconds to write a snapshot, nothing else going on.
double write_seconds(output_experiment e, bool is_root) {
  if (e.rate > 0) return static_cast<double>(e.bytes()) / e.rate;
  e.compute_s = 0;
  figures alone;
  const auto ways = nearfar_output_ways();
  for (int i = 0; i < 3; ++i) measure_once(e, ways.front(), is_root, alone);
  // What fills the frame belongs to computing.
  std::vector<float> frame(static_cast<std::size_t>(e.bytes() / 4));
  compute_step(e, 0, frame.data());
  const double from = now_s();
  compute_step(e, 1, frame.data());
  double s = median(alone.seconds) / e.frames - (now_s() - from);
  MPI_Bcast(&s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return s;
}

/// Said at once: a run that a time limit ends has then left a word on where it was.
void announce(const output_experiment& e, double ratio, double write_s, int runs) {
  std::fprintf(stderr, "ratio %.2f: %d runs of about %.1f s\n", ratio, runs, e.frames * (e.compute_s + write_s));
}

/// The ratio of write to compute time → a table of ways, each with its efficiency against the ideal.
bool run_ratio(const options& how, double ratio, double write_s, bool is_root, std::FILE* json) {
  output_experiment e = asked.what;
  e.compute_s = write_s / ratio;
  auto ways = plain_output_ways();
  for (auto& way : nearfar_output_ways()) ways.push_back(std::move(way));
  std::erase_if(ways, [&](const output_way& w) { return !how.wants_method(w.name); });
  std::vector<figures> all(ways.size());
  const int rounds = how.max_rounds > 0 ? how.max_rounds : how.is_quick ? 1 : 3;
  if (is_root) announce(e, ratio, write_s, rounds * static_cast<int>(ways.size()));
  for (int round = 0; round < rounds; ++round)
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const std::size_t turn = (w + static_cast<std::size_t>(round)) % ways.size();
      measure_once(e, ways[turn], is_root, all[turn]);
    }
  if (!is_root) return true;
  const double ideal = e.frames * std::max(e.compute_s, write_s) + std::min(e.compute_s, write_s);
  double synchronous = 0;
  for (std::size_t w = 0; w < ways.size(); ++w)
    if (ways[w].name == "synchronous") synchronous = median(all[w].seconds);
  std::printf("\nwrite : compute %.2f   %d snapshots of %.1f MB, computing %.1f ms, writing %.1f ms, ideal %.3f s\n",
              ratio, e.frames, static_cast<double>(e.bytes()) * 1e-6, e.compute_s * 1e3, write_s * 1e3, ideal);
  std::printf("  %-14s %9s %10s %12s %14s\n", "way", "seconds", "speed-up", "efficiency", "stall/frame");
  bool is_right = true;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const double s = median(all[w].seconds), base = synchronous > 0 ? synchronous : s;
    const double efficiency = (base - s) / (base - ideal);
    is_right = is_right && all[w].is_right;
    std::printf("  %-14s %9.3f %9.2fx %11.1f%% %11.2f ms%s\n", ways[w].name.c_str(), s, base / s, efficiency * 100,
                median(all[w].stalls) * 1e3, all[w].is_right ? "" : "  WRONG");
    std::fflush(stdout);
    if (json != nullptr)
      std::fprintf(json,
                   "{\"front\":\"output\",\"case\":\"ratio%.2f\",\"bytes\":%lld,\"method\":\"%s\",\"chosen\":%s,"
                   "\"mpi\":\"%s\",\"ranks\":2,\"nodes\":1,\"median_us\":%.1f,\"samples\":%zu,\"ok\":%s,"
                   "\"efficiency\":%.4f,\"ideal_us\":%.1f,\"stall_us\":%.1f}\n",
                   ratio, static_cast<long long>(e.bytes()), ways[w].name.c_str(),
                   ways[w].name == "nearfar" ? "true" : "false", mpi_name().c_str(), s * 1e6, all[w].seconds.size(),
                   all[w].is_right ? "true" : "false", efficiency, ideal * 1e6, median(all[w].stalls) * 1e6);
  }
  return is_right;
}

void list() {
  for (const double r : asked.ratios) std::printf("ratio%.2f\n", r);
}

int run(const options& how) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) std::fprintf(stderr, "bench_output needs two ranks: one that computes and one that writes\n");
    return 1;
  }
  std::FILE* json = rank == 0 && !how.json_file.empty() ? std::fopen(how.json_file.c_str(), "w") : nullptr;
  const double write_s = write_seconds(asked.what, rank == 0);
  bool is_right = true;
  for (const double ratio : asked.ratios) is_right = run_ratio(how, ratio, write_s, rank == 0, json) && is_right;
  if (json != nullptr) std::fclose(json);
  for (const char* end : {".p.raw", ".p.rsf", ".journal"})
    if (rank == 0) unlink((asked.what.path() + end).c_str());
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::take_own_options(argc, argv);
  return bench::run_program(
      argc, argv,
      "Output of snapshots behind computing. Two ranks. Own options: --folder PATH, --points N (cube), "
      "--frames N, --rate MB/S (throttled disk), --compute sleep|spin, --ratio WRITE:COMPUTE.",
      {}, bench::list, bench::run);
}
