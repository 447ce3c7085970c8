// SPDX-License-Identifier: BSD-3-Clause
// Sums over all threads of all ranks, after figure 2 of Smith and Bull: plain MPI, two stages, threads of 2003,
// Nearfar.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench_threads_methods.hpp"
#include "harness/report.hpp"

namespace bench {
namespace {

constexpr double critical_bar = 10;  // least ratio of the critical section to Nearfar at this size:
constexpr const char* critical_bar_case = "sum-128K";

struct size_case {
  const char* name;
  long long bytes;
};

constexpr size_case cases[] = {
    {"sum-8", 8},        {"sum-32", 32},        {"sum-128", 128},        {"sum-512", 512},        {"sum-2K", 2 << 10},
    {"sum-8K", 8 << 10}, {"sum-32K", 32 << 10}, {"sum-128K", 128 << 10}, {"sum-512K", 512 << 10}, {"sum-2M", 2 << 20},
    {"sum-8M", 8 << 20}, {"sum-16M", 16 << 20},
};

double median_of(const case_result& r, const char* method) {
  const measurement* m = r.find(method);
  return m != nullptr ? m->median_us : 0;
}

bool is_worst(const case_result& r) {
  const measurement* ours = r.find("nearfar");
  if (ours == nullptr || r.methods.size() < 2) return false;
  bool is_worst = true;
  for (const auto& m : r.methods)
    if (m.method != "floor" && m.method.rfind("nearfar", 0) != 0 && m.median_us >= ours->median_us) is_worst = false;
  return is_worst;
}

/// What the bars of this bench say of a case.
std::string verdict(const case_result& r) {
  const double ratio = median_of(r, "nearfar") > 0 ? median_of(r, "mixed-critical") / median_of(r, "nearfar") : 0;
  if (is_worst(r)) return "WORST";
  if (r.name == critical_bar_case && ratio > 0 && ratio < critical_bar) return "SHORT";
  return "ok";
}

/// Every method beside each other, and the ratios that the bars are about. Markdown.
void print_table(const std::vector<case_result>& results) {
  if (results.empty()) return;
  std::printf("\n| bytes |");
  for (const auto& m : results.front().methods) std::printf(" %s |", m.method.c_str());
  std::printf(" critical / Nearfar | |\n|---:|");
  for (std::size_t i = 0; i < results.front().methods.size(); ++i) std::printf("---:|");
  std::printf("---:|---|\n");
  for (const auto& r : results) {
    std::printf("| %lld |", r.bytes);
    for (const auto& m : r.methods) std::printf(" %.*f |", m.median_us < 10 ? 2 : 1, m.median_us);
    const double ours = median_of(r, "nearfar");
    std::printf(" %.1f | %s |\n", ours > 0 ? median_of(r, "mixed-critical") / ours : 0, verdict(r).c_str());
  }
}

int run_cases(const options& how) {
  const char* wanted = std::getenv("NEARFAR_BENCH_THREADS");
  const crowd everyone(wanted != nullptr ? std::atoi(wanted) : 0);
  const nearfar::team& ranks = everyone.ranks();
  report out({"threads", mpi_name(), ranks.size(), ranks.nodes(), ranks.is_root()}, how);
  if (ranks.is_root())
    std::printf("# plain MPI: %d ranks; mixed: %d ranks of %d threads\n%s", ranks.size(), everyone.hosts().size(),
                everyone.threads(), everyone.all_threads().describe().c_str());
  std::vector<case_result> results;
  for (const auto& c : cases) {
    if (!how.wants_case(c.name)) continue;
    thread_sums sums(everyone, how, c.bytes / static_cast<long long>(sizeof(double)));
    sums.what.name = c.name;
    results.push_back(measure(ranks.comm(), how, sums.what, sums.contenders));
    out.add(results.back());
  }
  out.finish();
  if (ranks.is_root()) print_table(results);
  int code = out.exit_code();
  for (const auto& r : results)
    if (how.is_gate && code == 0 && verdict(r) != "ok") code = 2;
  return code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::let_idle_threads_sleep(argv);
  setenv("NEARFAR_WISDOM", "off", 0);
  int level = MPI_THREAD_SINGLE, rank = 0, code = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bench::options how;
  try {
    if (bench::read_options(argc, argv, "Sums over all threads of all ranks: MPI, two stages, OpenMP, Nearfar",
                            rank == 0, how, code)) {
      if (!how.is_list)
        code = bench::run_cases(how);
      else if (rank == 0)
        for (const auto& c : bench::cases) std::printf("%-10s %lld bytes per thread\n", c.name, c.bytes);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_threads: rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
