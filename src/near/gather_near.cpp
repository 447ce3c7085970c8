// SPDX-License-Identifier: BSD-3-Clause
// Without a communicator: messages to the lowest near rank, and from it to all.
#include "gather_near.hpp"

#include <base/internals.hpp>
#include <cstring>
#include <near/patience.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar::near {
namespace {

class near_messages {
 public:
  explicit near_messages(const team_state& s) : s_(s), policy_(wait_policy::of(s)) {}

  void send(const void* data, int bytes, int to) {
    check_mpi(MPI_Isend(data, bytes, MPI_BYTE, address_of(to), tag(), s_.messages, next()), "MPI_Isend");
  }
  void receive(void* data, int bytes, int from) {
    check_mpi(MPI_Irecv(data, bytes, MPI_BYTE, address_of(from), tag(), s_.messages, next()), "MPI_Irecv");
  }
  void finish() {
    const std::string what = "a node's ranks get to know each other's memory";
    const std::function<std::string()> whom = [] { return std::string("the other ranks of this node"); };
    patience waiting(policy_, what, whom);
    while (!are_over()) waiting.idle_in_mpi();
    requests_.clear();
  }

 private:
  int address_of(int near_rank) const { return s_.in_messages(s_.near_ranks[as_size(near_rank)]); }
  int tag() const { return s_.own_tag + team_state::irregular_tag; }
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  bool are_over() {
    int is_over = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_over, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return is_over != 0;
  }

  const team_state& s_;
  wait_policy policy_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

void gather_near(const team& members, const void* mine, int bytes, void* all) {
  const team_state& s = state_of(members);
  if (s.node_comm != MPI_COMM_NULL)
    return watched_mpi("MPI_Allgather",
                       [&] { return MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, s.node_comm); });
  near_messages messages(s);
  const auto total = checked_int(index_t{bytes} * s.near_size, "what a node's ranks tell each other (bytes)");
  const auto block = [&](int r) { return static_cast<std::byte*>(all) + index_t{bytes} * r; };
  if (s.near_rank != 0) {
    messages.send(mine, bytes, 0);
    messages.receive(all, total, 0);
    return messages.finish();
  }
  std::memcpy(all, mine, as_size(bytes));
  for (int r = 1; r < s.near_size; ++r) messages.receive(block(r), bytes, r);
  messages.finish();
  for (int r = 1; r < s.near_size; ++r) messages.send(all, total, r);
  messages.finish();
}

}  // namespace nearfar::near
