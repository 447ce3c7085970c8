// SPDX-License-Identifier: BSD-3-Clause
// The points of the grid that a snapshot has, and how a file describes them.
#pragma once

#include <app/ground.hpp>
#include <nearfar/output.hpp>
#include <settings/settings.hpp>
#include <solver/frame.hpp>
#include <vector>

namespace seismic {

/// Every stride-th point of a part of the grid.
struct snapshot_points {
  nearfar::box part;  ///< of the grid with its layers
  std::array<index_t, 3> stride{};
  nearfar::box own;  ///< this rank's, counted in the snapshot's points
};

/// As the settings say. Local.
/// @param own  points of the grid with its layers that are this rank's
snapshot_points points_of(const settings& what, const ground& on, const nearfar::box& own);
/// The rank's share of a snapshot, but for where it goes.
frame_part frame_of(const snapshot_points& points, const nearfar::box& own);
/// p in files of this format.
nearfar::output_array array_of(const snapshot_points& points, const grid& all, const std::string& format);
/// Empty for RSF, whose header says the same by attributes.
std::vector<nearfar::output_axis> axes_of(const snapshot_points& points, const grid& all, const std::string& format);

}  // namespace seismic
