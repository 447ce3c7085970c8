// SPDX-License-Identifier: BSD-3-Clause
// A call handed to MPI as it is.
#include <base/numbers.hpp>
#include <far/message_type.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <optional>

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

}  // namespace

int call_mpi(const call& c, MPI_Comm comm) {
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
