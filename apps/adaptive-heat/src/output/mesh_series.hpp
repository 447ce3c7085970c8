// SPDX-License-Identifier: BSD-3-Clause
// The mesh and the temperature in the course of time, for ParaView and for whoever reads HDF5.
#pragma once

#include <base/problem.hpp>
#include <nearfar/output.hpp>
#include <optional>
#include <solver/simulation.hpp>
#include <string>
#include <vector>

namespace adaptive_heat {

/// How the series is written.
struct series_options {
  std::string path;  ///< NAME.vtkhdf
  nearfar::output_policy policy = nearfar::output_policy::thread;
  const nearfar::output_writers* writers = nullptr;  ///< for output_policy::writer
};

/// A stream of unstructured grids (docs/output.md): one VTKHDF file per time (NAME.000001.vtkhdf is the second),
/// NAME.vtkhdf, which is all of them with their times, and NAME.journal.
///
/// Each element of order N is N x N x N linear hexahedra on its (N + 1)^3 points, x fastest, elements in Morton order:
/// exact at the points, and every filter of ParaView's knows them (cells of higher order are cut into pieces before
/// they are shown, and by some filters not at all). Elements do not share points, since temperatures of elements of
/// different size differ a little where they meet. Cells have `level` and `rank`, points have `temperature`; a
/// partition per rank that has elements. Coordinates are the user's. FieldData has the step and the ball's centre; what
/// never changes are attributes of the files.
class mesh_series {
 public:
  /// Local. @throws nearfar::usage_error for another ending
  mesh_series(const nearfar::team& members, const problem& what, const series_options& options);

  /// With `goes_on` what a run before a restart has written up to that time stays. Collective.
  /// @throws nearfar::io_error on every rank, also when a step before could not be written; those before it are whole
  /// @cost   72 bytes of the disk per point (9 kB per element of order 4), and of memory 1.5 times as much for each of
  /// two frames
  void write(const run_state& now, const heat_solver& solver, bool goes_on);
  /// All is on the disk. Collective. @throws nearfar::io_error on every rank
  void close();

 private:
  void reserve_space(const run_state& now, std::size_t elements, bool goes_on);
  void open(const run_state& now, bool goes_on);
  std::vector<nearfar::output_array> arrays() const;
  void fill(const run_state& now, const heat_solver& solver);

  nearfar::team team_;
  problem problem_;
  series_options options_;
  std::string base_;          ///< without .vtkhdf
  std::size_t capacity_ = 0;  ///< elements that a step of this rank may have
  std::optional<nearfar::output_stream> stream_;
};

}  // namespace adaptive_heat
