// SPDX-License-Identifier: BSD-3-Clause
// Fields and coefficients, frames of snapshots, and a second state for checkpoints.
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

/// Of all ranks: what a checkpoint is copied to.
double state_bytes(const settings& s, const ground& g) {
  if (s.checkpoints.path.empty()) return 0;
  return sizeof(float) * 2.0 * fields_of(g.system) * static_cast<double>(g.all.size());
}

}  // namespace

void check_memory(const nearfar::team& team, const settings& what, const ground& outline, double own_bytes) {
  const auto& p = outline.all.points;
  const double of_rank = own_bytes + (frame_bytes(what, outline) + state_bytes(what, outline)) / team.size();
  apps::check_memory(team,
                     "a grid of " + std::to_string(p[x]) + " x " + std::to_string(p[y]) + " x " + std::to_string(p[z]) +
                         " points with its sides needs",
                     of_rank, "take more nodes or fewer points");
}

}  // namespace seismic
