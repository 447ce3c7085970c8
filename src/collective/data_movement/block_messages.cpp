// SPDX-License-Identifier: BSD-3-Clause
// Blocks as messages, long ones in several.
#include "block_messages.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {
namespace {

constexpr index_t most_bytes_at_once = index_t{1} << 30;

template <class Visit>
void for_messages(index_t bytes, Visit visit) {
  for (index_t at = 0; at < bytes; at += most_bytes_at_once)
    visit(at, static_cast<int>(std::min(most_bytes_at_once, bytes - at)));
}

}  // namespace

void block_messages::send(int to, const std::byte* at, index_t bytes) {
  const team_state& s = state_of(h_.team());
  for_messages(bytes, [&](index_t offset, int count) {
    check_mpi(MPI_Isend(at + offset, count, MPI_BYTE, s.in_messages(to), s.own_tag + team_state::block_tag, s.messages,
                        next()),
              "MPI_Isend");
  });
}

void block_messages::receive(int from, std::byte* at, index_t bytes) {
  const team_state& s = state_of(h_.team());
  for_messages(bytes, [&](index_t offset, int count) {
    check_mpi(MPI_Irecv(at + offset, count, MPI_BYTE, s.in_messages(from), s.own_tag + team_state::block_tag,
                        s.messages, next()),
              "MPI_Irecv");
  });
}

void block_messages::finish() {
  if (requests_.empty()) return;
  h_.wait_in_mpi([&] {
    int are_over = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &are_over, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return are_over != 0;
  });
  requests_.clear();
}

}  // namespace nearfar::collective
