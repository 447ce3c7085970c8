// SPDX-License-Identifier: BSD-3-Clause
// How a plan moves elements between near ranks and between far ones, by name.
#pragma once

#include <nearfar/irregular_plan.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar::irregular {

/// How a rank gives near ranks what they want in one direction. Ranks may differ, from call to call: readers see it.
/// Elements that owners will write again soon may be better packed: readers in place leave them spread over caches.
/// Stores past the caches (streaming.hpp) wait for no reader's core, but the readers then fetch from memory.
enum class near_method : std::uint8_t { in_place, packed, streamed };

struct choice {
  /// near-direct, -mixed, -staged, -streamed, or two of them, GATHERS/SCATTERS; or a method of the exchange engine that
  /// sends messages
  std::string near = "near-direct";
  std::string far = "isend";  ///< a method of the exchange engine, or "once", or "once-" and a method of the engine

  bool is_near_by_messages() const;
  /// Where is_near_by_messages() is false.
  near_method gathers() const;
  near_method scatters() const;
  /// Elements that several ranks of a node gather come to it once.
  bool crosses_once() const;
  /// A near rank passes on what goes to far ranks or comes from them.
  bool is_through_near_ranks() const;
  /// The engine's method for messages to far ranks.
  std::string transport() const;
  std::string name(bool has_near, bool has_far) const;
  friend bool operator==(const choice&, const choice&) = default;
};

/// The name of two methods between near ranks.
std::string near_name(near_method gathers, near_method scatters);

/// The plain method: messages to near and far ranks.
inline choice yardstick() { return {"isend", "isend"}; }

/// Reads a pinned name; collective over the team at the first call.
/// @throws usage_error  (local) names that do not exist or cannot be had here
choice parse_choice(const team& members, const std::string& name, const std::vector<std::string>& far_methods);

/// Methods for far ranks that the tuner tries.
std::vector<std::string> far_candidates();

/// The methods for far ranks that can be had here. Collective over the team at the first call.
std::vector<std::string> far_methods_here(const team& members);

}  // namespace nearfar::irregular
