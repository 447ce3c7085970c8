// SPDX-License-Identifier: BSD-3-Clause
// The root's wisdom, broadcast to all ranks.
#include <base/internals.hpp>
#include <tune/wisdom.hpp>

#include <algorithm>
#include <base/env.hpp>
#include <base/text.hpp>
#include <climits>
#include <topology/team_state.hpp>

#include "wisdom_file.hpp"

namespace nearfar::tune {
namespace {

struct answer {
  double seconds = 0, plain_seconds = 0;
  int length = -1;  // of the method's name; -1: nothing found
};

}  // namespace

std::string wisdom_path() {
  const std::string path = env::string_or("NEARFAR_WISDOM", "");
  if (path == "off") return "";
  if (!path.empty()) return path;
  if (const std::string cache = env::string_or("XDG_CACHE_HOME", ""); !cache.empty())
    return cache + "/nearfar/wisdom.jsonl";
  if (const std::string home = env::string_or("HOME", ""); !home.empty()) return home + "/.cache/nearfar/wisdom.jsonl";
  return "";
}

std::string machine_signature(const team& members) { return machine_signature(state_of(members)); }

std::string machine_signature(const team_state& s) {
  return text(s.processor, "; ", s.hardware_threads, " threads for ", s.ranks_here, " ranks; ", mpi_library(), "; ",
              s.size, " ranks on ", s.nodes, s.are_nodes_pretend ? " pretend nodes of " : " nodes of ", s.smallest_node,
              "-", s.largest_node);
}

std::optional<wisdom_entry> find_wisdom(const team& members, const std::string& key) {
  std::optional<wisdom_entry> found;
  if (members.is_root()) found = detail::find_in_file(wisdom_path(), key);
  answer a;
  if (found)
    a = {found->seconds, found->plain_seconds, static_cast<int>(std::min<std::size_t>(found->method.size(), INT_MAX))};
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&a, sizeof a, MPI_BYTE, 0, members.comm()); });
  if (a.length < 0) return std::nullopt;
  std::string method = found ? found->method : "";
  method.resize(static_cast<std::size_t>(a.length));
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(method.data(), a.length, MPI_CHAR, 0, members.comm()); });
  return wisdom_entry{method, a.seconds, a.plain_seconds};
}

void keep_wisdom(const team& members, const std::string& key, const wisdom_entry& entry) {
  if (members.is_root()) detail::keep_in_file(wisdom_path(), key, entry);
}

}  // namespace nearfar::tune
