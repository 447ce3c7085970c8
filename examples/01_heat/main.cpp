// SPDX-License-Identifier: BSD-3-Clause
// Heat spreads through a box, in C++: the exchange of ghost cells overlaps with the cells that need none.
#include <cstdio>
#include <nearfar/nearfar.hpp>

using values = nearfar::field<double>;

// [diffuse]
// change = (sum of the six neighbours - 6 t) / 8. Views are passed by value: as fast as pointers.
void diffuse(nearfar::element_view<const double> t, nearfar::element_view<double> change,
             const nearfar::region& cells) {
  for (const nearfar::box& b : cells)
    for (auto k = b.lower[0]; k < b.upper[0]; ++k)
      for (auto j = b.lower[1]; j < b.upper[1]; ++j)
        for (auto i = b.lower[2]; i < b.upper[2]; ++i)
          change(k, j, i) = (t(k - 1, j, i) + t(k + 1, j, i) + t(k, j - 1, i) + t(k, j + 1, i) + t(k, j, i - 1) +
                             t(k, j, i + 1) - 6 * t(k, j, i)) /
                            8;
}
// [diffuse]

template <class Action>
void for_each_own(const nearfar::grid& grid, const Action& action) {
  const nearfar::box& own = grid.own();
  for (auto k = own.lower[0]; k < own.upper[0]; ++k)
    for (auto j = own.lower[1]; j < own.upper[1]; ++j)
      for (auto i = own.lower[2]; i < own.upper[2]; ++i) action(k, j, i);
}

// A number that depends on every cell: exact, since all values are multiples of 8^-8.
long long checksum(const nearfar::grid& grid, const values& t) {
  double mine = 0, all = 0;
  for_each_own(grid,
               [&](auto k, auto j, auto i) { mine += t(k, j, i) * static_cast<double>((k + 2 * j + 3 * i) % 5 + 1); });
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return static_cast<long long>(all * (1 << 24));
}

// [program]
int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};  // MPI_Init … MPI_Finalize
  nearfar::team team = mpi.world();  // who is near, who is far
  nearfar::grid grid{team, {16, 64, 64}, {.periodic = {false, true, true}}};
  values t{grid, {.ghosts = 1}};  // in memory that near ranks share
  values change{grid};
  nearfar::halo_plan halo{t};  // plan and tune once
  for_each_own(grid,
               [&](auto k, auto j, auto i) { t(k, j, i) = static_cast<double>((7 * k + 13 * j + 17 * i) % 101); });
  for (int step = 0; step < 8; ++step) {
    halo.start();
    diffuse(t, change, t.core());  // needs no ghost: overlaps
    halo.finish();
    diffuse(t, change, t.edge());
    for_each_own(grid, [&](auto k, auto j, auto i) { t(k, j, i) += change(k, j, i); });
  }
  const long long sum = checksum(grid, t);
  if (team.is_root()) std::printf("%s\nheat: checksum %lld\n", halo.describe().c_str(), sum);
}
// [program]
