// SPDX-License-Identifier: BSD-3-Clause
// Counting calls without locks, and adding up what engines leave behind.
#include "call_statistics.hpp"

#include <nearfar/mpi.hpp>

namespace nearfar::interpose {
namespace {

using collective::call;
using collective::kind;
using collective::side;

index_t bytes_of(index_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || MPI_Type_size_x(type, &size) != MPI_SUCCESS) return 0;
  return count * static_cast<index_t>(size);
}

index_t bytes_of(const side& s) { return bytes_of(s.count, s.type); }

index_t bytes_of_list(const side& s, int ranks) {
  index_t total = 0;
  for (int r = 0; s.counts && r < ranks; ++r) total += bytes_of(s.counts[r], s.types != nullptr ? s.types[r] : s.type);
  return total;
}

bool is_in_place(const side& s) { return s.data == MPI_IN_PLACE; }

}  // namespace

index_t block_bytes(const call& c, int ranks) {
  switch (c.what) {
    case kind::barrier:
      return 0;
    case kind::gather:
      return bytes_of(is_in_place(c.send) ? c.receive : c.send);
    case kind::scatter:
      return bytes_of(is_in_place(c.receive) ? c.send : c.receive);
    case kind::gatherv:
      return is_in_place(c.send) ? 0 : bytes_of(c.send);
    case kind::scatterv:
      return is_in_place(c.receive) ? 0 : bytes_of(c.receive);
    case kind::allgatherv:
    case kind::reduce_scatter:
    case kind::alltoallv:
    case kind::alltoallw:
      return bytes_of_list(c.receive, ranks);
    default:
      return bytes_of(c.receive);
  }
}

void call_statistics::enter(kind what, index_t bytes, double seconds, bool is_accelerated) noexcept {
  cell& c = cells_[static_cast<std::size_t>(what)][collective::class_of(bytes)];
  // Relaxed: plain counters, read after the last call.
  c.calls.fetch_add(1, std::memory_order_relaxed);
  c.bytes.fetch_add(bytes, std::memory_order_relaxed);
  c.accelerated.fetch_add(is_accelerated ? 1 : 0, std::memory_order_relaxed);
  c.nanoseconds.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
}

void call_statistics::enter(const collective::engine& e) {
  const std::lock_guard lock(mutex_);
  e.for_records([&](kind what, std::size_t size_class, bool, const collective::record& r) {
    account& a = from_engines_[{what, size_class}];
    a.methods[r.chosen != nullptr ? r.chosen->name : "mpi"] += r.calls;
    if (r.chosen == nullptr) return;
    if (r.native_s > 0 && r.chosen_s > 0)
      a.saved_s += static_cast<double>(r.calls) * (r.native_s - r.chosen_s);
    else
      a.unknown_gain += r.calls;
  });
}

call_statistics::table call_statistics::accounts() const {
  const std::lock_guard lock(mutex_);
  table all = from_engines_;
  for (std::size_t k = 0; k < collective::kinds; ++k)
    for (std::size_t s = 0; s < collective::size_classes; ++s) {
      const cell& c = cells_[k][s];
      if (c.calls.load(std::memory_order_relaxed) == 0) continue;
      account& a = all[{static_cast<kind>(k), s}];
      a.calls = c.calls.load(std::memory_order_relaxed);
      a.accelerated = c.accelerated.load(std::memory_order_relaxed);
      a.bytes = c.bytes.load(std::memory_order_relaxed);
      a.seconds = 1e-9 * static_cast<double>(c.nanoseconds.load(std::memory_order_relaxed));
    }
  return all;
}

call_statistics& statistics() noexcept {
  static call_statistics& once = *new call_statistics;  // never destroyed: calls may come late
  return once;
}

}  // namespace nearfar::interpose
