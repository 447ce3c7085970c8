// SPDX-License-Identifier: BSD-3-Clause
// The wisdom file itself, as one process reads and writes it (no MPI).
#pragma once

#include <optional>
#include <string>
#include <tune/wisdom.hpp>

namespace nearfar::tune::detail {

/// The version that is written to each line; lines of other versions are left alone.
inline constexpr int wisdom_version = 2;

/// The last entry of `key`. A file that does not exist holds nothing; other trouble is a warning (once). Never throws.
std::optional<wisdom_entry> find_in_file(const std::string& path, const std::string& key) noexcept;

/// How long another process may keep the file locked before nothing is kept.
inline double lock_patience_s = 2;

/// Reads, merges and replaces the file under a lock on `path`.lock. Returns false, with a warning (once), if that is
/// not possible. Never throws.
bool keep_in_file(const std::string& path, const std::string& key, const wisdom_entry& entry) noexcept;

}  // namespace nearfar::tune::detail
