// SPDX-License-Identifier: BSD-3-Clause
// The communicator and the near memory that all engines of a job share. They are made inside MPI_Init, so that the
// library makes no communicator later: not while the program, in another thread or without waiting, makes one itself.
#pragma once

#include <collective/engine.hpp>
#include <memory>
#include <string>
#include <topology/subteams.hpp>
#include <vector>

namespace nearfar::interpose {

/// Collective over MPI_COMM_WORLD, inside MPI_Init. Where it fails, one line says why, and no engine is ever made.
void make_job_team() noexcept;

/// No engine lives any more. Collective over MPI_COMM_WORLD, inside MPI_Finalize.
void end_job_team() noexcept;

/// The ranks of a communicator in MPI_COMM_WORLD; empty where no engine can be made: no job team, or processes of
/// another job, which may not have the library. Local, and the same on all ranks of the communicator.
std::vector<int> ranks_in_job(MPI_Comm comm) noexcept;

/// Tags for an engine's messages, handed out by rank 0 of its communicator, which alone owns them; given back when
/// destroyed.
class engine_tags {
 public:
  /// Local. At most as many live at a time as MPI has tags for; is_valid() tells.
  engine_tags() noexcept;
  ~engine_tags();
  engine_tags(const engine_tags&) = delete;
  engine_tags& operator=(const engine_tags&) = delete;

  bool is_valid() const noexcept { return first_ >= 0; }
  int first() const noexcept { return first_; }
  /// Messages of an engine that failed may be on their way for ever.
  void keep_for_ever() noexcept { first_ = -1; }

 private:
  int first_ = -1;
};

/// Collective over `comm`, with what ranks_in_job(comm) said. @throws as collective::engine, on all ranks or on none
std::unique_ptr<collective::engine> make_engine_of_job(MPI_Comm comm, std::vector<int> ranks, int first_tag,
                                                       const std::string& name);

}  // namespace nearfar::interpose
