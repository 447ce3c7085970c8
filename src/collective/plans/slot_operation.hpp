// SPDX-License-Identifier: BSD-3-Clause
// Plans through near memory of their own: start() contributes, test() carries out each further step as soon as its data
// is available.
#pragma once

#include <collective/call.hpp>
#include <memory>

#include "operation.hpp"
#include "schedule.hpp"

namespace nearfar::collective {

/// What a plan's calls go through near memory as: copied into slots of the plan, or read in the callers' own buffers
/// where all of these lie in near memory.
enum class source { slots, buffers };

/// Null on every rank where the call is not served so. Collective over the team. @throws resource_error on every rank
std::unique_ptr<operation> make_slot_operation(const call& c, const team& members, const setting& around, source from);

}  // namespace nearfar::collective
