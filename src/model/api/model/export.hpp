// SPDX-License-Identifier: BSD-3-Clause
// Programs for other tools: messages as GOAL (LogGOPSim, ATLAHS), a run of them as a trace for Perfetto or in OTF2.
#pragma once

#include <iosfwd>
#include <model/machine.hpp>
#include <model/program.hpp>
#include <string>

namespace nearfar::model {

/// GOAL's text form, times in nanoseconds. Messages between nodes have tag 0, messages between near ranks tag 1,
/// notices in near memory are messages of one byte with tag 2 and barriers of a node such ones by its first rank,
/// tag 3.
/// @throws usage_error  the program has peers whose ranks it leaves out
void write_goal(const program& p, std::ostream& out);

/// Chrome's JSON trace events of one run in which nothing varies: a process per node, a thread per rank.
void write_trace(const program& p, const machine& m, std::ostream& out);

/// The same run as an OTF2 archive (Vampir, Score-P's tools) in a new folder: FOLDER/traces.otf2. A location per rank
/// of the program; messages are of one communicator, with tags as in GOAL, where both ends are in the program.
/// @throws io_error  the folder is there or cannot be written; usage_error  built without OTF2
void write_otf2(const program& p, const machine& m, const std::string& folder);

}  // namespace nearfar::model
