// SPDX-License-Identifier: BSD-3-Clause
// Sums over all boxes that begin at the origin: running sums along x, y and z, each where that axis is contiguous.
#include <array>
#include <cstdio>
#include <nearfar/nearfar.hpp>
#include <vector>

using nearfar::index_t;
constexpr index_t nx = 48, ny = 40, nz = 36;
using table = nearfar::transpose_array<std::int64_t>;

/// Running sums along the lines, which are contiguous and `length` long.
void add_up(const table& t, index_t length) {
  for (index_t i = 0; i < t.shape().elements; ++i)
    if (i % length > 0) t.data()[i] += t.data()[i - 1];
}

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();

  // [sides]
  const std::vector<index_t> extents{nz, ny, nx};  // slowest axis first
  const nearfar::transpose_side x{nearfar::decomposition::pencil(team, extents, 2)};
  const nearfar::transpose_side y{nearfar::decomposition::pencil(team, extents, 1), {0, 2, 1}};  // y contiguous
  const nearfar::transpose_side z{nearfar::decomposition::pencil(team, extents, 0), {1, 2, 0}};
  const table a(x), b(y), c(z);  // own part, in memory that near ranks read in place
  // [sides]
  const nearfar::box own = x.parts.own();
  for (index_t k = own.lower[0]; k < own.upper[0]; ++k)
    for (index_t j = own.lower[1]; j < own.upper[1]; ++j)
      for (index_t i = 0; i < nx; ++i) a(k, j, i) = (i * i * 7 + j * 13 + k * 29) % 101;

  // [plans]
  nearfar::transpose_plan x_to_y(x, y, a, b, {.name = "x to y"}), y_to_z(y, z, b, c, {.name = "y to z"});
  add_up(a, nx);
  x_to_y.run();
  add_up(b, ny);
  y_to_z.run();
  add_up(c, nz);
  // [plans]

  std::int64_t sum = 0;
  const nearfar::box mine = z.parts.own();
  for (index_t j = mine.lower[1]; j < mine.upper[1]; ++j)
    for (index_t i = mine.lower[2]; i < mine.upper[2]; ++i)
      for (index_t k = 0; k < nz; ++k) sum += (1 + (i + 2 * j + 3 * k) % 97) * c(k, j, i);
  const std::int64_t checksum = nearfar::allreduce(team, sum, nearfar::reduce_op::sum);
  if (team.is_root()) std::printf("sums: checksum %lld\n", static_cast<long long>(checksum));
}
