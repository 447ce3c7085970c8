// SPDX-License-Identifier: BSD-3-Clause
// What programs do between their collectives: messages, windows, neighbourhoods, intercommunicators, being late.
#include <unistd.h>

#include <algorithm>

#include "world.hpp"

namespace random_program {

namespace {

int rank_in(const communicator& c) {
  int rank = 0;
  MPI_Comm_rank(c.handle, &rank);
  return rank;
}

std::shared_ptr<memory> ints(int count, draw& content) {
  return std::make_shared<memory>(static_cast<std::size_t>(count) * sizeof(int), content);
}

}  // namespace

/// A message that stays on its way until wait_for_one ends it.
void exchange_messages(world& w) {
  communicator& on = w.any_intra();
  const int from = w.shared.below(on.size()), to = w.shared.below(on.size()), count = w.shared.below(20000);
  const bool is_blocking = w.shared.one_in(3);
  draw own = w.own();
  const int me = on.handle == MPI_COMM_NULL ? -1 : rank_in(on), tag = w.step;
  auto sent = ints(count, own), received = ints(count, own);
  if (is_blocking) {
    if (me == from && from != to) MPI_Ssend(sent->data(), count, MPI_INT, to, tag, on.handle);
    if (me == to && from != to) MPI_Recv(received->data(), count, MPI_INT, from, tag, on.handle, MPI_STATUS_IGNORE);
    received->digest_into(w.seen);
    return w.seen.mark("message", 0);
  }
  for (int end = 0; end < 2; ++end) {
    operation message;
    message.on = &on;
    message.memories = {sent, received};
    if (end == 0 && me == to) {
      MPI_Irecv(received->data(), count, MPI_INT, from, tag, on.handle, &message.request);
      message.look = [&w, received] { received->digest_into(w.seen); };
    }
    if (end == 1 && me == from) MPI_Isend(sent->data(), count, MPI_INT, to, tag, on.handle, &message.request);
    ++on.waits;
    w.in_flight.push_back(std::move(message));
  }
}

namespace {

MPI_Win window_on(world& w, const communicator& on, int how, int count, std::shared_ptr<memory>& held, int*& at) {
  MPI_Win window = MPI_WIN_NULL;
  draw own = w.own();
  const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(int)) * count;
  if (how == 0) {
    held = ints(count, own);
    at = reinterpret_cast<int*>(held->data());
    MPI_Win_create(at, bytes, sizeof(int), MPI_INFO_NULL, on.handle, &window);
  } else if (how == 1) {
    MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, on.handle, &at, &window);
  } else {
    MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, on.handle, &at, &window);
  }
  for (int i = 0; i < count; ++i) at[i] = own.below(1000);
  return window;
}

void write_between_fences(MPI_Win window, const std::vector<int>& values, int me, int size) {
  MPI_Win_fence(0, window);
  const int share = static_cast<int>(values.size());
  MPI_Put(values.data(), share, MPI_INT, (me + 1) % size, me * share, share, MPI_INT, window);
  MPI_Win_fence(0, window);
  for (int r = 0; r < size; ++r)
    MPI_Accumulate(values.data(), 1, MPI_INT, r, size * share + me, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
}

void add_under_locks(MPI_Win window, const std::vector<int>& values, int size, MPI_Comm comm) {
  const int last = size * static_cast<int>(values.size());
  MPI_Barrier(comm);
  for (int r = 0; r < size; ++r) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r, 0, window);  // with shared ones MPICH loses a sum now and then
    MPI_Accumulate(values.data(), 1, MPI_INT, r, last, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(r, window);
  }
  MPI_Barrier(comm);
}

}  // namespace

void use_window(world& w) {
  communicator& on = w.any_intra();
  const int how = w.shared.below(3), share = 1 + w.shared.below(500);
  const bool is_locked = w.shared.one_in(2);
  if (on.handle == MPI_COMM_NULL) return;
  const int me = rank_in(on), size = on.size(), count = size * share + size;
  std::shared_ptr<memory> held;
  int* at = nullptr;
  draw own = w.own();
  std::vector<int> values(static_cast<std::size_t>(share));
  for (int& value : values) value = own.below(1000);
  MPI_Win window = window_on(w, on, how, count, held, at);
  if (window == MPI_WIN_NULL) return w.seen.mark("no window", 1);
  if (is_locked)
    add_under_locks(window, values, size, on.handle);
  else
    write_between_fences(window, values, me, size);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
  w.seen.add(at, static_cast<std::size_t>(count) * sizeof(int));
  MPI_Win_unlock(me, window);
  MPI_Win_free(&window);
  w.seen.mark("window", 0);
}

void call_on_intercommunicator(world& w) {
  communicator& on = w.any_comm();
  const int what = w.shared.below(4), root = w.shared.below(8), count = w.shared.below(300);
  const bool is_first = w.shared.one_in(2);
  if (!on.is_inter() || on.handle == MPI_COMM_NULL) return;
  int me, remote;
  MPI_Comm_rank(on.handle, &me);
  MPI_Comm_remote_size(on.handle, &remote);
  const bool is_second_group = std::find(on.others.begin(), on.others.end(), w.rank) != on.others.end();
  draw own = w.own();
  std::vector<int> mine(static_cast<std::size_t>(count) + 1), theirs(mine.size() * static_cast<std::size_t>(remote));
  for (int& value : mine) value = own.below(100);
  int code = MPI_SUCCESS;
  // The sending group is the first where is_first, else the second.
  const bool is_sending = is_first != is_second_group;
  int local = 1;
  MPI_Comm_size(on.handle, &local);
  const int sender = root % (is_sending ? local : remote);
  if (what == 0) code = MPI_Barrier(on.handle);
  if (what == 1) code = MPI_Allreduce(mine.data(), theirs.data(), count, MPI_INT, MPI_SUM, on.handle);
  if (what == 2) code = MPI_Allgather(mine.data(), count, MPI_INT, theirs.data(), count, MPI_INT, on.handle);
  const int root_or_not = !is_sending ? sender : sender == me ? MPI_ROOT : MPI_PROC_NULL;
  if (what == 3) code = MPI_Bcast(mine.data(), count, MPI_INT, root_or_not, on.handle);
  w.seen.add(mine.data(), mine.size() * sizeof(int));
  w.seen.add(theirs.data(), theirs.size() * sizeof(int));
  w.seen.mark("intercommunicator", code);
}

/// A ring of neighbours, made for one call.
void call_neighbors(world& w) {
  communicator& on = w.any_intra();
  const int count = w.shared.below(200);
  if (on.handle == MPI_COMM_NULL) return;
  const int me = rank_in(on), size = on.size();
  const int left[] = {(me + size - 1) % size}, right[] = {(me + 1) % size};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(on.handle, 1, left, MPI_UNWEIGHTED, 1, right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  draw own = w.own();
  auto sent = ints(count, own), received = ints(count, own);
  int mine = me, sum = 0;
  const int code = MPI_Neighbor_alltoall(sent->data(), count, MPI_INT, received->data(), count, MPI_INT, ring);
  for (int i = 0; i < 4; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, ring);
  received->digest_into(w.seen);
  w.seen.add(sum);
  MPI_Comm_free(&ring);
  w.seen.mark("neighbours", code);
}

void come_late(world& w) {
  const int who = w.shared.below(w.ranks), milliseconds = w.shared.below(3);
  if (w.rank == who) ::usleep(static_cast<unsigned>(1000 * milliseconds));
}

}  // namespace random_program
