// SPDX-License-Identifier: BSD-3-Clause
// A run's state on disk, from which any number of ranks can go on: streams of the library's that take turns at a path.
//
// A checkpoint is a stream of format hdf5 with one step, whose time is the run's:
//
//     numbers      float64, of the root: problem and state
//     leaves       int64 {elements}: where each element is, along the curve
//     temperature  float64 {elements, N + 1, N + 1, N + 1}: each rank writes its own elements
#pragma once

#include <base/problem.hpp>
#include <nearfar/output_reader.hpp>
#include <optional>
#include <solver/simulation.hpp>
#include <string>
#include <vector>

namespace adaptive_heat {

/// Writes checkpoints, by a thread of one rank of each node while the run goes on. Collective calls, all of them.
class checkpoint_writer {
 public:
  /// @param kept  the checkpoint that the run goes on from: not replaced before the next one is whole; empty: none
  checkpoint_writer(const nearfar::team& members, std::string path, std::string kept)
      : team_(members), path_(std::move(path)), kept_(std::move(kept)) {}

  /// Returns when the state has been copied.
  /// @throws nearfar::io_error  on every rank: this one cannot be begun, or the one before could not be written; the
  /// newest one that is whole stays
  /// @cost   8 bytes of the disk, and of memory, per point: with order 4 1 kB per element
  void write(const problem& what, const run_state& now, const heat_solver& solver);
  /// All is on the disk. @throws nearfar::io_error on every rank
  void finish();

 private:
  nearfar::team team_;
  std::string path_, kept_;
  std::optional<nearfar::output_stream> stream_;
};

/// A checkpoint that is to be gone on from. Collective calls, all of them.
class checkpoint {
 public:
  /// @param path  of a checkpoint_writer: the newest of its two that is whole is taken; or of one of these
  /// @throws nearfar::io_error     on every rank: none is there, its numbers are damaged or absurd
  /// @throws nearfar::usage_error  on every rank: a stream of something else
  checkpoint(const nearfar::team& members, const std::string& path);

  const problem& what() const noexcept { return problem_; }
  const run_state& state() const noexcept { return state_; }
  const std::string& path() const { return file_.path(); }  ///< of the one of the two that was taken
  /// @throws nearfar::usage_error  on every rank if the solver's elements are of another order than the file's
  /// @throws nearfar::io_error  on every rank if leaves are not those of this mesh or values have been damaged
  void set_values(heat_solver& solver);

 private:
  void check_arrays() const;
  /// The arrays of these boxes, which are then there until end_step().
  void begin(std::vector<nearfar::output_selection> wanted);

  nearfar::team team_;
  nearfar::output_reader file_;
  problem problem_;
  run_state state_;
};

}  // namespace adaptive_heat
