// SPDX-License-Identifier: BSD-3-Clause
// Which boxes each writer writes, kept beside the journal, so that its sums can be compared with the data.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <vector>

#include "agent.hpp"
#include "journal.hpp"

namespace nearfar::output {

std::string parts_path(const std::string& path);

/// Notes that from `plan.first_step` on writer w writes the bricks `writers[w]`. What was noted of steps before stays, of later ones it
/// goes. The root alone. Streams with varying arrays have no such file, as their parts are others in each step, nor those
/// that a format's library writes. @throws io_error
void note_parts(const std::string& path, const agent_plan& plan, const std::vector<output_array>& arrays,
                const std::vector<std::vector<brick>>& writers);

/// The format of the stream whose parts were noted; "": none were.
std::string format_of_parts(const std::string& path);

/// Compares the data of these steps with the journal's sums. @throws io_error  the file of the parts cannot be understood
std::vector<output_report> compare_steps(const std::string& path, const journal_contents& whole);

}  // namespace nearfar::output
