// SPDX-License-Identifier: BSD-3-Clause
// The engine that a team's calls share, made when it is first needed.
#pragma once

#include <base/internals.hpp>
#include <collective/engine.hpp>
#include <memory>
#include <topology/team_state.hpp>

namespace nearfar::collective {

/// Null engine: near memory could not be had, plain MPI carries out everything.
struct team_engine {
  std::unique_ptr<engine> works;
  bool compares_ranks = false;  ///< NEARFAR_CHECK
  static team_engine& of(const team& members) {
    void* const known = state_of(members).collective_engine;
    return known != nullptr ? *static_cast<team_engine*>(known) : made_for(members);
  }

 private:
  static team_engine& made_for(const team& members);  // collective
};

/// One call by the team's engine or by MPI. @throws transport_error
void carry_out(const call& c, const team& members, team_engine& e);

}  // namespace nearfar::collective
