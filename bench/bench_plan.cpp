// SPDX-License-Identifier: BSD-3-Clause
// What making a plan costs: pinned, remembered from wisdom, and raced; 26 neighbours and three fields, as Comb has
// them.
#include <nearfar/nearfar.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using nearfar::field;
using nearfar::grid;
using nearfar::halo_part;
using nearfar::halo_plan;
using nearfar::index_t;
using nearfar::team;

constexpr index_t tile = 100;
constexpr int times = 11;

void median_ms(const team& t, const std::vector<halo_part>& parts, const std::string& method) {
  std::vector<double> ms;
  for (int i = 0; i < times; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    { const halo_plan h(parts, {.name = "plan", .method = method}); }
    double mine = (MPI_Wtime() - begin) * 1e3, longest = 0;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    ms.push_back(longest);
  }
  std::sort(ms.begin(), ms.end());
  const char* label = method.empty() ? "(with wisdom)" : method.c_str();
  if (t.is_root()) std::printf("%-34s %8.2f  (%.2f to %.2f)\n", label, ms[times / 2], ms.front(), ms.back());
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const team t = mpi.world();
  const std::string wisdom = "bench-plan-wisdom.jsonl";
  setenv("NEARFAR_WISDOM", wisdom.c_str(), 1);
  if (t.is_root()) std::filesystem::remove(wisdom);
  MPI_Barrier(MPI_COMM_WORLD);

  const grid cells(t, {tile, tile, tile * t.size()}, {.periodic = {true, true, true}});
  std::vector<field<double>> fields;
  for (int f = 0; f < 3; ++f) fields.emplace_back(cells, nearfar::field_options{.ghosts = 1});
  const std::vector<halo_part> parts(fields.begin(), fields.end());

  if (t.is_root())
    std::printf("# making a plan on %d ranks, %d nodes: ms, median of %d (least to most)\n", t.size(), t.nodes(),
                times);
  for (const char* method : {"isend", "near-mixed"}) median_ms(t, parts, method);
  const double begin = MPI_Wtime();
  { const halo_plan first(parts, {.name = "plan"}); }
  if (t.is_root()) std::printf("%-34s %8.2f\n", "(tuned, first time)", (MPI_Wtime() - begin) * 1e3);
  median_ms(t, parts, "");
  if (t.is_root()) {
    std::filesystem::remove(wisdom);
    std::filesystem::remove(wisdom + ".lock");
  }
  return 0;
}
