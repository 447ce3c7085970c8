// SPDX-License-Identifier: BSD-3-Clause
// Fields of modes and of points, what lies between the transforms, frames of snapshots, and a copy for checkpoints.
#include <app/memory.hpp>
#include <common/memory.hpp>

namespace turbulence {

double expected_bytes(const space& on, const settings& what) {
  const auto product = [](const std::array<index_t, 3>& n) {
    return static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
  };
  const auto& highest = on.highest();
  const std::array<index_t, 3> waves{2 * highest[0] + 1, 2 * highest[1] + 1, highest[2] + 1};
  const std::array<index_t, 3> between{on.points()[0], on.points()[1], waves[2]};
  const int scalars = what.flow.has_scalar ? 1 : 0, states = what.flow.scheme == time_scheme::rk4 ? 4 : 3;
  const int buffers = on.team().size() == 1 ? 1 : 2;  // one more for messages
  const double of_modes = sizeof(complex) * product(waves), of_points = product(on.points()),
               of_files = product(on.shape().points);
  double bytes = of_modes * (states * (3 + scalars) + 3 * scalars) + of_points * sizeof(double) * (6 + scalars);
  bytes += 3.0 * buffers * sizeof(complex) * product(between);
  if (!what.snapshots.path.empty()) {
    const std::size_t number = what.snapshots.is_double ? sizeof(double) : sizeof(float);
    bytes += 2 * of_files * static_cast<double>(number) * (4 + scalars);
    if (of_files < of_points)
      bytes += of_files * sizeof(double) * (3 + scalars) + 3.0 * buffers * sizeof(complex) * of_files / 2;
  }
  if (!what.checkpoints.empty()) bytes += of_modes * (3 + scalars);
  return bytes / on.team().size();
}

void check_memory(const space& on, const settings& what) {
  const auto& n = on.shape().points;
  apps::check_memory(on.team(),
                     "a grid of " + std::to_string(n[2]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[0]) +
                         " points needs",
                     expected_bytes(on, what), "take more nodes or fewer points");
}

}  // namespace turbulence
