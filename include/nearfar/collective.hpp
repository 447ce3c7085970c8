// SPDX-License-Identifier: BSD-3-Clause
// Collective calls on a team: allreduce, bcast, gather and their kin, node-aware, with the arguments that MPI gives
// them.
#pragma once

#include <nearfar/collective_call.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar {

/// Carries out one call. Collective over the team: same kind, root and sizes, in the same order on every rank.
///
/// The first calls of a kind and size use a table of defaults; once they have taken about as long as a race would, the
/// algorithms and the MPI's own call are raced on copies of the buffers, and the fastest is kept (NEARFAR_TUNE_AFTER
/// sets the number of calls). Since machines change while programs run, short races follow, at first often and in the
/// end for 1.5 % of the time (NEARFAR_TUNE_AGAIN=0: none). Whatever cannot be won (derived types with gaps, arguments
/// that nothing here serves) is handed to MPI as it is. Where near memory cannot be had, everything is, and a line in
/// the log says so.
/// @throws usage_error      sizes, roots or operations that cannot be; on this rank only, unless
/// NEARFAR_CHECK=collective (or paranoid), which compares arguments across ranks and throws on every rank
/// @throws transport_error  MPI failed, a peer died or does not answer within NEARFAR_WATCHDOG seconds
NEARFAR_API void run_collective(const team& members, const collective_call& call);

/// What the calls made so far came to: a line per kind and size with the algorithm taken and what the race said. Local.
NEARFAR_API std::string describe_collectives(const team& members);

// The one-shot calls. Arguments after the team are those of the function of the same name in nearfar::calls.

/// Returns when every rank has called it; arguments of calls::barrier().
template <class... Arguments>
void barrier(const team& members, Arguments&&... a) {
  run_collective(members, calls::barrier(std::forward<Arguments>(a)...));
}
/// The root's data on every rank; arguments of calls::bcast().
template <class... Arguments>
  requires requires(Arguments&&... a) { calls::bcast(std::forward<Arguments>(a)...); }
void bcast(const team& members, Arguments&&... a) {
  run_collective(members, calls::bcast(std::forward<Arguments>(a)...));
}
/// All inputs combined, element by element, on the root; arguments of calls::reduce().
template <class... Arguments>
void reduce(const team& members, Arguments&&... a) {
  run_collective(members, calls::reduce(std::forward<Arguments>(a)...));
}
/// All inputs combined, element by element, on every rank; arguments of calls::allreduce().
template <class... Arguments>
  requires requires(Arguments&&... a) { calls::allreduce(std::forward<Arguments>(a)...); }
void allreduce(const team& members, Arguments&&... a) {
  run_collective(members, calls::allreduce(std::forward<Arguments>(a)...));
}
/// The inputs of ranks 0 … this one combined; arguments of calls::scan().
template <class... Arguments>
void scan(const team& members, Arguments&&... a) {
  run_collective(members, calls::scan(std::forward<Arguments>(a)...));
}
/// The inputs of the ranks below this one combined; not defined on rank 0; arguments of calls::exscan().
template <class... Arguments>
void exscan(const team& members, Arguments&&... a) {
  run_collective(members, calls::exscan(std::forward<Arguments>(a)...));
}
/// All inputs combined; rank r gets counts[r] elements of the result; arguments of calls::reduce_scatter().
template <class... Arguments>
void reduce_scatter(const team& members, Arguments&&... a) {
  run_collective(members, calls::reduce_scatter(std::forward<Arguments>(a)...));
}
/// All inputs combined; every rank gets an equal block of the result; arguments of calls::reduce_scatter_block().
template <class... Arguments>
void reduce_scatter_block(const team& members, Arguments&&... a) {
  run_collective(members, calls::reduce_scatter_block(std::forward<Arguments>(a)...));
}
/// Everybody's block, in the order of ranks, on the root; arguments of calls::gather().
template <class... Arguments>
void gather(const team& members, Arguments&&... a) {
  run_collective(members, calls::gather(std::forward<Arguments>(a)...));
}
/// Everybody's block on the root, where counts and displs say; both matter there only; arguments of calls::gatherv().
template <class... Arguments>
void gatherv(const team& members, Arguments&&... a) {
  run_collective(members, calls::gatherv(std::forward<Arguments>(a)...));
}
/// A block of the root's for each rank, in the order of ranks; arguments of calls::scatter().
template <class... Arguments>
void scatter(const team& members, Arguments&&... a) {
  run_collective(members, calls::scatter(std::forward<Arguments>(a)...));
}
/// A block of the root's for each rank, which counts and displs describe; both matter there only; arguments of
/// calls::scatterv().
template <class... Arguments>
void scatterv(const team& members, Arguments&&... a) {
  run_collective(members, calls::scatterv(std::forward<Arguments>(a)...));
}
/// Everybody's block, in the order of ranks, on every rank; arguments of calls::allgather().
template <class... Arguments>
void allgather(const team& members, Arguments&&... a) {
  run_collective(members, calls::allgather(std::forward<Arguments>(a)...));
}
/// Everybody's block on every rank, where counts and displs say; arguments of calls::allgatherv().
template <class... Arguments>
void allgatherv(const team& members, Arguments&&... a) {
  run_collective(members, calls::allgatherv(std::forward<Arguments>(a)...));
}
/// A block from every rank to every rank, in the order of ranks; arguments of calls::alltoall().
template <class... Arguments>
void alltoall(const team& members, Arguments&&... a) {
  run_collective(members, calls::alltoall(std::forward<Arguments>(a)...));
}
/// A block from every rank to every rank, where counts and displs say; arguments of calls::alltoallv().
template <class... Arguments>
void alltoallv(const team& members, Arguments&&... a) {
  run_collective(members, calls::alltoallv(std::forward<Arguments>(a)...));
}
/// A block from every rank to every rank with a type per rank; displs are in bytes; arguments of calls::alltoallw().
template <class... Arguments>
void alltoallw(const team& members, Arguments&&... a) {
  run_collective(members, calls::alltoallw(std::forward<Arguments>(a)...));
}

/// One number: the combined value on every rank.
template <concepts::number T>
T allreduce(const team& members, T value, any_reduce_op how) {
  run_collective(members, calls::allreduce(in_place, std::span<T>(&value, 1), how));
  return value;
}

/// One value: the root's on every rank.
template <concepts::element T>
  requires(!concepts::buffer<T>)
void bcast(const team& members, T& value, int root) {
  run_collective(members, calls::bcast(std::span<T>(&value, 1), root));
}

/// Memory that near ranks share, for buffers of collective calls: large ones then need no copy through rings.
class NEARFAR_API shared_memory {
 public:
  /// Zeroed bytes of this rank's near memory (ordinary memory where near ranks cannot share any); ranks may ask for
  /// different sizes, none included. Collective over the team. @throws resource_error on every rank: the node's memory
  /// does not suffice
  shared_memory(const team& members, index_t bytes);
  /// Where it begins; null for 0 bytes.
  void* data() const noexcept { return memory_.get(); }

 private:
  std::shared_ptr<void> memory_;
};

/// An array of this rank in near memory. Copies share the elements, which live until the last copy goes; peers must not
/// be using them in a collective call then.
template <concepts::element T>
class shared_array {
 public:
  /// Collective over the team, as shared_memory.
  shared_array(const team& members, index_t count)
      : memory_(members, count * static_cast<index_t>(sizeof(T))), count_(count) {}
  /// The first element.
  T* data() const noexcept { return static_cast<T*>(memory_.data()); }
  /// Elements of this rank.
  std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }
  /// Element i, from 0; not checked.
  T& operator[](index_t i) const noexcept { return data()[i]; }
  /// So that algorithms and loops take it.
  T* begin() const noexcept { return data(); }
  /// Behind the last element.
  T* end() const noexcept { return data() + count_; }

 private:
  shared_memory memory_;
  index_t count_;
};

}  // namespace nearfar
