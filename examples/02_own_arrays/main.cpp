// SPDX-License-Identifier: BSD-3-Clause
// Smooths an array that the program owns already: rows with padding at their ends, halo around the tile.
#include <cstdio>
#include <nearfar/nearfar.hpp>
#include <vector>

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();
  nearfar::grid grid{team, {48, 60}, {.periodic = {true, true}}};

  // [view]
  const nearfar::box own = grid.own();
  const auto rows = own.extent(0) + 2, columns = own.extent(1) + 2;  // one ghost on every side
  const auto pitch = columns + 6;                                    // a row and its padding
  std::vector<double> a(static_cast<std::size_t>(rows * pitch), 0.0), b = a;
  nearfar::halo_plan halo{grid, nearfar::array_view<double>{a.data(), {rows, columns}, {pitch, 1}}, 1};
  // [view]

  const auto at = [&](nearfar::index_t j, nearfar::index_t i) { return static_cast<std::size_t>(j * pitch + i); };
  for (nearfar::index_t j = 1; j < rows - 1; ++j)
    for (nearfar::index_t i = 1; i < columns - 1; ++i)
      a[at(j, i)] = static_cast<double>((5 * (own.lower[0] + j) + 3 * (own.lower[1] + i)) % 64);
  for (int step = 0; step < 8; ++step) {
    halo.run();
    for (nearfar::index_t j = 1; j < rows - 1; ++j)
      for (nearfar::index_t i = 1; i < columns - 1; ++i)
        b[at(j, i)] = (a[at(j - 1, i - 1)] + a[at(j - 1, i + 1)] + a[at(j + 1, i - 1)] + a[at(j + 1, i + 1)]) / 4;
    for (nearfar::index_t j = 1; j < rows - 1; ++j)
      for (nearfar::index_t i = 1; i < columns - 1; ++i) a[at(j, i)] = b[at(j, i)];
  }
  double mine = 0, all = 0;
  for (nearfar::index_t j = 1; j < rows - 1; ++j)
    for (nearfar::index_t i = 1; i < columns - 1; ++i)
      mine += a[at(j, i)] * static_cast<double>((own.lower[0] + j + 2 * (own.lower[1] + i)) % 7);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (team.is_root()) std::printf("smooth: checksum %lld\n", static_cast<long long>(all * (1 << 16)));
}
