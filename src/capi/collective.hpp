// SPDX-License-Identifier: BSD-3-Clause
// What the named functions for collective calls and plans have in common.
#pragma once

#include <span>

#include "handles.hpp"

namespace nearfar::capi {

nearfar_status make_plan(nearfar_team* team, const collective_call& call, const nearfar_plan_options* options,
                         nearfar_collective_plan** plan);

/// One entry per rank, or none. @throws usage_error if there is no team
inline rank_counts list(const nearfar_team* team, const std::int64_t* entries) {
  const int ranks = value_of(team).size();
  return entries == nullptr ? rank_counts()
                            : rank_counts(std::span<const std::int64_t>(entries, static_cast<std::size_t>(ranks)));
}

template <class Call>
nearfar_status once(nearfar_team* team, const Call& call) noexcept {
  return guarded([&] { run_collective(value_of(team), call()); });
}

template <class Call>
nearfar_status make(nearfar_team* team, const nearfar_plan_options* options, nearfar_collective_plan** plan,
                    const Call& call) noexcept {
  if (plan) *plan = nullptr;
  nearfar_status status = NEARFAR_OK;
  const nearfar_status outer = guarded([&] { status = make_plan(team, call(), options, plan); });
  return outer != NEARFAR_OK ? outer : status;
}

}  // namespace nearfar::capi
