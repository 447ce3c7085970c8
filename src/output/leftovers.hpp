// SPDX-License-Identifier: BSD-3-Clause
// Files of a stream that nobody will write any more: of another stream that was at its path, and what a killed program had begun.
#pragma once

#include <string>

#include "agent.hpp"

namespace nearfar::output {

/// The format of the stream that is at a path, as its journal or its list of parts says; "": none, or they do not say.
std::string format_at(const std::string& path, const journal_contents& whole);

/// Removes the files of a stream of that format, but for the journal and what `plan` is going to write itself.
/// @returns how many. @throws io_error
index remove_stream(const std::string& path, const std::string& format, const agent_plan& plan);

/// Removes files that a killed program was about to put in place of others of this stream. @throws io_error
void remove_unfinished(const std::string& path, const std::string& format);

}  // namespace nearfar::output
