// SPDX-License-Identifier: BSD-3-Clause
// MPI's calls take counts of int: larger blocks are sent as one element of a derived type, larger reductions in pieces.
#include "plain_call.hpp"

#include <algorithm>
#include <limits>
#include <nearfar/error.hpp>
#include <nearfar/mpi_watch.hpp>

#include "int_lists.hpp"
#include "large_type.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t largest_int = std::numeric_limits<int>::max();
constexpr index_t piece = index_t{1} << 30;  // elements of a reduction at a time

int int_of(index_t value) { return static_cast<int>(value); }

void* at(void* data, index_t bytes) { return data == MPI_IN_PLACE ? data : static_cast<std::byte*>(data) + bytes; }

// ---- numbers that fit ----

int start_fitting(const call& c, MPI_Comm comm, const call_lists& l, MPI_Request* request) {
  const side &s = c.send, &r = c.receive;
  const int to_send = int_of(s.count), to_get = int_of(r.count);
  switch (c.what) {
    case kind::barrier:
      return MPI_Ibarrier(comm, request);
    case kind::bcast:
      return MPI_Ibcast(r.data, to_get, r.type, c.root, comm, request);
    case kind::reduce:
      return MPI_Ireduce(s.data, r.data, to_get, r.type, c.op, c.root, comm, request);
    case kind::allreduce:
      return MPI_Iallreduce(s.data, r.data, to_get, r.type, c.op, comm, request);
    case kind::scan:
      return MPI_Iscan(s.data, r.data, to_get, r.type, c.op, comm, request);
    case kind::exscan:
      return MPI_Iexscan(s.data, r.data, to_get, r.type, c.op, comm, request);
    case kind::reduce_scatter_block:
      return MPI_Ireduce_scatter_block(s.data, r.data, to_get, r.type, c.op, comm, request);
    case kind::reduce_scatter:
      return MPI_Ireduce_scatter(s.data, r.data, l.receive_counts(), r.type, c.op, comm, request);
    case kind::gather:
      return MPI_Igather(s.data, to_send, s.type, r.data, to_get, r.type, c.root, comm, request);
    case kind::gatherv:
      return MPI_Igatherv(s.data, to_send, s.type, r.data, l.receive_counts(), l.receive_places(), r.type, c.root, comm,
                          request);
    case kind::scatter:
      return MPI_Iscatter(s.data, to_send, s.type, r.data, to_get, r.type, c.root, comm, request);
    case kind::scatterv:
      return MPI_Iscatterv(s.data, l.send_counts(), l.send_places(), s.type, r.data, to_get, r.type, c.root, comm,
                           request);
    case kind::allgather:
      return MPI_Iallgather(s.data, to_send, s.type, r.data, to_get, r.type, comm, request);
    case kind::allgatherv:
      return MPI_Iallgatherv(s.data, to_send, s.type, r.data, l.receive_counts(), l.receive_places(), r.type, comm,
                             request);
    case kind::alltoall:
      return MPI_Ialltoall(s.data, to_send, s.type, r.data, to_get, r.type, comm, request);
    case kind::alltoallv:
      return MPI_Ialltoallv(s.data, l.send_counts(), l.send_places(), s.type, r.data, l.receive_counts(),
                            l.receive_places(), r.type, comm, request);
    case kind::alltoallw:
      return MPI_Ialltoallw(s.data, l.send_counts(), l.send_places(), s.types, r.data, l.receive_counts(),
                            l.receive_places(), r.types, comm, request);
  }
  return MPI_ERR_ARG;
}

// MPICH 4.0 reads MPI_IN_PLACE as an address when more than 2 kB are reduced to another rank than 0.
int reduce_from_copy(const call& c, MPI_Comm comm) {
  const side& r = c.receive;
  MPI_Aint low = 0, extent = 0, true_low = 0, true_extent = 0;
  MPI_Type_get_extent(r.type, &low, &extent);
  MPI_Type_get_true_extent(r.type, &true_low, &true_extent);
  const auto* first = static_cast<const std::byte*>(r.data) + true_low;
  const std::vector<std::byte> copy(first, first + (r.count > 0 ? (r.count - 1) * extent + true_extent : 0));
  return MPI_Reduce(copy.data() - true_low, r.data, int_of(r.count), r.type, c.op, c.root, comm);
}

bool is_misread_in_place(const call& c) {
#ifdef MPICH_VERSION
  return c.send.data == MPI_IN_PLACE && c.root != 0;
#else
  static_cast<void>(c);
  return false;
#endif
}

// Open MPI 4.1 counts the displs of a single rank's own block in elements, though they are bytes in alltoallw.
bool is_misplaced(MPI_Comm comm) {
#ifdef OPEN_MPI
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks == 1;
#else
  static_cast<void>(comm);
  return false;
#endif
}

int move_own_block(const call& c, MPI_Comm comm) {
  const side &s = c.send, &r = c.receive;
  if (s.data == MPI_IN_PLACE) return MPI_SUCCESS;
  return MPI_Sendrecv(at(s.data, s.displs[0]), int_of(s.counts[0]), s.types[0], 0, 0, at(r.data, r.displs[0]),
                      int_of(r.counts[0]), r.types[0], 0, 0, comm, MPI_STATUS_IGNORE);
}

int call_fitting(const call& c, MPI_Comm comm, const call_lists& l) {
  const side &s = c.send, &r = c.receive;
  const int to_send = int_of(s.count), to_get = int_of(r.count);
  switch (c.what) {
    case kind::barrier:
      return MPI_Barrier(comm);
    case kind::bcast:
      return MPI_Bcast(r.data, to_get, r.type, c.root, comm);
    case kind::reduce:
      if (is_misread_in_place(c)) return reduce_from_copy(c, comm);
      return MPI_Reduce(s.data, r.data, to_get, r.type, c.op, c.root, comm);
    case kind::allreduce:
      return MPI_Allreduce(s.data, r.data, to_get, r.type, c.op, comm);
    case kind::scan:
      return MPI_Scan(s.data, r.data, to_get, r.type, c.op, comm);
    case kind::exscan:
      return MPI_Exscan(s.data, r.data, to_get, r.type, c.op, comm);
    case kind::reduce_scatter_block:
      return MPI_Reduce_scatter_block(s.data, r.data, to_get, r.type, c.op, comm);
    case kind::reduce_scatter:
      return MPI_Reduce_scatter(s.data, r.data, l.receive_counts(), r.type, c.op, comm);
    case kind::gather:
      return MPI_Gather(s.data, to_send, s.type, r.data, to_get, r.type, c.root, comm);
    case kind::gatherv:
      return MPI_Gatherv(s.data, to_send, s.type, r.data, l.receive_counts(), l.receive_places(), r.type, c.root, comm);
    case kind::scatter:
      return MPI_Scatter(s.data, to_send, s.type, r.data, to_get, r.type, c.root, comm);
    case kind::scatterv:
      return MPI_Scatterv(s.data, l.send_counts(), l.send_places(), s.type, r.data, to_get, r.type, c.root, comm);
    case kind::allgather:
      return MPI_Allgather(s.data, to_send, s.type, r.data, to_get, r.type, comm);
    case kind::allgatherv:
      return MPI_Allgatherv(s.data, to_send, s.type, r.data, l.receive_counts(), l.receive_places(), r.type, comm);
    case kind::alltoall:
      return MPI_Alltoall(s.data, to_send, s.type, r.data, to_get, r.type, comm);
    case kind::alltoallv:
      return MPI_Alltoallv(s.data, l.send_counts(), l.send_places(), s.type, r.data, l.receive_counts(),
                           l.receive_places(), r.type, comm);
    case kind::alltoallw:
      if (is_misplaced(comm)) return move_own_block(c, comm);
      return MPI_Alltoallw(s.data, l.send_counts(), l.send_places(), s.types, r.data, l.receive_counts(),
                           l.receive_places(), r.types, comm);
  }
  return MPI_ERR_ARG;
}

// ---- larger numbers ----

index_t extent_of(MPI_Datatype type) {
  MPI_Aint low = 0, extent = 0;
  MPI_Type_get_extent(type, &low, &extent);
  return extent;
}

MPI_Request* next(std::vector<MPI_Request>& requests) {
  requests.push_back(MPI_REQUEST_NULL);
  return &requests.back();
}

int start_in_pieces(const call& c, MPI_Comm comm, std::vector<MPI_Request>& requests) {
  const index_t element = extent_of(c.receive.type);
  for (index_t first = 0; first < c.receive.count; first += piece) {
    call part = c;
    part.receive.count = std::min(piece, c.receive.count - first);
    part.receive.data = c.receive.data == nullptr ? nullptr : at(c.receive.data, first * element);
    if (part.send.data != nullptr) part.send.data = at(c.send.data, first * element);
    const int code = start_fitting(part, comm, {}, next(requests));
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

// One reduction per rank, to the rank that gets the block.
int start_block_reductions(const call& c, MPI_Comm comm, std::vector<MPI_Request>& requests) {
  if (c.send.data == MPI_IN_PLACE) throw usage_error("reduce_scatter in place takes fewer than 2^31 elements per rank");
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  index_t first = 0;
  for (int r = 0; r < ranks; ++r) {
    call part{kind::reduce, c.send, c.receive, c.op, r};
    part.receive.count = c.what == kind::reduce_scatter ? c.receive.counts[r] : c.receive.count;
    part.send.data = at(c.send.data, first * extent_of(c.receive.type));
    const int code = start_in_pieces(part, comm, requests);
    if (code != MPI_SUCCESS) return code;
    first += part.receive.count;
  }
  return MPI_SUCCESS;
}

// The same call with one large element for each array: ranks whose numbers fit make it with their own.
class call_of_elements {
 public:
  explicit call_of_elements(const call& c) : whole_(c) {
    made_.reserve(2);
    for (side* s : {&whole_.send, &whole_.receive}) {
      const bool is_used = c.what != kind::bcast || s == &whole_.receive;
      if (!is_used || s->type == MPI_DATATYPE_NULL || s->data == MPI_IN_PLACE || s->data == nullptr) continue;
      made_.emplace_back(s->count, s->type);
      s->type = made_.back().get();
      s->count = 1;
    }
  }
  const call& get() const noexcept { return whole_; }

 private:
  call whole_;
  std::vector<large_type> made_;
};

bool has_one_block_length(kind what) {
  return what == kind::bcast || what == kind::gather || what == kind::scatter || what == kind::allgather ||
         what == kind::alltoall;
}

// What goes between this rank and each other, as a type per rank that holds place and length; one call of alltoallw.
struct folded_side {
  std::vector<large_type> made;
  std::vector<MPI_Datatype> types;
  std::vector<int> counts, zeros;
  explicit folded_side(int ranks) : types(as_size(ranks), MPI_BYTE), counts(as_size(ranks)), zeros(as_size(ranks)) {}
  void set(int peer, index_t count, MPI_Datatype type, index_t offset) {
    made.emplace_back(count, type, offset);
    types[as_size(peer)] = made.back().get();
    counts[as_size(peer)] = 1;
  }
  void set_list(const side& s, int ranks) {
    for (int r = 0; r < ranks; ++r) {
      const MPI_Datatype type = s.types != nullptr ? s.types[r] : s.type;
      const index_t unit = s.types != nullptr ? 1 : extent_of(type);
      if (s.counts[r] > 0) set(r, s.counts[r], type, s.displs[r] * unit);
    }
  }
};

int call_folded(const call& c, MPI_Comm comm) {
  if (c.send.data == MPI_IN_PLACE || c.receive.data == MPI_IN_PLACE)
    throw usage_error("calls with lists of counts in place take numbers below 2^31");
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  folded_side send(ranks), receive(ranks);
  const bool is_root = rank == c.root;
  const bool has_lists_to_send =
      c.what == kind::alltoallv || c.what == kind::alltoallw || (c.what == kind::scatterv && is_root);
  const bool has_lists_to_get = c.what != kind::scatterv && (c.what != kind::gatherv || is_root);
  if (has_lists_to_send) send.set_list(c.send, ranks);
  if (has_lists_to_get) receive.set_list(c.receive, ranks);
  if (c.what == kind::gatherv && c.send.count > 0) send.set(c.root, c.send.count, c.send.type, 0);
  if (c.what == kind::scatterv && c.receive.count > 0) receive.set(c.root, c.receive.count, c.receive.type, 0);
  for (int r = 0; c.what == kind::allgatherv && c.send.count > 0 && r < ranks; ++r)
    send.set(r, c.send.count, c.send.type, 0);
  return MPI_Alltoallw(c.send.data, send.counts.data(), send.zeros.data(), send.types.data(), c.receive.data,
                       receive.counts.data(), receive.zeros.data(), receive.types.data(), comm);
}

#if MPI_VERSION >= 4
template <class T>
std::vector<T> copied(const number_list& list, int ranks) {
  std::vector<T> copy;
  for (int r = 0; list && r < ranks; ++r) copy.push_back(static_cast<T>(list[r]));
  return copy;
}

// Ranks whose numbers fit may meanwhile make the call with int.
int call_with_large_counts(const call& c, MPI_Comm comm) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const side &s = c.send, &r = c.receive;
  const side& listed = c.what == kind::gatherv ? r : s;
  const int listed_ranks = rank == c.root ? ranks : 0;
  const auto counts = copied<MPI_Count>(listed.counts, listed_ranks);
  const auto displs = copied<MPI_Aint>(listed.displs, listed_ranks);
  if (c.what == kind::gatherv)
    return MPI_Gatherv_c(s.data, s.count, s.type, r.data, counts.data(), displs.data(), r.type, c.root, comm);
  return MPI_Scatterv_c(s.data, counts.data(), displs.data(), s.type, r.data, r.count, r.type, c.root, comm);
}
#endif

int start_large(const call& c, MPI_Comm comm, std::vector<MPI_Request>& requests) {
  if (has_one_block_length(c.what)) return start_fitting(call_of_elements(c).get(), comm, {}, next(requests));
  switch (c.what) {
    case kind::reduce:
    case kind::allreduce:
    case kind::scan:
    case kind::exscan:
      return start_in_pieces(c, comm, requests);
    case kind::reduce_scatter:
    case kind::reduce_scatter_block:
      return start_block_reductions(c, comm, requests);
    default:
      return call_folded(c, comm);
  }
}

bool fit_int(const number_list& list, int ranks) {
  for (int r = 0; list && r < ranks; ++r)
    if (list[r] > largest_int || list[r] < -largest_int) return false;
  return true;
}

}  // namespace

bool fits_int(const call& c, int rank, int ranks) {
  if (has_equal_blocks(c.what)) return c.send.count <= largest_int && c.receive.count <= largest_int;
  if (c.send.count > largest_int || c.receive.count > largest_int) return false;
  const auto fit = [&](const side& s) { return fit_int(s.counts, ranks) && fit_int(s.displs, ranks); };
  return (!has_lists(c, rank, true) || fit(c.send)) && (!has_lists(c, rank, false) || fit(c.receive));
}

int call_plainly(const call& c, MPI_Comm comm, bool fits) {
  if (fits) return call_fitting(c, comm, call_lists(c, comm));
  if (has_one_block_length(c.what)) return call_fitting(call_of_elements(c).get(), comm, {});
#if MPI_VERSION >= 4
  if (c.what == kind::gatherv || c.what == kind::scatterv) return call_with_large_counts(c, comm);
#endif
  std::vector<MPI_Request> requests;
  const int code = start_large(c, comm, requests);
  const int waited = MPI_Waitall(int_of(as_index(requests.size())), requests.data(), MPI_STATUSES_IGNORE);
  return code != MPI_SUCCESS ? code : waited;
}

int call_plainly(const call& c, const team& members, bool fits) {
  if (members.nodes() == 1) return call_plainly(c, members.comm(), fits);
  const mpi_watch watch(name_of(c.what));
  return call_plainly(c, members.comm(), fits);
}

int start_plainly(const call& c, MPI_Comm comm, bool fits, std::vector<MPI_Request>& requests) {
  if (!fits) return start_large(c, comm, requests);
  return start_fitting(c, comm, call_lists(c, comm), next(requests));
}

}  // namespace nearfar::collective
