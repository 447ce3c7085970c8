// SPDX-License-Identifier: BSD-3-Clause
// A synchronous send completes when its message has been received. When all sends of a rank are complete, it enters a
// nonblocking barrier and continues to receive; when the barrier is complete, all messages of all ranks have been
// received.
#include "sparse_exchange.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <base/numbers.hpp>
#include <base/text.hpp>
#include <far/message_type.hpp>
#include <near/patience.hpp>
#include <topology/team_state.hpp>

namespace nearfar::gathering {

namespace {

constexpr int first_talk_tag = 3;  // below the tags of plans

/// Two tags in turn: a rank may begin a conversation while others have not seen the end of the one before, but not of
/// the one before that. Tags of plans would come round, and meet the messages of an old plan.
int next_tag(const team& members) {
  struct turn {
    int count = 0;
  };
  return first_talk_tag + state_of(members).attachment<turn>([] { return new turn; }).count++ % 2;
}

class conversation {
 public:
  conversation(const team& members, const std::vector<message>& out)
      : comm_(members.comm()), tag_(next_tag(members)), sends_(out.size(), MPI_REQUEST_NULL) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const far::message_type type(as_index(out[i].bytes.size()));
      check_mpi(MPI_Issend(out[i].bytes.data(), type.count(), type.type(), out[i].peer, tag_, comm_, &sends_[i]),
                "MPI_Issend");
    }
  }

  bool poll() {
    receive();
    int flag = 0;
    if (!is_in_barrier_) {
      check_mpi(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (flag == 0) return false;
      begin_barrier();
    }
    check_mpi(MPI_Test(&barrier_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }

  std::vector<message> take() {
    std::sort(in_.begin(), in_.end(), [](const message& a, const message& b) { return a.peer < b.peer; });
    return std::move(in_);
  }

 private:
  void begin_barrier() {
    is_in_barrier_ = true;
    check_mpi(MPI_Ibarrier(comm_, &barrier_), "MPI_Ibarrier");
  }

  void receive() {
    for (;;) {
      int is_there = 0;
      MPI_Count bytes = 0;
      MPI_Message matched;
      MPI_Status status;
      check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &is_there, &matched, &status), "MPI_Improbe");
      if (is_there == 0) return;
      check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
      message& l = in_.emplace_back();
      l.peer = status.MPI_SOURCE;
      l.bytes.resize(as_size(bytes));
      const far::message_type type(bytes);
      check_mpi(MPI_Mrecv(l.bytes.data(), type.count(), type.type(), &matched, MPI_STATUS_IGNORE), "MPI_Mrecv");
    }
  }

  MPI_Comm comm_;
  int tag_;
  std::vector<MPI_Request> sends_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  bool is_in_barrier_ = false;
  std::vector<message> in_;
};

}  // namespace

std::vector<message> sparse_exchange(const team& members, const std::vector<message>& out, const std::string& what) {
  conversation c(members, out);
  const near::wait_policy policy = near::wait_policy::of(state_of(members));
  const std::function<std::string()> whom = [] {
    return std::string("ranks that are to say which elements they need");
  };
  near::patience p(policy, what, whom);
  while (!c.poll()) p.idle_in_mpi();
  return c.take();
}

}  // namespace nearfar::gathering
