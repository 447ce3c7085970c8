// SPDX-License-Identifier: BSD-3-Clause
// The report at the end of a program: calls, bytes, times, what was chosen and what that saved.
#pragma once

#include <string>

#include "call_statistics.hpp"

namespace nearfar::interpose {

/// Writes the accounts of all ranks to standard error ("1") or as JSON lines at the end of a file. With `is_everyone`,
/// collective over MPI_COMM_WORLD, whose root writes; else the root writes its own accounts. Calls and bytes are summed
/// over the ranks, times are those of the slowest rank, names of methods are the root's.
void write_report(const call_statistics::table& mine, const std::string& where, bool is_everyone) noexcept;

}  // namespace nearfar::interpose
