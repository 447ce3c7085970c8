// SPDX-License-Identifier: BSD-3-Clause
// One halo exchange of a periodic row of cells; the exit code says whether the ghosts are right.
#include <cstdlib>
#include <nearfar/nearfar.hpp>

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  const nearfar::index_t cells = 16;
  nearfar::grid grid{mpi.world(), {cells}, {.periodic = {true}}};
  nearfar::field<double> t{grid, {.ghosts = 1}};
  for (auto i = t.own().lower[0]; i < t.own().upper[0]; ++i) t(i) = static_cast<double>(i);
  nearfar::halo_plan halo{t};
  halo.run();
  const auto below = t.own().lower[0] - 1;
  const auto above = t.own().upper[0];
  const bool right =
      t(below) == static_cast<double>((below + cells) % cells) && t(above) == static_cast<double>(above % cells);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
