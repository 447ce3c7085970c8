// SPDX-License-Identifier: BSD-3-Clause
// Teams of communicators whose ranks belong to a team that is there already: what is known of that one suffices, and no
// communicator is made.
#pragma once

#include <nearfar/team.hpp>
#include <vector>

namespace nearfar {

/// Collectives of a subteam go by the caller's own communicator, so that all that is made of it calls them only where
/// the caller may call collectives on that. Messages go by the communicator of the whole team, told apart by tags.
class subteams {
 public:
  static constexpr int tags_per_team = 8;

  /// Collective over the whole team. O(its ranks) integers of memory. @throws transport_error
  explicit subteams(team whole);

  const team& whole() const noexcept { return whole_; }

  /// The ranks of `comm` in the whole team, or none if a process of `comm` is not in it. Local, and the same on all
  /// ranks of `comm`.
  std::vector<int> ranks_of(MPI_Comm comm) const;

  /// The team of `comm`, an intracommunicator that is in the whole team with `ranks` and outlives the team made. Tags
  /// `first_tag` to `first_tag + tags_per_team - 1` are its own among all subteams that share two of its ranks. Local.
  team of(MPI_Comm comm, std::vector<int> ranks, int first_tag) const;

 private:
  team whole_;
  std::vector<int> nodes_;  ///< by rank of the whole team
};

}  // namespace nearfar
