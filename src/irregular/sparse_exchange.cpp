// SPDX-License-Identifier: BSD-3-Clause
// A synchronous send completes when its message has been received. When all sends of a rank are complete, it enters a
// nonblocking barrier (a reduction, if there are sums) and continues to receive; when that is complete, all messages of
// all ranks have been received.
#include <algorithm>
#include <array>
#include <base/internals.hpp>
#include <base/numbers.hpp>
#include <base/text.hpp>
#include <far/message_type.hpp>
#include <near/patience.hpp>
#include <nearfar/error.hpp>
#include <nearfar/sparse_exchange.hpp>
#include <topology/team_state.hpp>

#include "put_off.hpp"

namespace nearfar {

namespace {

using message = sparse_exchange::message;

constexpr int first_tag = 3;  // below the tags of plans

/// Two tags in turn: a rank may begin a delivery while others have not seen the end of the one before, but not of the
/// one before that. Tags of plans would come round, and meet the messages of an old plan.
int next_tag(const team& members) {
  struct turn {
    int count = 0;
  };
  return first_tag + state_of(members).attachment<turn>([] { return new turn; }).count++ % 2;
}

}  // namespace

struct sparse_exchange::state {
  /// Messages, of which the first `used` count; the others keep their memory.
  struct message_list {
    std::vector<message> all;
    std::size_t used = 0, last = 0;  ///< `last`: the one that was asked for last, which is often the next one

    message& add(int peer) {
      if (used == all.size()) all.emplace_back();
      message& m = all[used++];
      m.peer = peer;
      m.bytes.clear();
      return m;
    }
    /// The one of this peer, made where there is none.
    message& of(int peer) {
      if (last < used && all[last].peer == peer) return all[last];
      for (last = 0; last < used; ++last)
        if (all[last].peer == peer) return all[last];
      return add(peer);
    }
    std::span<message> those_used() noexcept { return {all.data(), used}; }
  };

  team members;
  std::string name;
  message_list out, in;
  std::vector<MPI_Request> sends;
  std::int64_t appended = 0, deliveries = 0;
  irregular::put_off_failure lack;  ///< of memory, in this delivery

  void send(int tag) {
    lack.during([&] { sends.assign(out.used, MPI_REQUEST_NULL); });
    if (lack.is_there()) sends.clear();
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const std::vector<std::byte>& bytes = out.all[i].bytes;
      const far::message_type type(as_index(bytes.size()));
      check_mpi(MPI_Issend(bytes.data(), type.count(), type.type(), out.all[i].peer, tag, members.comm(), &sends[i]),
                "MPI_Issend");
    }
  }

  void receive(int tag) {
    for (;;) {
      int is_there = 0;
      MPI_Count bytes = 0;
      MPI_Message matched;
      MPI_Status status;
      check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, members.comm(), &is_there, &matched, &status), "MPI_Improbe");
      if (is_there == 0) return;
      check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
      message* m = nullptr;
      lack.during([&] { m = &in.add(status.MPI_SOURCE), m->bytes.resize(as_size(bytes)); });
      if (lack.is_there()) {
        drop(matched, bytes);
        continue;
      }
      const far::message_type type(bytes);
      check_mpi(MPI_Mrecv(m->bytes.data(), type.count(), type.type(), &matched, MPI_STATUS_IGNORE), "MPI_Mrecv");
    }
  }

  /// Its sender waits until somebody receives it.
  static void drop(MPI_Message& matched, index_t bytes) {
    std::array<std::byte, 4096> place;
    const far::message_type type(bytes, place.size());
    check_mpi(MPI_Mrecv(place.data(), type.count(), type.type(), &matched, MPI_STATUS_IGNORE), "MPI_Mrecv");
  }

  bool are_all_sent() {
    int flag = 0;
    check_mpi(MPI_Testall(checked_int(as_index(sends.size()), "messages of a sparse exchange"), sends.data(), &flag,
                          MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return flag != 0;
  }

  void begin_end(std::span<std::int64_t> sums, MPI_Request& end) {
    if (sums.empty()) return check_mpi(MPI_Ibarrier(members.comm(), &end), "MPI_Ibarrier");
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, sums.data(), checked_int(as_index(sums.size()), "sums of a sparse exchange"),
                             MPI_INT64_T, MPI_SUM, members.comm(), &end),
              "MPI_Iallreduce");
  }

  void exchange(std::span<std::int64_t> sums) {
    const int tag = next_tag(members);
    send(tag);
    const near::wait_policy policy = near::wait_policy::of(state_of(members));
    const std::function<std::string()> whom = [] { return std::string("ranks that may have messages for this one"); };
    near::patience p(policy, name, whom);
    MPI_Request end = MPI_REQUEST_NULL;
    for (bool is_ending = false;; p.idle_in_mpi()) {
      receive(tag);
      if (!is_ending && are_all_sent()) begin_end(sums, end), is_ending = true;
      if (!is_ending) continue;
      int is_over = 0;
      check_mpi(MPI_Test(&end, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_over != 0) return;
    }
  }
};

sparse_exchange::sparse_exchange(const team& members, std::string name)
    : state_(new state{members, std::move(name), {}, {}, {}, 0, 0, {}}) {}
sparse_exchange::~sparse_exchange() = default;
sparse_exchange::sparse_exchange(sparse_exchange&&) noexcept = default;
sparse_exchange& sparse_exchange::operator=(sparse_exchange&&) noexcept = default;

std::span<std::byte> sparse_exchange::append(int peer, std::size_t bytes) {
  state& s = *state_;
  if (peer < 0 || peer >= s.members.size() || peer == s.members.rank())
    throw usage_error(text(s.name, ": rank ", s.members.rank(), " has a message for rank ", peer, "; ranks are 0 … ",
                           s.members.size() - 1, ", and none writes to itself"));
  std::vector<std::byte>& target = s.out.of(peer).bytes;
  target.resize(target.size() + bytes);
  s.appended += as_index(bytes);
  return std::span(target).last(bytes);
}

std::int64_t sparse_exchange::appended_bytes() const noexcept { return state_->appended; }
std::int64_t sparse_exchange::deliveries() const noexcept { return state_->deliveries; }

std::span<const message> sparse_exchange::deliver(std::span<std::int64_t> sums) {
  state& s = *state_;
  s.in.used = 0;
  s.lack = {};
  if (s.members.size() > 1) s.exchange(sums);
  s.out.used = 0, s.appended = 0;
  ++s.deliveries;
  s.lack.raise();
  const std::span<message> messages = s.in.those_used();
  std::sort(messages.begin(), messages.end(), [](const message& a, const message& b) { return a.peer < b.peer; });
  return messages;
}

}  // namespace nearfar
