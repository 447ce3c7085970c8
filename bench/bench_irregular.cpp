// SPDX-License-Identifier: BSD-3-Clause
// Irregular gather and scatter-add: plain MPI, gslib and PETSc (where they were found) against Nearfar.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench_irregular_contenders.hpp"
#include "bench_irregular_nearfar.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {
namespace {

struct workload {
  std::string name;
  pattern (*make)(int ranks);
  double references_per_second;  ///< least rate of making plans, per rank; 0: no bar
  bool is_large = false;         ///< left out of a quick run, unless it is asked for
};

pattern small_mesh(int ranks) { return mesh_pattern(8, ranks); }
pattern large_mesh(int ranks) { return mesh_pattern(17, ranks); }

std::vector<workload> all_workloads() {
  return {{"mesh", small_mesh, 200e6}, {"rand", random_pattern, 60e6}, {"mesh17", large_mesh, 0, true}};
}

struct named_act {
  std::string name, text;
  act what;
};

std::vector<named_act> all_acts() {
  return {{"G1", "ghosts from their owners", act::ghost_gather},
          {"S1", "ghosts added to their owners' elements", act::ghost_scatter},
          {"G2", "out[k] = x[index[k]]", act::full_gather},
          {"S2", "x[index[k]] += in[k]", act::full_scatter},
          {"plan", "making and freeing a plan", act::plan}};
}

/// What this project set itself for an act: least ratios to PETSc, also on the caller's memory, and to gslib.
struct bars {
  double petsc, petsc_other, gslib;
};

bars bars_of(const workload& load, act what) {
  const bool is_mesh = load.name == "mesh", is_random = load.name == "rand";
  if (!is_mesh && !is_random) return {};
  switch (what) {
    case act::ghost_gather:
      return {is_mesh ? 3.0 : 2.5, 2.0, 5.0};
    case act::ghost_scatter:
      return {1.8, 1.8, 4.0};
    case act::full_gather:
      return {1.8, 1.8, 2.3};
    case act::full_scatter:
      return {0.97, 0.97, is_mesh ? 1.2 : 1.0};
    case act::plan:
      return {0, 0, 10.0};
  }
  return {};
}

std::vector<rival> near_rivals(const bars& least) {
  return {{"PETSc", {"peer-petscsf", "peer-vecscatter"}, least.petsc, least.petsc_other},
          {"gslib", {"peer-gslib"}, least.gslib, 0}};
}

// With one rank on each node nobody can do better than the neighbourhood collective; with more, be the best, or almost.
std::vector<rival> far_rivals(bool is_one_rank_each) {
  if (is_one_rank_each) return {{"MPI_Neighbor_alltoallv", {"mpi-neighbor"}, 0.95, 0}, {"peers", {"peer-"}, 0.97, 0}};
  return {{"peers", {"peer-"}, 0.97, 0}};
}

class bench_run {
 public:
  bench_run(MPI_Comm comm, const options& how)
      : comm_(comm),
        how_(how),
        members_(MPI_COMM_WORLD),
        out_({"irregular", mpi_name(), members_.size(), members_.nodes(), members_.is_root()}, how) {}

  void run(const workload& load) {
    if (std::none_of(acts_.begin(), acts_.end(), [&](const auto& a) { return wants(load, a); })) return;
    const share mine(load.make(members_.size()), members_.rank());
    caller_memory memory(mine);
    const irregular_site here{comm_, how_, mine, memory, members_.nodes() == 1};
    const auto makers = all_makers(here);
    for (const auto& a : acts_)
      if (wants(load, a)) run(load, a, here, makers);
  }
  int finish() {
    out_.finish();
    return out_.exit_code();
  }

 private:
  static std::string name_of(const workload& load, const named_act& a) { return load.name + "-" + a.name; }
  bool wants(const workload& load, const named_act& a) const {
    const bool is_too_large = load.is_large && how_.is_quick && how_.cases.empty();
    return !is_too_large && how_.wants_case(name_of(load, a));
  }

  std::vector<irregular_method_maker> all_makers(const irregular_site& here) const {
    std::vector<irregular_method_maker> all = mpi_methods(here);
    const auto append = [&](const std::vector<irregular_method_maker>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
#ifdef NEARFAR_BENCH_GSLIB
    append(gslib_methods(here));
#endif
#ifdef NEARFAR_BENCH_PETSC
    append(petsc_methods(here));
#endif
    append(nearfar_methods(here, members_));
    return all;
  }

  void run(const workload& load, const named_act& a, const irregular_site& here,
           const std::vector<irregular_method_maker>& makers) {
    std::vector<contender> contenders;
    for (const auto& maker : makers)
      if (how_.wants_method(maker.name)) add_contender(here, a.what, maker, contenders);
    if (contenders.empty()) return;
    out_.add(measure(comm_, how_, subject_of(load, a, here), contenders));
  }

  subject subject_of(const workload& load, const named_act& a, const irregular_site& here) const {
    subject what;
    what.name = name_of(load, a);
    const bool is_ghosts = a.what == act::ghost_gather || a.what == act::ghost_scatter;
    what.bytes = static_cast<long long>(8 * (is_ghosts ? here.mine.ghosts.size() : here.mine.references.size()));
    MPI_Allreduce(MPI_IN_PLACE, &what.bytes, 1, MPI_LONG_LONG, MPI_MAX, comm_);
    what.floor = make_floor(here, a.what);
    what.has_clock_floor = true;
    if (a.what != act::plan) what.bar = 0.97;
    if (members_.nodes() > 1)
      what.rivals = far_rivals(members_.size() == members_.nodes());
    else
      what.rivals = near_rivals(members_.size() == 2 ? bars_of(load, a.what) : bars{});
    if (a.what == act::plan && members_.size() == 2 && members_.nodes() == 1 && load.references_per_second > 0)
      what.limit_us = static_cast<double>(here.mine.references.size()) / load.references_per_second * 1e6;
    return what;
  }

  MPI_Comm comm_;
  options how_;
  nearfar::team members_;
  report out_;
  std::vector<named_act> acts_ = all_acts();
};

void list_cases() {
  for (const auto& load : all_workloads()) {
    std::printf("%s on 2 ranks: %s\n", load.name.c_str(), describe(load.make(2)).c_str());
    for (const auto& a : all_acts()) {
      const bars least = bars_of(load, a.what);
      std::printf("  %-14s %-40s", (load.name + "-" + a.name).c_str(), a.text.c_str());
      if (least.gslib > 0)
        std::printf("bars on 2 near ranks: PETSc %.2f (caller's memory %.2f), gslib %.2f", least.petsc,
                    least.petsc_other, least.gslib);
      std::printf("\n");
    }
  }
}

int run_cases(const options& how) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int code = 0;
  {
    bench_run all(comm, how);
    for (const auto& load : all_workloads()) all.run(load);
    code = all.finish();
  }
  MPI_Comm_free(&comm);
  return code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::options how;
  how.clock = bench::timing::parts;
  return bench::run_program(argc, argv, "Irregular gather: plain MPI, gslib and PETSc against Nearfar", how,
                            bench::list_cases, bench::run_cases);
}
