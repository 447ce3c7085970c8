// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a collective call, from typed arrays or as MPI has them; one-shot calls and plans take the same
// ones.
#pragma once

#include <nearfar/collective_types.hpp>

namespace nearfar {

/// Makes calls. Each has a form for arrays, which knows their sizes, and one with the arguments of MPI (64-bit counts).
///
/// Arrays: what a rank does not use (the receive array of a gather on others than the root) may be empty. Send and
/// receive arrays do not overlap; `in_place` stands for the send array (for the receive array on scatter's root) where
/// MPI allows MPI_IN_PLACE. Blocks are of equal size in gather, scatter, allgather and alltoall: the whole array
/// divided by the number of ranks. In the v forms `counts` and `displs` are in elements, one per rank, and elements are
/// numbers.
namespace calls {

/// @cond
template <class Range>
call_side side_of(Range&& r) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Range>, in_place_t>) {
    return {MPI_IN_PLACE, 0, MPI_DATATYPE_NULL};
  } else {
    using value = concepts::element_of<Range>;
    auto* data = const_cast<value*>(std::data(r));
    const auto size = static_cast<index_t>(std::size(r));
    if constexpr (concepts::number<value>)
      return {data, size, datatype_of<value>(), size, 1};
    else
      return {data, size, MPI_BYTE, size, sizeof(value)};
  }
}
template <class Range>
call_side blocks_of(Range&& r) {
  call_side side = side_of(r);
  if (side.data != MPI_IN_PLACE) side.count = -1;
  return side;
}
template <class Range>
call_side lists_of(Range&& r, rank_counts counts, rank_counts displs) {
  call_side side = side_of(r);
  side.counts = counts, side.displs = displs;
  return side;
}
/// @endcond

/// One side from MPI's arguments.
inline call_side plain_side(const void* data, index_t count, MPI_Datatype type) {
  return {const_cast<void*>(data), count, type};
}
/// One side from MPI's arguments with a count and a place per rank.
inline call_side plain_lists(const void* data, rank_counts counts, rank_counts displs, MPI_Datatype type) {
  call_side side = plain_side(data, 0, type);
  side.counts = counts, side.displs = displs;
  return side;
}
/// A reduction of that kind from MPI's arguments.
inline collective_call plain_reduction(collective_kind kind, const void* in, void* out, index_t count,
                                       MPI_Datatype type, any_reduce_op how, int root = 0) {
  return {kind, plain_side(in, count, type), plain_side(out, count, type), how.mpi(), root};
}

/// Returns when every rank has called it.
inline collective_call barrier() { return {}; }

/// The root's data on every rank.
template <concepts::writable_buffer Range>
collective_call bcast(Range&& data, int root) {
  return {collective_kind::bcast, {}, side_of(data), MPI_OP_NULL, root};
}
/// The same with MPI's arguments; the count is 64-bit.
inline collective_call bcast(void* data, index_t count, MPI_Datatype type, int root) {
  return {collective_kind::bcast, {}, plain_side(data, count, type), MPI_OP_NULL, root};
}

/// All inputs combined, element by element, on the root.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call reduce(In&& in, Out&& out, any_reduce_op how, int root) {
  return {collective_kind::reduce, side_of(in), side_of(out), how.mpi(), root};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call reduce(const void* in, void* out, index_t count, MPI_Datatype type, any_reduce_op how,
                              int root) {
  return plain_reduction(collective_kind::reduce, in, out, count, type, how, root);
}

/// All inputs combined, element by element, on every rank.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call allreduce(In&& in, Out&& out, any_reduce_op how) {
  return {collective_kind::allreduce, side_of(in), side_of(out), how.mpi()};
}
/// The same in place: `both` is the input and gets the result.
template <concepts::writable_numbers InOut>
collective_call allreduce(InOut&& both, any_reduce_op how) {
  return allreduce(in_place, both, how);
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call allreduce(const void* in, void* out, index_t count, MPI_Datatype type, any_reduce_op how) {
  return plain_reduction(collective_kind::allreduce, in, out, count, type, how);
}

/// The inputs of ranks 0 … this one combined.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call scan(In&& in, Out&& out, any_reduce_op how) {
  return {collective_kind::scan, side_of(in), side_of(out), how.mpi()};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call scan(const void* in, void* out, index_t count, MPI_Datatype type, any_reduce_op how) {
  return plain_reduction(collective_kind::scan, in, out, count, type, how);
}

/// The inputs of the ranks below this one combined; not defined on rank 0.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call exscan(In&& in, Out&& out, any_reduce_op how) {
  return {collective_kind::exscan, side_of(in), side_of(out), how.mpi()};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call exscan(const void* in, void* out, index_t count, MPI_Datatype type, any_reduce_op how) {
  return plain_reduction(collective_kind::exscan, in, out, count, type, how);
}

/// Rank r gets counts[r] combined elements.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call reduce_scatter(In&& in, Out&& out, rank_counts counts, any_reduce_op how) {
  return {collective_kind::reduce_scatter, side_of(in), lists_of(out, counts, {}), how.mpi()};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call reduce_scatter(const void* in, void* out, rank_counts counts, MPI_Datatype type,
                                      any_reduce_op how) {
  return {collective_kind::reduce_scatter, plain_side(in, 0, type), plain_lists(out, counts, {}, type), how.mpi()};
}

/// Every rank gets as many combined elements as `out` has; in place: an equal share of what it holds.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call reduce_scatter_block(In&& in, Out&& out, any_reduce_op how) {
  call_side receive = side_of(out);
  if constexpr (!concepts::number_buffer<In>) receive.count = -1;
  return {collective_kind::reduce_scatter_block, side_of(in), receive, how.mpi()};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call reduce_scatter_block(const void* in, void* out, index_t count, MPI_Datatype type,
                                            any_reduce_op how) {
  return plain_reduction(collective_kind::reduce_scatter_block, in, out, count, type, how);
}

/// Everybody's block, in the order of ranks, on the root.
template <concepts::send_buffer In, concepts::writable_buffer Out>
collective_call gather(In&& in, Out&& out, int root) {
  return {collective_kind::gather, side_of(in), blocks_of(out), MPI_OP_NULL, root};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call gather(const void* in, index_t send_count, MPI_Datatype send_type, void* out,
                              index_t receive_count, MPI_Datatype receive_type, int root) {
  return {collective_kind::gather, plain_side(in, send_count, send_type), plain_side(out, receive_count, receive_type),
          MPI_OP_NULL, root};
}

/// Everybody's block on the root, where counts and displs say; both matter there only.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call gatherv(In&& in, Out&& out, rank_counts counts, rank_counts displs, int root) {
  return {collective_kind::gatherv, side_of(in), lists_of(out, counts, displs), MPI_OP_NULL, root};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call gatherv(const void* in, index_t send_count, MPI_Datatype send_type, void* out,
                               rank_counts counts, rank_counts displs, MPI_Datatype receive_type, int root) {
  return {collective_kind::gatherv, plain_side(in, send_count, send_type),
          plain_lists(out, counts, displs, receive_type), MPI_OP_NULL, root};
}

/// A block of the root's for each rank, in the order of ranks.
template <concepts::buffer In, concepts::receive_buffer Out>
collective_call scatter(In&& in, Out&& out, int root) {
  return {collective_kind::scatter, blocks_of(in), side_of(out), MPI_OP_NULL, root};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call scatter(const void* in, index_t send_count, MPI_Datatype send_type, void* out,
                               index_t receive_count, MPI_Datatype receive_type, int root) {
  return {collective_kind::scatter, plain_side(in, send_count, send_type), plain_side(out, receive_count, receive_type),
          MPI_OP_NULL, root};
}

/// A block of the root's for each rank, which counts and displs describe; both matter there only.
template <concepts::number_buffer In, concepts::receive_numbers Out>
collective_call scatterv(In&& in, rank_counts counts, rank_counts displs, Out&& out, int root) {
  return {collective_kind::scatterv, lists_of(in, counts, displs), side_of(out), MPI_OP_NULL, root};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call scatterv(const void* in, rank_counts counts, rank_counts displs, MPI_Datatype send_type,
                                void* out, index_t receive_count, MPI_Datatype receive_type, int root) {
  return {collective_kind::scatterv, plain_lists(in, counts, displs, send_type),
          plain_side(out, receive_count, receive_type), MPI_OP_NULL, root};
}

/// Everybody's block, in the order of ranks, on every rank.
template <concepts::send_buffer In, concepts::writable_buffer Out>
collective_call allgather(In&& in, Out&& out) {
  return {collective_kind::allgather, side_of(in), blocks_of(out)};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call allgather(const void* in, index_t send_count, MPI_Datatype send_type, void* out,
                                 index_t receive_count, MPI_Datatype receive_type) {
  return {collective_kind::allgather, plain_side(in, send_count, send_type),
          plain_side(out, receive_count, receive_type)};
}

/// Everybody's block on every rank, where counts and displs say.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call allgatherv(In&& in, Out&& out, rank_counts counts, rank_counts displs) {
  return {collective_kind::allgatherv, side_of(in), lists_of(out, counts, displs)};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call allgatherv(const void* in, index_t send_count, MPI_Datatype send_type, void* out,
                                  rank_counts counts, rank_counts displs, MPI_Datatype receive_type) {
  return {collective_kind::allgatherv, plain_side(in, send_count, send_type),
          plain_lists(out, counts, displs, receive_type)};
}

/// A block from every rank to every rank, in the order of ranks.
template <concepts::send_buffer In, concepts::writable_buffer Out>
collective_call alltoall(In&& in, Out&& out) {
  return {collective_kind::alltoall, blocks_of(in), blocks_of(out)};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call alltoall(const void* in, index_t send_count, MPI_Datatype send_type, void* out,
                                index_t receive_count, MPI_Datatype receive_type) {
  return {collective_kind::alltoall, plain_side(in, send_count, send_type),
          plain_side(out, receive_count, receive_type)};
}

/// A block from every rank to every rank, where counts and displs say.
template <concepts::send_numbers In, concepts::writable_numbers Out>
collective_call alltoallv(In&& in, rank_counts send_counts, rank_counts send_displs, Out&& out,
                          rank_counts receive_counts, rank_counts receive_displs) {
  return {collective_kind::alltoallv, lists_of(in, send_counts, send_displs),
          lists_of(out, receive_counts, receive_displs)};
}
/// The same with MPI's arguments: counts are 64-bit, `in` may be MPI_IN_PLACE where MPI allows it.
inline collective_call alltoallv(const void* in, rank_counts send_counts, rank_counts send_displs,
                                 MPI_Datatype send_type, void* out, rank_counts receive_counts,
                                 rank_counts receive_displs, MPI_Datatype receive_type) {
  return {collective_kind::alltoallv, plain_lists(in, send_counts, send_displs, send_type),
          plain_lists(out, receive_counts, receive_displs, receive_type)};
}

/// A type per rank on either side; displs are in bytes.
inline collective_call alltoallw(const void* in, rank_counts send_counts, rank_counts send_displs,
                                 const MPI_Datatype* send_types, void* out, rank_counts receive_counts,
                                 rank_counts receive_displs, const MPI_Datatype* receive_types) {
  collective_call c{collective_kind::alltoallw, plain_lists(in, send_counts, send_displs, MPI_DATATYPE_NULL),
                    plain_lists(out, receive_counts, receive_displs, MPI_DATATYPE_NULL)};
  c.send.types = send_types, c.receive.types = receive_types;
  return c;
}

}  // namespace calls
}  // namespace nearfar
