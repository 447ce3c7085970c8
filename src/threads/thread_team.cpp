// SPDX-License-Identifier: BSD-3-Clause
// The public functions of thread teams: handles, and which thread may hold which.
#include <base/internals.hpp>
#include <base/log.hpp>
#include <exception>
#include <topology/team_state.hpp>

#include "thread_team_state.hpp"

namespace nearfar {

using threads::thread_kind;

thread_team::thread_team(const nearfar::team& members, int threads, thread_team_options options)
    : state_(std::make_shared<thread_team_state>(members, threads, std::move(options))) {}

int thread_team::threads() const noexcept { return state_->threads; }
std::int64_t thread_team::size() const noexcept { return state_->numbering.all(); }
int thread_team::threads_of(int rank) const noexcept { return state_->numbering.of(rank); }
std::int64_t thread_team::first_of(int rank) const noexcept { return state_->numbering.first(rank); }
const nearfar::team& thread_team::team() const noexcept { return state_->members; }

std::string thread_team::describe() const {
  const thread_team_state& s = *state_;
  const bool is_flat = s.group.is_flat(), is_alone = s.is_rank_alone;
  std::string lines = text(s.name, ": ", s.threads, " threads on this rank, ", s.numbering.all(), " on all ",
                           s.members.size(), " ranks\n");
  lines += text("waiting: ", s.is_short_of_cores ? "gives the core away at once" : "spins first", "\n");
  lines += text("up to ", threads::thread_group::post_bytes, " B: in cache lines, summed by ",
                is_flat && is_alone ? "every thread" : "thread 0", is_alone ? "" : ", then over ranks", "\n");
  lines += text("above: each thread sums its share of all arrays",
                !is_alone ? ", thread 0 goes on over ranks, all copy it"
                : is_flat ? ", into the results of all"
                          : ", all take it from there",
                "\n");
  return lines;
}

thread_rank::thread_rank(const thread_team& all, int thread)
    : state_(state_of(all).shared_from_this()), thread_(thread), exceptions_(std::uncaught_exceptions()) {
  if (thread < 0 || thread >= state_->threads)
    throw usage_error(text(state_->name, ": there is no thread ", thread, "; the team was made for ", state_->threads,
                           " threads per rank, 0 … ", state_->threads - 1));
  if (state_->slots[as_size(thread)].is_taken.exchange(true, std::memory_order_acquire))
    throw usage_error(
        text(state_->name, ": thread ", thread, " takes part already: each thread needs a number of its own"));
}

thread_rank::~thread_rank() {
  if (std::uncaught_exceptions() > exceptions_) abandon();
  state_->slots[as_size(thread_)].is_taken.store(false, std::memory_order_release);
}

std::int64_t thread_rank::number() const noexcept { return state_->numbering.first(state_->members.rank()) + thread_; }

void thread_rank::abandon() noexcept { state_->group.abandon(thread_); }

void thread_rank::barrier() { threads::barrier(*state_, thread_); }

void thread_rank::allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  threads::allreduce(*state_, thread_, in, out, {thread_kind::allreduce, count, type, op});
}

const void* thread_rank::allreduce_view(const void* in, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  return threads::allreduce_view(*state_, thread_, in, {thread_kind::view, count, type, op});
}

void thread_rank::reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op, int root_rank,
                         int root_thread) {
  threads::reduce(*state_, thread_, in, out, {thread_kind::reduce, count, type, op, root_rank, root_thread});
}

void thread_rank::reduce_scatter_block(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  threads::reduce_scatter_block(*state_, thread_, in, out, {thread_kind::reduce_scatter_block, count, type, op});
}

void thread_rank::bcast(void* data, std::int64_t count, MPI_Datatype type, int root_rank, int root_thread) {
  threads::bcast(*state_, thread_, data, {thread_kind::bcast, count, type, MPI_OP_NULL, root_rank, root_thread});
}

void thread_rank::allgather(const void* in, void* out, std::int64_t count, MPI_Datatype type) {
  threads::allgather(*state_, thread_, in, out, {thread_kind::allgather, count, type});
}

}  // namespace nearfar
