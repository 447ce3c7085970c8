// SPDX-License-Identifier: BSD-3-Clause
// What the named functions for collective calls and plans have in common.
#pragma once

#include <span>

#include "handles.hpp"

namespace nearfar::capi {

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
  return making(plan, [&] {
    std::optional<collective_call> wanted;
    plan_options with_options;
    make_over(
        team, plan, "plan",
        [&] {
          wanted.emplace(call());
          read_plan_options(read_options(options), with_options);
        },
        [&](nearfar_collective_plan& made) { made.value.emplace(team->value, *wanted, with_options); });
  });
}

}  // namespace nearfar::capi
