// SPDX-License-Identifier: BSD-3-Clause
// Whether the files of steps exist and are long enough.
#pragma once

#include <string>

#include "step_writer.hpp"

namespace nearfar::output {

/// Bytes of a file; -1: it is not there.
index_t size_of(const std::string& path);

/// Words on the first file that has not all of a step: its name, and whether it is missing or too short; "": all have.
/// Files that a format's library writes are not looked at.
std::string missing_of_step(const writer_plan& plan, index_t step);

/// Forgets the steps from the first on of which a file has not all. @returns words on that file; "": all are whole
std::string keep_whole_steps(const writer_plan& plan, journal_contents& c);

}  // namespace nearfar::output
