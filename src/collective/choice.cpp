// SPDX-License-Identifier: BSD-3-Clause
// The table of defaults and the reading of pins.
#include "choice.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <limits>
#include <tune/methods.hpp>

namespace nearfar::collective {

namespace {

constexpr index_t any_size = std::numeric_limits<index_t>::max();
constexpr int any_ranks = std::numeric_limits<int>::max();

// The first row that fits and whose algorithm serves the call is taken; a kind without one, or with "mpi", is left to
// MPI.
struct row {
  kind what;
  bool is_far;     // for teams on several nodes
  int most_ranks;  // near ranks of the largest node
  index_t most_bytes;
  const char* name;
};

// Lists of counts often have few that are not zero. Open MPI sends empty blocks too; where an MPI leaves them out, only
// a race can tell whether it pays to ask near ranks what they have.
#ifdef OPEN_MPI
constexpr const char* alltoallv_between_nodes = "far-pairs";
#else
constexpr const char* alltoallv_between_nodes = "mpi";
#endif

constexpr row defaults[] = {
    {kind::allreduce, false, 16, 448, "near-lines"},
    {kind::allreduce, false, any_ranks, 448, "near-tree"},
    {kind::allreduce, false, 3, 32 << 10, "near-ring-8k"},
    {kind::allreduce, false, 3, 256 << 10, "near-ring-32k"},
    {kind::allreduce, false, 3, any_size, "near-ring-128k"},
    {kind::allreduce, false, any_ranks, 16 << 10, "near-ring-8k"},
    {kind::allreduce, false, any_ranks, any_size, "near-slices"},
    {kind::reduce, false, any_ranks, 448, "near-lines"},
    {kind::reduce, false, any_ranks, 128 << 10, "near-ring-8k"},
    {kind::reduce, false, any_ranks, any_size, "near-ring-64k"},
    {kind::scan, false, any_ranks, 448, "near-lines"},
    {kind::scan, false, any_ranks, 128 << 10, "near-ring-8k"},
    {kind::scan, false, any_ranks, any_size, "near-ring-64k"},
    {kind::exscan, false, any_ranks, 448, "near-lines"},
    {kind::exscan, false, any_ranks, 128 << 10, "near-ring-8k"},
    {kind::exscan, false, any_ranks, any_size, "near-ring-64k"},
    {kind::barrier, false, 8, any_size, "near-lines"},
    {kind::barrier, false, any_ranks, any_size, "near-rounds"},
    {kind::bcast, false, any_ranks, 448, "near-lines"},
    {kind::bcast, false, any_ranks, 32 << 10, "near-ring-8k"},
    {kind::bcast, false, any_ranks, 256 << 10, "near-ring-32k"},
    {kind::bcast, false, any_ranks, any_size, "near-cma"},
    {kind::bcast, false, any_ranks, any_size, "near-ring-128k"},
    {kind::allgather, false, any_ranks, 448, "near-lines"},
    {kind::allgather, false, any_ranks, 32 << 10, "near-ring-8k"},
    {kind::allgather, false, any_ranks, 256 << 10, "near-ring-32k"},
    {kind::allgather, false, any_ranks, any_size, "near-cma"},
    {kind::allgather, false, any_ranks, any_size, "near-ring-128k"},
    {kind::alltoall, false, any_ranks, 448, "near-lines"},
    {kind::alltoall, false, any_ranks, 32 << 10, "near-ring-8k"},
    {kind::alltoall, false, any_ranks, 64 << 10, "near-ring-32k"},
    {kind::alltoall, false, any_ranks, any_size, "mpi"},
    {kind::gather, false, any_ranks, 448, "near-lines"},
    {kind::gather, false, any_ranks, 32 << 10, "near-ring-8k"},
    {kind::gather, false, any_ranks, 256 << 10, "near-ring-32k"},
    {kind::gather, false, any_ranks, any_size, "near-cma"},
    {kind::gather, false, any_ranks, any_size, "near-ring-128k"},
    {kind::scatter, false, any_ranks, 448, "near-lines"},
    {kind::scatter, false, any_ranks, 32 << 10, "near-ring-8k"},
    {kind::scatter, false, any_ranks, 256 << 10, "near-ring-32k"},
    {kind::scatter, false, any_ranks, any_size, "near-cma"},
    {kind::scatter, false, any_ranks, any_size, "near-ring-128k"},
    {kind::allgatherv, false, any_ranks, 448, "near-lines"},
    {kind::allgatherv, false, any_ranks, 128 << 10, "near-ring-8k"},
    {kind::allgatherv, false, any_ranks, 1 << 20, "near-ring-32k"},
    {kind::allgatherv, false, any_ranks, any_size, "near-cma"},
    {kind::allgatherv, false, any_ranks, any_size, "near-ring-128k"},
    {kind::gatherv, false, any_ranks, any_size, "near-cma"},
    {kind::gatherv, false, any_ranks, any_size, "near-ring"},
    {kind::scatterv, false, any_ranks, any_size, "near-cma"},
    {kind::scatterv, false, any_ranks, any_size, "near-ring"},
    {kind::alltoallv, false, any_ranks, any_size, "near-cma"},
    {kind::alltoallv, false, any_ranks, any_size, "near-ring"},
    {kind::alltoallw, false, any_ranks, any_size, "near-cma"},
    {kind::alltoallw, false, any_ranks, any_size, "near-ring"},
    {kind::reduce_scatter, false, any_ranks, 448, "near-lines"},
    {kind::reduce_scatter, false, any_ranks, 128 << 10, "near-ring-8k"},
    {kind::reduce_scatter, false, any_ranks, any_size, "near-ring-64k"},
    {kind::reduce_scatter_block, false, any_ranks, 448, "near-lines"},
    {kind::reduce_scatter_block, false, any_ranks, 128 << 10, "near-ring-8k"},
    {kind::reduce_scatter_block, false, any_ranks, any_size, "near-ring-64k"},
    {kind::barrier, true, any_ranks, any_size, "far-leaders"},
    {kind::allreduce, true, any_ranks, node_segment::slot_bytes, "far-lines"},
    {kind::allreduce, true, any_ranks, 32 << 10, "far-leaders-64k"},
    {kind::allreduce, true, any_ranks, 128 << 10, "far-lanes-64k"},
    {kind::allreduce, true, any_ranks, any_size, "far-lanes-512k"},
    {kind::bcast, true, any_ranks, node_segment::slot_bytes, "far-lines"},
    {kind::bcast, true, any_ranks, 1 << 20, "far-leaders-32k"},
    {kind::bcast, true, any_ranks, any_size, "far-leaders-128k"},
    {kind::reduce, true, any_ranks, node_segment::slot_bytes, "far-lines"},
    {kind::reduce, true, any_ranks, 1 << 20, "far-leaders-32k"},
    {kind::reduce, true, any_ranks, any_size, "far-leaders-128k"},
    {kind::scatter, true, any_ranks, 1 << 10, "mpi"},
    {kind::scatter, true, any_ranks, 128 << 10, "far-leaders"},
    {kind::allgather, true, any_ranks, 4 << 10, "mpi"},
    {kind::allgather, true, any_ranks, any_size, "far-lanes"},
    {kind::allgatherv, true, any_ranks, 8 << 10, "mpi"},
    {kind::allgatherv, true, any_ranks, any_size, "far-lanes"},
    {kind::alltoallv, true, any_ranks, any_size, alltoallv_between_nodes},
    {kind::alltoallw, true, any_ranks, any_size, alltoallv_between_nodes},
    {kind::reduce_scatter, true, any_ranks, 4 << 10, "mpi"},
    {kind::reduce_scatter, true, any_ranks, 1 << 20, "far-pairs"},
    {kind::reduce_scatter_block, true, any_ranks, 4 << 10, "mpi"},
    {kind::reduce_scatter_block, true, any_ranks, 1 << 20, "far-pairs"},
    {kind::scan, true, any_ranks, 1 << 10, "mpi"},
    {kind::scan, true, any_ranks, 256 << 10, "far-leaders"},
    {kind::exscan, true, any_ranks, 1 << 10, "mpi"},
    {kind::exscan, true, any_ranks, 256 << 10, "far-leaders"},
};

}  // namespace

const algorithm* default_algorithm(kind what, const setting& s) {
  for (const row& d : defaults) {
    if (d.what != what || d.is_far != (s.nodes > 1) || s.near_ranks > d.most_ranks || s.bytes > d.most_bytes) continue;
    if (std::string_view(d.name) == "mpi") return nullptr;
    const algorithm* a = find_algorithm(what, d.name);
    if (a != nullptr && a->serves(s)) return a;
  }
  return nullptr;
}

const algorithm* default_in_order(kind what, const setting& s) {
  const algorithm* usual = default_algorithm(what, s);
  if (usual != nullptr && usual->is_ordered) return usual;
  for (const algorithm& a : algorithms_of(what))
    if (a.is_ordered && a.serves(s)) return &a;
  return nullptr;
}

std::string front_of(kind what) { return text("collective.", name_of(what)); }

pins::pins() {
  for (std::size_t k = 0; k < kinds; ++k) wanted_[k] = tune::pinned_methods(front_of(static_cast<kind>(k)));
}

bool pins::is_empty() const noexcept {
  return std::all_of(wanted_.begin(), wanted_.end(), [](const auto& names) { return names.empty(); });
}

const algorithm* pins::find(kind what, const setting& s, bool& is_forced) const {
  for (const std::string& name : wanted_[static_cast<std::size_t>(what)]) {
    const algorithm* a = find_algorithm(what, name);
    if (name != "mpi" && (a == nullptr || !a->serves(s))) continue;
    is_forced = true;
    return a;
  }
  is_forced = false;
  return nullptr;
}

}  // namespace nearfar::collective
