// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange: every method of plain MPI against Nearfar, on the cases of the specification and of LLNL's Comb.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench_halo_contenders.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {
namespace {

constexpr index_t levels = 38;

std::string name_of(const char* prefix, int bytes, int fields, index_t nx, index_t ny) {
  return std::string(prefix) + "-r" + std::to_string(bytes) + "-" + std::to_string(fields) + "f-" + std::to_string(nx) +
         "x" + std::to_string(ny);
}

/// (k,i,j) with k fastest, i cut: strips of all levels.
halo_case zx(int bytes, int fields, index_t nx, index_t ny, double bar) {
  return {.name = name_of("zx", bytes, fields, nx, ny),
          .tile = {ny, nx, levels},
          .ghosts = {1, 1, 0},
          .is_cut = {1},
          .periodic = {false, false, false},
          .element_bytes = bytes,
          .fields = fields,
          .near_bar = bar};
}

/// The same with j cut: one contiguous piece per field.
halo_case zy(int bytes, int fields, index_t nx, index_t ny, double bar) {
  halo_case c = zx(bytes, fields, nx, ny, bar);
  c.name = name_of("zy", bytes, fields, nx, ny);
  c.is_cut = {0};
  return c;
}

/// (i,j,k) with i fastest and cut: single elements.
halo_case xx(int bytes, int fields, index_t nx, index_t ny) {
  return {.name = name_of("xx", bytes, fields, nx, ny),
          .tile = {levels, ny, nx},
          .ghosts = {0, 1, 1},
          .is_cut = {2},
          .periodic = {false, false, false},
          .element_bytes = bytes,
          .fields = fields};
}

/// A field of one level, i cut.
halo_case surface(index_t nx, index_t ny, double bar) {
  return {.name = name_of("2d", 4, 1, nx, ny),
          .tile = {ny, nx},
          .ghosts = {1, 1},
          .is_cut = {1},
          .periodic = {false, false},
          .element_bytes = 4,
          .fields = 1,
          .near_bar = bar};
}

halo_case each(int fields, index_t nx, index_t ny) {
  halo_case c = zx(4, fields, nx, ny, 0.97);
  c.name = name_of("each", 4, fields, nx, ny);
  c.kind = halo_kind::each;
  return c;
}

/// Comb's standard parameters: a cube of 100 cells per rank, 3 variables of doubles, ghost 1, periodic, 26 neighbours.
halo_case comb() {
  return {.name = "comb-r8-3f-100",
          .tile = {100, 100, 100},
          .ghosts = {1, 1, 1},
          .is_cut = {0, 1, 2},
          .periodic = {true, true, true},
          .element_bytes = 8,
          .fields = 3};
}

/// Compute and exchange: a 5-point stencil over 10 fields, both horizontal dimensions cut and periodic.
halo_case step(index_t nx, index_t ny) {
  return {.name = name_of("step", 4, 10, nx, ny),
          .kind = halo_kind::step,
          .tile = {ny, nx, levels},
          .ghosts = {1, 1, 0},
          .is_cut = {0, 1},
          .periodic = {true, true, false},
          .is_star = true,
          .element_bytes = 4,
          .fields = 10};
}

std::vector<halo_case> all_cases() {
  return {surface(3, 3, 1.8),
          surface(25, 25, 0.97),
          zx(4, 1, 3, 3, 1.8),
          zx(4, 1, 12, 12, 1.4),
          zx(4, 1, 25, 25, 1.1),
          zx(4, 10, 3, 3, 1.1),
          zx(4, 10, 8, 8, 1.05),
          zx(4, 1, 50, 100, 1.05),
          zx(4, 10, 12, 12, 1.05),
          zx(4, 10, 25, 25, 0.97),
          zx(4, 10, 50, 100, 1.3),
          zx(8, 10, 50, 100, 1.2),
          zy(4, 10, 100, 50, 2.2),
          zy(8, 10, 100, 50, 2.2),
          xx(4, 10, 50, 102),
          comb(),
          each(3, 12, 12),
          each(10, 12, 12),
          each(3, 50, 100),
          each(10, 50, 100),
          step(50, 100),
          step(16, 14),
          step(3, 3)};
}

void list_cases() {
  for (const auto& c : all_cases()) {
    std::printf("%-22s tile", c.name.c_str());
    for (const index_t n : c.tile) std::printf(" %lld", static_cast<long long>(n));
    std::printf(", %d field%s of %d bytes, bar on 2 near ranks %.2f\n", c.fields, c.fields == 1 ? "" : "s",
                c.element_bytes, c.near_bar);
  }
}

int run_cases(const options& how) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int code = 0;
  {
    const surroundings here{comm, nearfar::team(MPI_COMM_WORLD), how};
    report out({"halo", mpi_name(), here.members.size(), here.members.nodes(), here.members.is_root()}, how);
    for (const auto& c : all_cases()) {
      if (!how.wants_case(c.name)) continue;
      const auto ready = prepare(here, c);
      out.add(measure(comm, how, ready->what, ready->contenders));
    }
    out.finish();
    code = out.exit_code();
  }
  MPI_Comm_free(&comm);
  return code;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, "Halo exchange: plain MPI against Nearfar", {}, bench::list_cases,
                            bench::run_cases);
}
