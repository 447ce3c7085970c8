// SPDX-License-Identifier: BSD-3-Clause
// The algorithms by name: a line of description, when it is available, and how it runs.
#pragma once

#include <collective/job.hpp>
#include <collective/node_segment.hpp>
#include <collective/shared_buffers.hpp>
#include <memory>
#include <near/past_caches.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearfar::collective {

class inter_node;  // far/: communicators between the nodes

/// How an algorithm cuts its data: one algorithm is raced with several.
struct piece_cut {
  index_t unit = 0;  ///< bytes of a step; of a group of pieces where groups travel between nodes
  int ahead = 0;     ///< steps that writers of rings are before readers
  near::stores how = near::stores::ordinary;  ///< of the writers
};

/// What algorithms of one team work in; made by the engine. `scratch` grows and is never shrunk.
struct workspace {
  team members;
  node_segment* near = nullptr;
  inter_node* far = nullptr;  ///< null on one node
  bool has_wisdom = false;    ///< decisions are kept from run to run; the same on every rank
  neighbour_memory neighbours{};
  piece_cut cut{};  ///< of the algorithm that runs
  /// Set by an algorithm that finds, on every rank alike, that it cannot serve this call after all; nothing has been
  /// written then.
  bool is_declined = false;
  /// A near rank could not be read (process_vm_readv) where all would have had to; the same on every rank.
  bool are_reads_refused = false;
  std::vector<std::byte> scratch{};
  std::byte* scratch_of(index_t bytes) {
    if (as_index(scratch.size()) < bytes) scratch.resize(as_size(bytes));
    return scratch.data();
  }
};

/// What is known about a team and a class of calls, the same on all ranks: what choices may depend on.
struct setting {
  int ranks = 1, nodes = 1, near_ranks = 1;  ///< near_ranks: of the largest node
  bool are_nodes_equal = true;               ///< all nodes have near_ranks ranks
  bool is_order_by_node = true;  ///< every node's ranks are consecutive: needed by operations that do not commute
  bool has_process_reads = false;
  bool is_commutative = true;  ///< of the operation; true where there is none
  index_t bytes = 0;           ///< job::bytes
};

struct algorithm {
  kind what;
  std::string name;
  std::string words;
  bool needs_ring;
  bool (*serves)(const setting&);
  void (*body)(workspace&, const job&);
  bool is_candidate = true;  ///< in races; others must be pinned, or are taken for what they need (near-direct)
  bool is_ordered = false;   ///< combines strictly from the lowest rank to the highest: the same bits as all that do
  piece_cut cut{};

  void run(workspace& work, const job& j) const {
    work.cut = cut;
    body(work, j);
  }
};

/// A value of `cut`, and when it serves.
struct cut_case {
  piece_cut cut;
  bool (*serves)(const setting&);
  bool is_candidate = true;
};

/// Enters `of` once for every case. The unit is added to the name ("near-ring-8k") and stands for '*' in the words.
void add_cuts(std::vector<algorithm>& list, const algorithm& of, std::span<const cut_case> cases);

inline constexpr index_t ring_bytes = 1 << 20;  ///< of each near rank
inline constexpr int most_ahead = 7;            ///< steps; positions of so many and one are kept
/// What a cut through rings needs, so that no order of arrival can deadlock.
constexpr bool fit_ring(std::span<const cut_case> cases) {
  for (const cut_case& c : cases)
    if (c.cut.ahead > most_ahead || (c.cut.ahead + 2) * c.cut.unit > ring_bytes) return false;
  return true;
}
inline constexpr index_t direct_from_bytes =
    4096;  ///< below it, asking whether buffers are near memory costs more than a copy

/// All algorithms of a kind, in a fixed order; the MPI's own, "mpi", is not among them.
std::span<const algorithm> algorithms_of(kind what);

/// Null when there is none of that name.
const algorithm* find_algorithm(kind what, std::string_view name);

}  // namespace nearfar::collective
