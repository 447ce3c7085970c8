// SPDX-License-Identifier: BSD-3-Clause
// Fields and coefficients, frames of snapshots, and a second state for checkpoints.
#include <app/memory.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <common/memory.hpp>
#include <nearfar/error.hpp>

namespace seismic {

namespace {

constexpr double of_process = 30e6;  // with the MPI library

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
  const double of_rank =
      of_process + own_bytes + (frame_bytes(what, outline) + state_bytes(what, outline)) / team.size();
  const double needed = of_rank * team.near_size(), available = apps::free_bytes();
  std::string complaint;
  if (needed > available) {
    const auto& p = outline.all.points;
    const std::string ranks = std::to_string(team.near_size()) + (team.near_size() == 1 ? " rank" : " ranks");
    complaint = "a grid of " + std::to_string(p[x]) + " x " + std::to_string(p[y]) + " x " + std::to_string(p[z]) +
                " points with its sides needs " + apps::gigabytes(needed) + " on each node of " + ranks + " (" +
                apps::gigabytes(of_rank) + " each), and node " + std::to_string(team.node()) + " has " +
                apps::gigabytes(available) + " free: take more nodes or fewer points, or --force";
  }
  if (const std::string words = apps::first_complaint(team, complaint); !words.empty())
    throw nearfar::resource_error(words);
}

}  // namespace seismic
