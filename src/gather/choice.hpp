// SPDX-License-Identifier: BSD-3-Clause
// How a plan moves elements between near ranks and between far ones, by name.
#pragma once

#include <nearfar/gather_plan.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar::gathering {

struct choice {
  std::string near =
      "near-direct";  ///< near-direct, -mixed, -staged, -streamed, or a method of the exchange engine that sends messages
  std::string far = "isend";  ///< a method of the exchange engine, or "once", or "once-" and a method of the engine

  bool is_near_by_messages() const {
    return near != "near-direct" && near != "near-mixed" && near != "near-staged" && near != "near-streamed";
  }
  /// Elements that owners will write again soon may be better packed: readers in place leave them spread over caches.
  bool gathers_in_place() const { return near == "near-direct"; }
  bool scatters_in_place() const { return near == "near-direct" || near == "near-mixed"; }
  /// Stores past the caches (streaming.hpp) wait for no reader's core, but the readers then fetch from memory.
  bool packs_past_caches() const { return near == "near-streamed"; }
  /// Elements that several ranks of a node gather come to it once.
  bool crosses_once() const { return far.starts_with("once"); }
  /// The engine's method for messages to far ranks.
  std::string transport() const;
  std::string name(bool has_near, bool has_far) const;
  friend bool operator==(const choice&, const choice&) = default;
};

/// The plain way: messages to near and far ranks.
inline choice yardstick() { return {"isend", "isend"}; }

/// Reads a pinned name; collective over the team at the first call.
/// @throws usage_error  (local) names that do not exist or cannot be had here
choice parse_choice(const team& members, const std::string& name, const std::vector<std::string>& far_methods);

/// Ways for far ranks that the tuner tries.
std::vector<std::string> far_candidates();

/// The ways for far ranks that can be had here. Collective over the team at the first call.
std::vector<std::string> far_methods_here(const team& members);

}  // namespace nearfar::gathering
