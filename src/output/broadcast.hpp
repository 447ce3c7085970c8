// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts of what only the root knows.
#pragma once

#include <base/numbers.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar::output {

/// The root's value. Collective.
template <class Value>
void broadcast(const team& members, Value& value) {
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, members.comm()); });
}

/// The root's list, of any length; `what` names its bytes in errors. Collective.
template <class List>
void broadcast_list(const team& members, List& list, const char* what) {
  index_t bytes = as_index(list.size() * sizeof(list[0]));
  broadcast(members, bytes);
  const int count = checked_int(bytes, what);
  agree(members, [&] { list.resize(as_size(bytes) / sizeof(list[0])); });
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(list.data(), count, MPI_BYTE, 0, members.comm()); });
}

}  // namespace nearfar::output
