// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <omp.h>

#include <app/memory.hpp>
#include <app/pretended.hpp>
#include <app/report.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <cstdio>
#include <memory/huge_array.hpp>
#include <nearfar/error.hpp>
#include <nearfar/grid.hpp>
#include <thread>

namespace seismic {

namespace {

/// Sleeps of a fixed length on average: what the system adds to one is taken off the next.
class pretended_steps {
 public:
  explicit pretended_steps(double step_s) : step_s_(step_s) {}
  void step() {
    const double begin = MPI_Wtime();
    owed_s_ += step_s_;
    if (owed_s_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(owed_s_));
    owed_s_ -= MPI_Wtime() - begin;
  }

 private:
  double step_s_, owed_s_ = 0;
};

/// A ripple: every value is another one than its neighbours.
void fill(const field_view& p, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t k = 0; k < p.own.extent(0); ++k)
    for (index_t j = 0; j < p.own.extent(1); ++j)
      for (index_t i = 0; i < p.own.extent(2); ++i) {
        const index_t number = 7 * (p.own.lower[0] + k) + 5 * (p.own.lower[1] + j) + 3 * (p.own.lower[2] + i);
        p.data[k * p.strides[0] + j * p.strides[1] + i] = 1e-3f * static_cast<float>(number % 1009);
      }
}

}  // namespace

int run_pretended(const nearfar::team& team, const settings& what, const app_options& options,
                  const sink_maker& make_sink) {
  if (!options.restart.empty() || !options.model.empty())
    throw nearfar::usage_error(
        "run.pretended-step is for runs without --restart and --write-model: there are no waves");
  const ground on = outline_of(what);
  if (!options.is_forced) check_memory(team, what, on, 4.0 * static_cast<double>(on.all.size()) / team.size());
  const auto& points = on.all.points;
  const nearfar::grid tiles(team, {points[0], points[1], points[2]}, {.process_grid = {0, 0, 1}});
  const nearfar::box& own = tiles.own();
  const int threads = what.run.threads > 0 ? what.run.threads : omp_get_max_threads();
  huge_array values;
  apps::agree_after(team, [&] { values = huge_array(own.cells(), 0); });
  const field_view p{values.data(), {own.extent(1) * own.extent(2), own.extent(2), 1}, own, own};
  fill(p, threads);
  const double dt_s = *what.time.step_s;
  const auto steps = static_cast<index_t>(std::ceil(what.time.end_s / dt_s - 1e-6));
  field_copier copier(p.data, p.strides, threads);
  snapshots films(team, what, on, {own, p.strides, dt_s, 0, &copier}, make_sink);
  if (team.is_root()) {
    std::printf("pretended %ld steps of %g s, %ld x %ld x %ld points; no wave is computed\n", static_cast<long>(steps),
                what.run.pretended_step_s, static_cast<long>(points[x]), static_cast<long>(points[y]),
                static_cast<long>(points[z]));
    std::fflush(stdout);
  }
  const double begin = MPI_Wtime();
  pretended_steps computing(what.run.pretended_step_s);
  films.look(0);
  for (index_t n = 1; n <= steps; ++n) {
    computing.step();
    films.look(n);
  }
  films.close();
  if (team.is_root()) std::fputs(closing(on, steps, MPI_Wtime() - begin, &films).c_str(), stdout);
  return 0;
}

}  // namespace seismic
