// SPDX-License-Identifier: BSD-3-Clause
// Decisions kept in a file from run to run.
#pragma once

#include <nearfar/team.hpp>
#include <optional>
#include <string>

namespace nearfar::tune {

struct wisdom_entry {
  std::string method;
  double seconds = 0;        ///< when it was tuned
  double plain_seconds = 0;  ///< of the plain MPI then; 0: not known
};

/// The file's path: NEARFAR_WISDOM, else $XDG_CACHE_HOME/nearfar/wisdom.jsonl, else ~/.cache/nearfar/wisdom.jsonl.
/// NEARFAR_WISDOM=off keeps nothing and finds nothing (empty path), and so does a process without a home.
std::string wisdom_path();

/// Processor model, MPI library and version, ranks, nodes and ranks per node: what a decision depends on besides the
/// plan. Local; the processor is this rank's own, so it is the root's signature that counts.
std::string machine_signature(const team& members);
std::string machine_signature(const team_state& s);

/// Looks `key` up (root reads with its own key, all get the answer). Unreadable lines are skipped with one warning,
/// lines of other versions silently; of several lines with the key the last counts. Collective.
/// @cost  two broadcasts
std::optional<wisdom_entry> find_wisdom(const team& members, const std::string& key);

/// Adds or replaces the entry; whole-file rename under a lock, so that concurrent jobs lose nothing and a crash leaves
/// the old file. A file that cannot be written, is locked for seconds or holds something else is a warning, not an
/// error. Collective (root writes, the others return at once).
void keep_wisdom(const team& members, const std::string& key, const wisdom_entry& entry);

}  // namespace nearfar::tune
