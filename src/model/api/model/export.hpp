// SPDX-License-Identifier: BSD-3-Clause
// Programs for other tools: messages as GOAL (LogGOPSim, ATLAHS), a run of them as a trace for Perfetto.
#pragma once

#include <iosfwd>
#include <model/machine.hpp>
#include <model/program.hpp>

namespace nearfar::model {

/// GOAL's text form, times in nanoseconds. Messages between nodes have tag 0, messages between near ranks tag 1,
/// notices in near memory are messages of one byte with tag 2 and barriers of a node such ones by its first rank,
/// tag 3.
/// @throws usage_error  the program has peers whose ranks it leaves out
void write_goal(const program& p, std::ostream& out);

/// Chrome's JSON trace events of one run in which nothing varies: a process per node, a thread per rank.
void write_trace(const program& p, const machine& m, std::ostream& out);

}  // namespace nearfar::model
