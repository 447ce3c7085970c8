// SPDX-License-Identifier: BSD-3-Clause
// A name for a library that LD_PRELOAD can hold.
#pragma once

#include <string>

namespace nearfar::run {

/// Whether LD_PRELOAD can hold the path: the dynamic loader splits its list at spaces and colons, and replaces what
/// follows a dollar sign.
bool can_be_preloaded(const std::string& path);

/// The path itself where that is so, else that of a link to it in a folder of this user alone (TMPDIR, or /tmp), made
/// by whoever needs it first and kept for later runs. Local.
/// @throws std::runtime_error with a sentence where no such link can be made
std::string preloadable(const std::string& path);

}  // namespace nearfar::run
