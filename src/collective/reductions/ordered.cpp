// SPDX-License-Identifier: BSD-3-Clause
// Contributions are moved by MPI's own calls and combined here, in the order of ranks.
#include "ordered.hpp"

#include <algorithm>
#include <cstring>
#include <far/message_type.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {

void wait_for(workspace& work, MPI_Request request) {
  work.near->wait_in_mpi([&] {
    int is_done = 0;
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    return is_done != 0;
  });
}

// The contributions of ranks 0 … last, one after the other in `from`, combined into `to`.
void combine_in_order(const job& j, const std::byte* from, index_t stride, int ranks, index_t count, std::byte* to) {
  std::vector<const std::byte*> in(as_size(ranks));
  for (int r = 0; r < ranks; ++r) in[as_size(r)] = from + r * stride;
  if (ranks == 1)
    std::memcpy(to, from, as_size(count * j.op.element_bytes()));
  else if (ranks > 1)
    j.op.combine_all(to, in.data(), ranks, count);
}

int contributions_needed(const job& j, int rank, int ranks) {
  if (j.what == kind::scan) return rank + 1;
  if (j.what == kind::exscan) return rank;
  return ranks;
}

}  // namespace

void reduce_all_in_order(workspace& work, const job& j) {
  const team& t = work.members;
  const bool is_rooted = j.what == kind::reduce;
  const bool is_receiver = !is_rooted || t.rank() == j.root;
  std::byte* all = is_receiver ? work.scratch_of(j.bytes * t.size()) : nullptr;
  const far::message_type block(j.bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (is_rooted)
    check_mpi(
        MPI_Igather(j.in, block.count(), block.type(), all, block.count(), block.type(), j.root, t.comm(), &request),
        "MPI_Igather");
  else
    check_mpi(MPI_Iallgather(j.in, block.count(), block.type(), all, block.count(), block.type(), t.comm(), &request),
              "MPI_Iallgather");
  wait_for(work, request);
  if (is_receiver) combine_in_order(j, all, j.bytes, contributions_needed(j, t.rank(), t.size()), j.count, j.out);
}

namespace {

// Slices of the vector in bytes, one per rank.
struct slices {
  std::vector<int> bytes, offsets;
  slices(const job& j, int ranks) : bytes(as_size(ranks)), offsets(as_size(ranks)) {
    const index_t fair = (j.count + ranks - 1) / ranks;
    for (int r = 0; r < ranks; ++r) {
      const index_t first = std::min(j.count, r * fair), last = std::min(j.count, (r + 1) * fair);
      bytes[as_size(r)] = checked_int((last - first) * j.op.element_bytes(), "bytes of a slice");
      offsets[as_size(r)] = checked_int(first * j.op.element_bytes(), "offset of a slice");
    }
  }
};

// One piece of the vector, small enough for MPI's int displacements.
void reduce_piece(workspace& work, const job& j) {
  const team& t = work.members;
  const int ranks = t.size();
  const slices cut(j, ranks);
  const int own = cut.bytes[as_size(t.rank())];
  std::vector<int> same(as_size(ranks), own), displs(as_size(ranks));
  for (int r = 0; r < ranks; ++r) displs[as_size(r)] = checked_int(index_t{r} * own, "offset of a slice");
  std::byte* all = work.scratch_of(index_t{own} * (ranks + 1));
  std::byte* sum = all + index_t{own} * ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ialltoallv(j.in, cut.bytes.data(), cut.offsets.data(), MPI_BYTE, all, same.data(), displs.data(),
                           MPI_BYTE, t.comm(), &request),
            "MPI_Ialltoallv");
  wait_for(work, request);
  combine_in_order(j, all, own, ranks, own / j.op.element_bytes(), sum);
  if (j.what == kind::reduce)
    check_mpi(MPI_Igatherv(sum, own, MPI_BYTE, j.out, cut.bytes.data(), cut.offsets.data(), MPI_BYTE, j.root, t.comm(),
                           &request),
              "MPI_Igatherv");
  else
    check_mpi(
        MPI_Iallgatherv(sum, own, MPI_BYTE, j.out, cut.bytes.data(), cut.offsets.data(), MPI_BYTE, t.comm(), &request),
        "MPI_Iallgatherv");
  wait_for(work, request);
}

}  // namespace

namespace {

// The parts of the ranks, walked in pieces of at most `piece` bytes of each, so that MPI's ints suffice.
struct parts {
  const job& j;
  int ranks;
  index_t piece;
  parts(const job& what, int n) : j(what), ranks(n) {
    constexpr index_t together = index_t{1} << 26;
    const index_t element = what.op.element_bytes();
    piece = std::max(element, std::min(longest(), together / n / element * element));
  }
  bool are_equal() const { return j.what == kind::reduce_scatter_block; }
  index_t length(int r) const { return are_equal() ? j.bytes / ranks : j.blocks.send_bytes[as_size(r)]; }
  index_t offset(int r) const { return are_equal() ? r * length(r) : j.blocks.send_offsets[as_size(r)]; }
  index_t longest() const {
    index_t most = 0;
    for (int r = 0; r < ranks; ++r) most = std::max(most, length(r));
    return most;
  }
  index_t length_at(int r, index_t first) const { return std::clamp<index_t>(length(r) - first, 0, piece); }
};

// The contributions of all ranks to bytes `first` … of this rank's part, in the order of ranks, at the start of the
// scratch.
std::byte* collect_part(workspace& work, const parts& p, index_t first) {
  const int rank = work.members.rank();
  const index_t own = p.length_at(rank, first);
  std::byte* all = work.scratch_of(index_t{2} * p.ranks * p.piece);
  std::byte* packed = all + p.ranks * p.piece;
  std::vector<int> sent(as_size(p.ranks)), from(as_size(p.ranks)), got(as_size(p.ranks), static_cast<int>(own)),
      to(as_size(p.ranks));
  for (int r = 0; r < p.ranks; ++r) {
    const index_t bytes = p.length_at(r, first);
    sent[as_size(r)] = static_cast<int>(bytes);
    from[as_size(r)] = checked_int(r * p.piece, "offset of a piece");
    to[as_size(r)] = checked_int(r * own, "offset of a piece");
    if (bytes > 0) std::memcpy(packed + r * p.piece, p.j.in + p.offset(r) + first, as_size(bytes));
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ialltoallv(packed, sent.data(), from.data(), MPI_BYTE, all, got.data(), to.data(), MPI_BYTE,
                           work.members.comm(), &request),
            "MPI_Ialltoallv");
  wait_for(work, request);
  return all;
}

}  // namespace

void reduce_scatter_in_order(workspace& work, const job& j) {
  const parts p(j, work.members.size());
  const int rank = work.members.rank();
  // In place the result lies over what later pieces still send.
  std::vector<std::byte> result(as_size(p.length(rank)));
  const index_t longest = p.longest();
  for (index_t first = 0; first < longest; first += p.piece) {
    const std::byte* all = collect_part(work, p, first);
    const index_t own = p.length_at(rank, first);
    if (own > 0) combine_in_order(j, all, own, p.ranks, own / j.op.element_bytes(), result.data() + first);
  }
  if (!result.empty()) std::memcpy(j.out, result.data(), result.size());
}

void reduce_slices_in_order(workspace& work, const job& j) {
  constexpr index_t piece_bytes = index_t{1} << 26;
  const index_t element = j.op.element_bytes(), per_piece = piece_bytes / element;
  for (index_t first = 0; first < j.count; first += per_piece) {
    job piece = j;
    piece.count = std::min(per_piece, j.count - first);
    piece.bytes = piece.count * element;
    piece.in = j.in + first * element;
    if (j.out != nullptr) piece.out = j.out + first * element;
    reduce_piece(work, piece);
  }
}

}  // namespace nearfar::collective
