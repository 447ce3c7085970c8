// SPDX-License-Identifier: BSD-3-Clause
// An access to an element, as programs write it in their loops, beside a pointer: a stencil of seven points over fields
// and a scaling of a transposed array. One rank.
#include "access/loops.hpp"

#include <cstdio>
#include <nearfar/nearfar.hpp>

#include "harness/program.hpp"
#include "harness/report.hpp"

namespace bench {
namespace {

using nearfar::box;
using nearfar::index_t;

constexpr index_t in_bytes = sizeof(double);

contender timed(const std::string& name, const std::function<void()>& sweep) {
  return {.name = name,
          .is_tuned = name == "nearfar",
          .burst =
              [sweep](int times) {
                const double begin = now_s();
                for (int n = 0; n < times; ++n) sweep();
                return now_s() - begin;
              },
          .check = [] { return true; }};
}

subject named(const std::string& what, index_t n, const access_loops& with) {
  subject s{.name = what + "-" + std::to_string(n) + "-" + with.level, .bytes = n * n * n * in_bytes, .floor = nullptr};
  s.rivals = {{"pointer", {"peer-pointer"}, 1 / (with.level == "O2" ? 1.3 : 1.05)}};
  return s;
}

index_t in_elements(index_t stride_bytes) { return stride_bytes / in_bytes; }

void stencils(const nearfar::team& team, const options& how, report& to, index_t n, const access_loops& with) {
  const subject what = named("stencil", n, with);
  if (!how.wants_case(what.name)) return;
  const nearfar::grid grid{team, {n, n, n}, {.periodic = {true, true, true}}};
  const nearfar::field<double> a{grid, {.ghosts = 1}}, b{grid, {.ghosts = 1}};
  const box own = a.own();
  const index_t plane = in_elements(a.layout().strides_bytes[0]), row = in_elements(a.layout().strides_bytes[1]);
  std::vector<contender> all{
      timed("peer-pointer", [&] { with.stencil_by_pointer(a.data(), b.data(), own, plane, row); }),
      timed("nearfar", [&] { with.stencil_by_view(a, b, own); }),
      timed("nearfar-for_each", [&] { with.stencil_for_each(a, b, own); }),
      timed("nearfar-field", [&] { with.stencil(a, b, own); })};
  to.add(measure(team.comm(), how, what, all));
}

void scalings(const nearfar::team& team, const options& how, report& to, index_t n, const access_loops& with) {
  const subject what = named("transposed", n, with);
  if (!how.wants_case(what.name)) return;
  const nearfar::transpose_side side{nearfar::decomposition::pencil(team, {n, n, n}, 2)};
  const nearfar::transpose_array<double> a{side};
  const box own = side.parts.own();
  std::vector<contender> all{timed("peer-pointer", [&] { with.scale_by_pointer(a.data(), own, n * n, n); }),
                             timed("nearfar", [&] { with.scale_by_view(a.view(), own); }),
                             timed("nearfar-array", [&] { with.scale(a, own); })};
  to.add(measure(team.comm(), how, what, all));
}

template <class Visit>
void for_each_size(const Visit& visit) {
  for (const access_loops& with : {loops_o3(), loops_o2()})
    for (const index_t n : {16, 48, 64}) visit(n, with);
}

void list_cases() {
  for_each_size([](index_t n, const access_loops& with) {
    std::printf("%s\n%s\n", named("stencil", n, with).name.c_str(), named("transposed", n, with).name.c_str());
  });
}

int run_cases(const options& how) {
  const nearfar::team team(MPI_COMM_WORLD);
  report all({.front = "access", .mpi = mpi_name(), .ranks = team.size(), .is_speaker = team.is_root()}, how);
  for_each_size([&](index_t n, const access_loops& with) {
    stencils(team, how, all, n, with);
    scalings(team, how, all, n, with);
  });
  all.finish();
  return all.exit_code();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, "Access to elements in loops, beside pointers", {}, bench::list_cases,
                            bench::run_cases);
}
