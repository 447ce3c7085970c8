// SPDX-License-Identifier: BSD-3-Clause
// The mesh and the temperature in the course of time, for ParaView and for whoever reads HDF5.
#pragma once

#include <base/problem.hpp>
#include <nearfar/team.hpp>
#include <output/hdf5_layout.hpp>
#include <solver/simulation.hpp>
#include <string>
#include <vector>

namespace adaptive_heat {

/// One VTKHDF file per time (NAME_000010.vtkhdf is step 10), and NAME.vtkhdf, which is all of them with their times: its data sets are
/// virtual, their values are those in the other files.
///
/// Each element of order N is N x N x N linear hexahedra on its (N + 1)^3 points, x fastest, elements in Morton order: exact at the points, and every filter of
/// ParaView's knows them (cells of higher order are cut into pieces before they are shown, and by some filters not at all). Elements
/// do not share points, since temperatures of elements of different size differ a little where they meet. Cells have `level` and
/// `rank`, points have `temperature`; a partition per rank that has elements. Coordinates are the user's. The group
/// /nearfar of a time's file has the step, the time and the ball as attributes.
class mesh_series {
 public:
  /// Local. @param path  NAME.vtkhdf  @throws nearfar::usage_error for another ending
  mesh_series(const nearfar::team& members, const problem& what, const std::string& path);

  /// Takes over what a run before a restart has written up to that time. Collective.
  void resume(double time);
  /// Collective. @throws nearfar::io_error on every rank; the step's file is then not there
  /// @cost   72 bytes of the disk per point (9 kB per element of order 4); a megabyte of memory per rank
  void write(const run_state& now, const heat_solver& solver);

 private:
  /// What NAME.vtkhdf has to know about a file.
  struct written_step {
    int step;
    double time;
    std::int64_t elements, parts;
  };
  std::string name_of(int step) const;
  std::vector<written_step> steps_before(double time) const;
  void write_index() const;
  std::vector<source_file> sources_of(const std::string& data_set) const;

  nearfar::team team_;
  problem problem_;
  std::string base_;                 ///< without .vtkhdf
  std::vector<written_step> steps_;  ///< the root's only
};

}  // namespace adaptive_heat
