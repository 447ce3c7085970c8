// SPDX-License-Identifier: BSD-3-Clause
// What a program's file says about how it is started: who runs it, whether libraries can be preloaded, which it needs.
#pragma once

#include <string>
#include <vector>

namespace nearfar::run {

/// What the file of a program or library says. Local.
struct elf_file {
  bool is_elf = false;             ///< false: a script, or no program at all
  bool is_same_machine = false;    ///< processor and word size are this program's own
  bool has_interpreter = false;    ///< the dynamic loader starts it, which reads LD_PRELOAD
  std::vector<std::string> needs;  ///< names of the libraries that it is linked with (DT_NEEDED)
};

/// Reads the file; nothing is found in one that cannot be read.
elf_file read_elf(const std::string& path);

/// Whether the kernel raises the program's rights (set-user-ID, set-group-ID, file capabilities), so that the dynamic
/// loader ignores LD_PRELOAD.
bool raises_rights(const std::string& path);

/// Whether a library is a sanitizer's runtime, which insists on being the first of a program's libraries.
bool is_sanitizer(const std::string& name);

}  // namespace nearfar::run
