// SPDX-License-Identifier: BSD-3-Clause
// Chooses how a plan moves elements: pinned, from an earlier similar plan, from the wisdom file, or by a race.
#pragma once

#include <functional>
#include <tune/selection.hpp>

#include "choice.hpp"

namespace nearfar::irregular {

struct selection {
  choice what;
  tune::selection why{};        ///< its seconds are those of what was raced last
  bool is_raced_again = false;  ///< while the plan is used; the same on all ranks
};

/// What a decision depends on besides the machine; the same on every rank.
struct plan_facts {
  bool has_near = false, has_far = false;
  index_t largest_near_bytes = 0, largest_far_bytes = 0;  ///< that come to one rank
  index_t element_bytes = 0;
  std::vector<std::string> without{};  ///< methods
};

/// What is raced: a gather of ghosts and a scatter back, whose best method need not be the gather's.
struct raced_moves {
  std::function<void(const choice&)> gather_and_scatter;
  std::function<void()> prepare;  ///< writes the sources anew
};

/// Collective over the team. `begin` says what is raced; it is called if there is a race, by all ranks.
/// @throws usage_error on every rank: a pinned name that does not exist or cannot be had here
selection select(const team& members, const irregular_options& options, const plan_facts& facts,
                 const std::function<raced_moves()>& begin);

}  // namespace nearfar::irregular
