// SPDX-License-Identifier: BSD-3-Clause
// A call handed to MPI as it is.
#include <base/numbers.hpp>
#include <far/message_type.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <optional>
#include <vector>

#include "trials.hpp"

namespace nearfar::collective {

namespace {

// (count, type) of a side with MPI's int counts; counts beyond go as one element of a type made for the occasion.
class arguments {
 public:
  explicit arguments(const side& s) : count_(0), type_(s.type) {
    if (s.count <= std::numeric_limits<int>::max()) {
      count_ = static_cast<int>(s.count);
      return;
    }
    throw usage_error("counts beyond 2^31-1 need a call of the MPI's own with large counts");
  }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_;
  MPI_Datatype type_;
};

// Counts or places as MPI takes them.
class int_list {
 public:
  int_list(const number_list& list, int ranks) {
    for (int r = 0; list && r < ranks; ++r) values_.push_back(checked_int(list[r], "a count or place"));
  }
  const int* data() const { return values_.data(); }

 private:
  std::vector<int> values_;
};

struct lists {
  int_list counts, places;
  lists(const side& s, bool is_read, int ranks)
      : counts(s.counts, is_read ? ranks : 0), places(s.places, is_read ? ranks : 0) {}
};

int call_with_lists(const call& c, MPI_Comm comm) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const void* in = c.send.data;
  void* out = c.receive.data;
  const bool is_among_all = c.what == kind::alltoallv || c.what == kind::alltoallw;
  const lists send(c.send, is_among_all || (c.what == kind::scatterv && rank == c.root), ranks);
  const lists receive(c.receive, c.what != kind::scatterv && (c.what != kind::gatherv || rank == c.root), ranks);
  const int sent = checked_int(c.send.count, "a count"), received = checked_int(c.receive.count, "a count");
  switch (c.what) {
    case kind::gatherv:
      return MPI_Gatherv(in, sent, c.send.type, out, receive.counts.data(), receive.places.data(), c.receive.type,
                         c.root, comm);
    case kind::scatterv:
      return MPI_Scatterv(in, send.counts.data(), send.places.data(), c.send.type, out, received, c.receive.type,
                          c.root, comm);
    case kind::allgatherv:
      return MPI_Allgatherv(in, sent, c.send.type, out, receive.counts.data(), receive.places.data(), c.receive.type,
                            comm);
    case kind::reduce_scatter:
      return MPI_Reduce_scatter(in, out, receive.counts.data(), c.receive.type, c.op, comm);
    case kind::alltoallv:
      return MPI_Alltoallv(in, send.counts.data(), send.places.data(), c.send.type, out, receive.counts.data(),
                           receive.places.data(), c.receive.type, comm);
    default:
      return MPI_Alltoallw(in, send.counts.data(), send.places.data(), c.send.types, out, receive.counts.data(),
                           receive.places.data(), c.receive.types, comm);
  }
}

}  // namespace

int call_mpi(const call& c, MPI_Comm comm) {
  if (!has_equal_blocks(c.what)) return call_with_lists(c, comm);
  const arguments send(c.send), receive(c.receive);
  const void* in = c.send.data;
  void* out = c.receive.data;
  switch (c.what) {
    case kind::barrier:
      return MPI_Barrier(comm);
    case kind::bcast:
      return MPI_Bcast(out, receive.count(), receive.type(), c.root, comm);
    case kind::reduce:
      return MPI_Reduce(in, out, receive.count(), receive.type(), c.op, c.root, comm);
    case kind::allreduce:
      return MPI_Allreduce(in, out, receive.count(), receive.type(), c.op, comm);
    case kind::scan:
      return MPI_Scan(in, out, receive.count(), receive.type(), c.op, comm);
    case kind::exscan:
      return MPI_Exscan(in, out, receive.count(), receive.type(), c.op, comm);
    case kind::reduce_scatter_block:
      return MPI_Reduce_scatter_block(in, out, receive.count(), receive.type(), c.op, comm);
    case kind::gather:
      return MPI_Gather(in, send.count(), send.type(), out, receive.count(), receive.type(), c.root, comm);
    case kind::scatter:
      return MPI_Scatter(in, send.count(), send.type(), out, receive.count(), receive.type(), c.root, comm);
    case kind::allgather:
      return MPI_Allgather(in, send.count(), send.type(), out, receive.count(), receive.type(), comm);
    case kind::alltoall:
      return MPI_Alltoall(in, send.count(), send.type(), out, receive.count(), receive.type(), comm);
    default:
      throw usage_error("call_mpi: this kind of call has lists of counts");
  }
}

}  // namespace nearfar::collective
