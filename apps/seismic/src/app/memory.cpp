// SPDX-License-Identifier: BSD-3-Clause
// Fields, coefficients and memories of layers, frames of snapshots, and a second state for checkpoints.
#include <app/memory.hpp>
#include <cmath>
#include <common/memory.hpp>

namespace seismic {

namespace {

/// Of all ranks: the frames in which snapshots wait to be written.
double frame_bytes(const settings& s, const ground& g) {
  if (s.snapshots.path.empty()) return 0;
  constexpr int frames = 2;
  double bytes = sizeof(float) * frames;
  const nearfar::box part = s.snapshots.has_sides ? g.all.whole() : snapshot_part(s);
  for (std::size_t d = 0; d < 3; ++d)
    bytes *=
        std::ceil(static_cast<double>(part.extent(static_cast<int>(d))) / static_cast<double>(s.snapshots.stride[d]));
  return bytes;
}

}  // namespace

double bytes_of_rank(const nearfar::team& team, const settings& what, const grid& all, const propagator_options& how) {
  const double bytes = propagator::expected_bytes(team, all, how);
  return what.checkpoints.path.empty() ? bytes : bytes + propagator::expected_state_bytes(all, how) / team.size();
}

void check_memory(const nearfar::team& team, const settings& what, const ground& outline, double own_bytes) {
  const auto& p = outline.all.points;
  const double of_rank = own_bytes + frame_bytes(what, outline) / team.size();
  apps::check_memory(team,
                     "a grid of " + std::to_string(p[x]) + " x " + std::to_string(p[y]) + " x " + std::to_string(p[z]) +
                         " points with its sides needs",
                     of_rank, "take more nodes or fewer points");
}

}  // namespace seismic
