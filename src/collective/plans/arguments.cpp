// SPDX-License-Identifier: BSD-3-Clause
// Arguments are checked before the call: a wrong size that MPI detects in the middle of it would abort or hang the job.
#include "arguments.hpp"

#include <array>
#include <base/env.hpp>
#include <base/numbers.hpp>
#include <base/text.hpp>
#include <reduction/identity.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <vector>

#include "../normal_blocks.hpp"

namespace nearfar::collective {

namespace {

bool is_reduction(kind what) {
  return what == kind::reduce || what == kind::allreduce || what == kind::scan || what == kind::exscan ||
         what == kind::reduce_scatter || what == kind::reduce_scatter_block;
}

index_t type_bytes(MPI_Datatype type) {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || MPI_Type_size_x(type, &size) != MPI_SUCCESS) return 0;
  return static_cast<index_t>(size);
}

// Fills in a call piece by piece; complaints begin with the kind.
class reader {
 public:
  reader(const collective_call& c, const team& members) : from_(c), ranks_(members.size()), rank_(members.rank()) {
    to_.what = c.kind;
    to_.op = c.op;
    to_.root = is_rooted(to_.what) ? c.root : 0;
  }

  call read() {
    if (to_.root < 0 || to_.root >= ranks_) refuse(text("root is ", to_.root, "; ranks are 0 … ", ranks_ - 1));
    if (is_reduction(to_.what) && to_.op == MPI_OP_NULL) refuse("the operation is MPI_OP_NULL");
    to_.send = plain(from_.send, uses_send());
    to_.receive = plain(from_.receive, uses_receive());
    if (is_reduction(to_.what))
      read_reduction();
    else if (to_.what != kind::bcast && to_.what != kind::barrier && has_equal_blocks(to_.what))
      compare_blocks();
    if (to_.send.count < 0 || to_.receive.count < 0)
      refuse(text("the count is ", std::min(to_.send.count, to_.receive.count), "; it must be 0 or more"));
    if (is_reduction(to_.what)) require_type(to_.receive.type);
    return to_;
  }

 private:
  [[noreturn]] void refuse(const std::string& complaint) const {
    throw usage_error(text(name_of(to_.what), ": ", complaint));
  }
  bool is_root() const { return rank_ == to_.root; }
  bool uses_send() const {
    return to_.what != kind::bcast && to_.what != kind::barrier &&
           (is_root() || (to_.what != kind::scatter && to_.what != kind::scatterv));
  }
  bool uses_receive() const {
    return is_root() || (to_.what != kind::gather && to_.what != kind::gatherv && to_.what != kind::reduce);
  }

  side plain(const call_side& s, bool is_used) const {
    side made;
    made.data = s.data;
    made.type = s.type;
    made.types = s.types;
    if (made.type == MPI_DATATYPE_NULL && !is_used) made.type = MPI_BYTE;
    if (is_in_place(made)) made.type = MPI_BYTE;
    if (!is_used) return made;
    made.count = s.count == -1 ? share(s) : s.count * s.scale;
    if (made.count > 0) require_elements(s, made.type);
    const bool has_lists = s.counts.size() > 0 || s.displs.size() > 0;
    if (has_lists) read_lists(s, made);
    if (needs_lists(&s == &from_.send) && !is_in_place(made) && !has_lists) refuse("the list of counts is empty");
    return made;
  }

  void require_type(MPI_Datatype type) const {
    if (type == MPI_DATATYPE_NULL) refuse("the type of elements is MPI_DATATYPE_NULL");
  }

  /// Types of the program's own may hold addresses, which count from MPI_BOTTOM: that is null.
  void require_elements(const call_side& s, MPI_Datatype type) const {
    require_type(type);
    const bool is_result = &s == &from_.receive;
    if (s.data != nullptr || reduction::identity_of_type(type) == 0) return;
    if (is_result && to_.what == kind::exscan && rank_ == 0) return;  // where nothing is defined
    refuse(is_result ? "the array for the result is NULL" : "the array to send is NULL");
  }

  bool needs_lists(bool is_send) const {
    switch (to_.what) {
      case kind::gatherv:
      case kind::allgatherv:
      case kind::reduce_scatter:
        return !is_send;
      case kind::scatterv:
        return is_send;
      case kind::alltoallv:
      case kind::alltoallw:
        return true;
      default:
        return false;
    }
  }

  index_t share(const call_side& s) const {
    if (s.capacity < 0) refuse(text("the count is ", s.count, "; it must be 0 or more"));
    if (s.capacity % ranks_ != 0)
      refuse(text("an array of ", s.capacity, " elements has no equal parts for ", ranks_, " ranks"));
    return s.capacity / ranks_ * s.scale;
  }

  static number_list list_of(const rank_counts& n) {
    if (n.narrow() != nullptr) return number_list(n.narrow());
    return n.wide() != nullptr ? number_list(n.wide()) : number_list();
  }

  void read_lists(const call_side& s, side& made) const {
    made.counts = list_of(s.counts);
    made.displs = list_of(s.displs);
    made.count = 0;
    const bool needs_displs = to_.what != kind::reduce_scatter;
    if (s.counts.size() != ranks_ || (needs_displs && s.displs.size() != ranks_))
      refuse(text("lists have ", s.counts.size(), needs_displs ? text(" and ", s.displs.size()) : std::string(),
                  " entries; there are ", ranks_, " ranks"));
    for (int r = 0; r < ranks_; ++r) {
      if (made.counts[r] < 0) refuse(text("the count for rank ", r, " is ", made.counts[r]));
      if (made.counts[r] > 0 && (needs_displs || r == rank_))
        require_elements(s, made.types != nullptr ? made.types[r] : made.type);
      if (!needs_displs || s.capacity < 0 || made.counts[r] == 0) continue;
      const index_t end = made.displs[r] + made.counts[r];
      if (made.displs[r] < 0 || end > s.capacity)
        refuse(text("the part of rank ", r, " is elements ", made.displs[r], " … ", end - 1, " of an array of ",
                    s.capacity));
    }
  }

  // The count of a reduction stands on the side that every rank has.
  void read_reduction() {
    side &in = to_.send, &out = to_.receive;
    const index_t in_capacity = from_.send.capacity, out_capacity = from_.receive.capacity;
    const bool is_here = to_.what != kind::reduce || is_root();
    if (to_.what == kind::reduce && !is_here && is_in_place(in)) {  // MPI has in place on the root only
      in.data = from_.receive.data;
      out.count = from_.receive.count;
      out.type = from_.receive.type;
      out.data = nullptr;
      return;
    }
    if (to_.what == kind::reduce_scatter || to_.what == kind::reduce_scatter_block)
      return read_scattered(in_capacity, out_capacity);
    if (is_in_place(in)) return;
    if (is_here && in_capacity >= 0 && out_capacity >= 0 && in_capacity != out_capacity)
      refuse(text("the input has ", in_capacity, " elements, the result ", out_capacity));
    if (in_capacity >= 0 && is_here && in.type != out.type) refuse("the input and the result have different types");
    out.count = in.count;
    out.type = in.type;
  }

  void read_scattered(index_t in_capacity, index_t out_capacity) {
    const side& out = to_.receive;
    index_t all = out.count * ranks_, own = out.count;
    if (to_.what == kind::reduce_scatter) {
      all = 0, own = out.counts[rank_];
      for (int r = 0; r < ranks_; ++r) all += out.counts[r];
    }
    const bool is_both = is_in_place(to_.send);
    if (!is_both && all > 0) require_elements(from_.send, to_.send.type);
    if (!is_both && in_capacity >= 0 && in_capacity != all)
      refuse(text("the input has ", in_capacity, " elements, the ranks get ", all));
    if (!is_both && in_capacity >= 0 && to_.send.type != out.type)
      refuse("the input and the result have different types");
    if (out_capacity >= 0 && out_capacity < (is_both ? all : own))
      refuse(text("the result has room for ", out_capacity, " elements, but needs ", is_both ? all : own));
  }

  void compare_blocks() const {
    if (!uses_send() || !uses_receive() || is_in_place(to_.send) || is_in_place(to_.receive)) return;
    const index_t sent = to_.send.count * type_bytes(to_.send.type),
                  got = to_.receive.count * type_bytes(to_.receive.type);
    if (sent != got) refuse(text("a block of ", sent, " B is sent where ", got, " B are received"));
  }

  const collective_call& from_;
  int ranks_, rank_;
  call to_;
};

// Bytes that this rank sends to each rank, or expects from it.
using traffic = std::vector<std::int64_t>;

void set_lists(traffic& bytes, const side& s) {
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    const int rank = static_cast<int>(r);
    bytes[r] = s.counts[rank] * type_bytes(s.types != nullptr ? s.types[rank] : s.type);
  }
}

traffic sent_bytes(const call& c, int rank, int ranks) {
  traffic bytes(as_size(ranks), 0);
  const bool is_root = rank == c.root;
  const index_t one = c.send.count * type_bytes(c.send.type);
  switch (c.what) {
    case kind::bcast:
      if (is_root) bytes.assign(bytes.size(), c.receive.count * type_bytes(c.receive.type));
      break;
    case kind::gather:
    case kind::gatherv:
      bytes[as_size(c.root)] = one;
      break;
    case kind::scatter:
      if (is_root) bytes.assign(bytes.size(), one);
      break;
    case kind::scatterv:
      if (is_root) set_lists(bytes, c.send);
      break;
    case kind::alltoallv:
    case kind::alltoallw:
      set_lists(bytes, c.send);
      break;
    default:
      bytes.assign(bytes.size(), one);
  }
  return bytes;
}

traffic expected_bytes(const call& c, int rank, int ranks) {
  traffic bytes(as_size(ranks), 0);
  const bool is_root = rank == c.root;
  const index_t one = c.receive.count * type_bytes(c.receive.type);
  switch (c.what) {
    case kind::bcast:
    case kind::scatter:
    case kind::scatterv:
      bytes[as_size(c.root)] = one;
      break;
    case kind::gather:
      if (is_root) bytes.assign(bytes.size(), one);
      break;
    case kind::gatherv:
      if (is_root) set_lists(bytes, c.receive);
      break;
    case kind::allgather:
    case kind::alltoall:
      bytes.assign(bytes.size(), one);
      break;
    default:
      set_lists(bytes, c.receive);
  }
  return bytes;
}

void compare_traffic(const call& c, const team& members) {
  const int rank = members.rank(), ranks = members.size();
  traffic sent, found(as_size(ranks)), wanted;
  // In place the own part does not travel; what the other side of alltoall would send is what it receives.
  const bool is_exchange = c.what == kind::alltoall || c.what == kind::alltoallv || c.what == kind::alltoallw;
  sent = is_exchange && is_in_place(c.send) ? expected_bytes(c, rank, ranks) : sent_bytes(c, rank, ranks);
  wanted = expected_bytes(c, rank, ranks);
  if (!is_exchange && is_in_place(c.send)) {
    const std::int64_t own = wanted[as_size(rank)];
    for (std::size_t r = 0; r < sent.size(); ++r)
      if (c.what == kind::allgather || c.what == kind::allgatherv || static_cast<int>(r) == c.root) sent[r] = own;
  }
  if (is_in_place(c.receive)) wanted[as_size(rank)] = sent[as_size(rank)];
  watched_mpi("MPI_Alltoall",
              [&] { return MPI_Alltoall(sent.data(), 1, MPI_INT64_T, found.data(), 1, MPI_INT64_T, members.comm()); });
  agree(members, [&] {
    for (std::size_t r = 0; r < found.size(); ++r)
      if (found[r] != wanted[r])
        throw usage_error(text(name_of(c.what), ": rank ", r, " sends ", found[r], " B to rank ", rank,
                               ", which expects ", wanted[r], " B"));
  });
}

void compare_reductions(const call& c, const team& members) {
  const std::string name = name_of(c.what);
  const std::int64_t operation = reduction::identity_of_operation(c.op);
  std::vector<shared_values> all{
      {name + ": (count, bytes of an element)", {c.receive.count, type_bytes(c.receive.type)}},
      {.what = name + ": the operation", .values = {operation}, .in_words = reduction::name_of_operation}};
  // A program's own operation may be given different types of the same elements.
  if (reduction::is_predefined(operation))
    all.push_back({.what = name + ": the type of elements",
                   .values = {reduction::identity_of_type(c.receive.type)},
                   .in_words = reduction::name_of_type});
  require_same(members, all);
  if (c.what != kind::reduce_scatter) return;
  std::vector<std::int64_t> counts(as_size(members.size()));
  for (int r = 0; r < members.size(); ++r) counts[as_size(r)] = c.receive.counts[r];
  require_same(members, "reduce_scatter: the list of counts", counts);
}

}  // namespace

call to_internal(const collective_call& c, const team& members) { return reader(c, members).read(); }

bool are_ranks_compared() {
  const std::string wanted = env::string_or("NEARFAR_CHECK", "local");
  if (wanted == "off" || wanted == "local") return false;
  if (wanted == "collective" || wanted == "paranoid") return true;
  throw usage_error(text("NEARFAR_CHECK is \"", wanted, "\"; off, local, collective and paranoid are possible"));
}

void compare_ranks(const call& c, const team& members) {
  const std::array<std::int64_t, 2> what{static_cast<std::int64_t>(c.what), c.root};
  require_same(members, "a collective call: (kind, root)", what);
  if (is_reduction(c.what))
    compare_reductions(c, members);
  else if (c.what != kind::barrier)
    compare_traffic(c, members);
}

}  // namespace nearfar::collective
