// SPDX-License-Identifier: BSD-3-Clause
// Modelled teams: the state of one rank of a team on another machine, without a communicator, from which plans derive
// their messages.
#pragma once

#include <algorithm>
#include <nearfar/team.hpp>

namespace nearfar {

/// Ranks dealt to nodes node by node; the last node has what is left over.
struct node_shape {
  int ranks = 1, per_node = 1;

  int nodes() const noexcept { return (ranks + per_node - 1) / per_node; }
  int node_of(int rank) const noexcept { return rank / per_node; }
  int first_of(int node) const noexcept { return node * per_node; }
  int size_of(int node) const noexcept { return std::min(per_node, ranks - first_of(node)); }
};

/// The team of all ranks as `rank` sees it. It has no communicator: what is agreed on holds (see agree()), calls that
/// need other ranks must not be made. Local, also where MPI was not initialised.
/// @throws usage_error  numbers that are not positive, or a rank that is not there
team modelled_team(const node_shape& shape, int rank);

/// Whether the team is one of these.
inline bool is_modelled(const team& members) noexcept { return members.comm() == MPI_COMM_NULL; }

}  // namespace nearfar
