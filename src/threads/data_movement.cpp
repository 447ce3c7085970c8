// SPDX-License-Identifier: BSD-3-Clause
// Barrier, broadcast and allgather: threads read each other's arrays, thread 0 communicates with the other ranks.
#include <topology/team_state.hpp>

#include "thread_team_state.hpp"

namespace nearfar::threads {
namespace {

void require_data(const thread_team_state& s, const void* data, const thread_call& c, const char* what) {
  if (c.count < 0) throw usage_error(text(s.name, ": a count is ", c.count, "; counts must not be negative"));
  if (data == nullptr && c.count > 0) throw usage_error(text(s.name, ": ", what, " is NULL"));
}

/// Within one rank, whose thread `root` has the data.
void bcast_in_rank(thread_team_state& s, int me, const thread_elements& e, std::byte* data, const thread_call& c) {
  const index_t bytes = c.count * e.bytes;
  if (bytes <= thread_group::post_bytes && s.group.is_flat()) {
    // Everyone looks at everyone, so that nobody is two calls ahead of a thread that has not read this one.
    s.group.post(me, data, me == c.root_thread ? bytes : 0);
    for (int t = 0; t < s.threads; ++t)
      if (t != me) s.group.collect(me, t, t == c.root_thread ? data : nullptr, t == c.root_thread ? bytes : 0);
    return;
  }
  exchange_arrays(s, me, {data, data, nullptr, 0});
  copy_elements(e, data, s.slots[as_size(me)].arrays[as_size(c.root_thread)].in, c.count);
  s.group.meet(me);
}

/// Thread 0 of each rank broadcasts its own array, or the root's where that is a thread of its rank; then the others
/// copy.
void bcast_over_ranks(thread_team_state& s, int me, const thread_elements& e, std::byte* data, const thread_call& c) {
  const int source = s.members.rank() == c.root_rank ? c.root_thread : 0;
  exchange_arrays(s, me, {data, data, nullptr, 0});
  std::byte* from = s.slots[as_size(me)].arrays[as_size(source)].out;
  s.group.meet_around(me, [&] { s.ranks.bcast({from, c.count, c.type, e.bytes}, c.root_rank); });
  copy_elements(e, data, from, c.count);
  s.group.meet(me);
}

/// Each thread copies all inputs into its own result.
void allgather_in_rank(thread_team_state& s, int me, const thread_elements& e, std::byte* out, index_t count) {
  const auto& arrays = s.slots[as_size(me)].arrays;
  // From my own on, so that threads do not all read from the same one at the same time.
  for (int i = 0; i < s.threads; ++i) {
    const int t = (me + i) % s.threads;
    copy_elements(e, out + t * count * e.bytes, arrays[as_size(t)].in, count);
  }
  s.group.meet(me);
}

/// Each thread brings its input to thread 0's result, which the ranks complete and the others copy.
void allgather_over_ranks(thread_team_state& s, int me, const thread_elements& e, std::byte* out,
                          const thread_call& c) {
  const auto& arrays = s.slots[as_size(me)].arrays;
  const index_t first = s.numbering.first(s.members.rank()) * c.count, all = s.numbering.all() * c.count;
  std::byte* shared = arrays[0].out;
  copy_elements(e, shared + (first + me * c.count) * e.bytes, arrays[as_size(me)].in, c.count);
  s.group.meet_around(me, [&] { s.ranks.allgather({shared, all, c.type, e.bytes}, s.numbering, c.count); });
  copy_elements(e, out, shared, all);
  s.group.meet(me);
}

}  // namespace

void barrier(thread_team_state& s, int me) {
  run_call(s, me, {}, [&] {
    s.group.post(me, nullptr, 0);
    if (s.is_rank_alone && s.group.is_flat()) {
      for (int t = 0; t < s.threads; ++t)
        if (t != me) s.group.collect(me, t, nullptr, 0);
      return;
    }
    if (me != 0) return s.group.hear(me, nullptr, 0);
    for (int t = 1; t < s.threads; ++t) s.group.collect(0, t, nullptr, 0);
    if (!s.is_rank_alone) s.ranks.barrier();
    s.group.announce(nullptr, 0);
  });
}

void bcast(thread_team_state& s, int me, void* data, const thread_call& c) {
  run_call(s, me, c, [&] {
    require_root(s, c);
    require_data(s, data, c, "the data");
    const thread_elements& e = elements_of(s, me, c);
    if (s.is_rank_alone)
      bcast_in_rank(s, me, e, as_bytes(data), c);
    else
      bcast_over_ranks(s, me, e, as_bytes(data), c);
  });
}

void allgather(thread_team_state& s, int me, const void* in, void* out, const thread_call& c) {
  run_call(s, me, c, [&] {
    require_data(s, out, c, "the result");
    const thread_elements& e = elements_of(s, me, c);
    const index_t place = (s.numbering.first(s.members.rank()) + me) * c.count * e.bytes;
    const std::byte* from = in == MPI_IN_PLACE ? as_bytes(out) + place : as_bytes(in);
    require_data(s, from, c, "the input");
    exchange_arrays(s, me, {from, as_bytes(out), nullptr, 0});
    if (s.is_rank_alone)
      allgather_in_rank(s, me, e, as_bytes(out), c.count);
    else
      allgather_over_ranks(s, me, e, as_bytes(out), c);
  });
}

}  // namespace nearfar::threads
