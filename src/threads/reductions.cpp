// SPDX-License-Identifier: BSD-3-Clause
// Reductions over all threads: small ones in cache lines, others by shares of the array.
#include <near/past_caches.hpp>
#include <topology/team_state.hpp>

#include "thread_team_state.hpp"

namespace nearfar::threads {
namespace {

constexpr index_t block_bytes = 4096;  // stays in the first-level cache between being summed and being copied
constexpr index_t taken_up_to_bytes =
    1 << 20;  // arrays that fit the second-level cache, so that others read them from there

/// What one thread knows of the reduction in hand.
struct reduction_job {
  const thread_call* call;
  const thread_elements* elements;
  const std::byte* in;
  std::byte* out;  ///< null: this thread wants no result
  index_t count;   ///< elements in `in`
  share wanted;    ///< which elements of the result go to `out`
};

bool is_root(const thread_team_state& s, int me, const thread_call& c) {
  return s.members.rank() == c.root_rank && me == c.root_thread;
}

/// The rank's own sum becomes that of all ranks, where it is wanted.
void combine_ranks(thread_team_state& s, const thread_call& c, const rank_data& d) {
  if (s.is_rank_alone) return;
  if (c.what == thread_kind::reduce)
    s.ranks.reduce(d, c.op, c.root_rank);
  else if (c.what == thread_kind::reduce_scatter_block)
    s.ranks.reduce_scatter(d, c.op, s.numbering, c.count);
  else
    s.ranks.allreduce(d, c.op);
}

// ---- Small: the elements travel in the cache line that says that they are there ----

void reduce_small_by_all(thread_team_state& s, int me, const reduction_job& j) {
  alignas(near::cache_line_bytes) std::byte of_thread[thread_group::most_flat][thread_group::post_bytes];
  const std::byte* inputs[thread_group::most_flat];
  for (int t = 0; t < s.threads; ++t) {
    inputs[t] = t == me ? j.in : of_thread[t];
    if (t != me) s.group.collect(me, t, of_thread[t], j.count * j.elements->bytes);
  }
  if (j.out != nullptr) j.elements->op.combine_all(j.out, inputs, s.threads, j.count);
}

void reduce_small_at_first(thread_team_state& s, const reduction_job& j) {
  const index_t bytes = j.count * j.elements->bytes;
  alignas(near::cache_line_bytes) std::byte sum[thread_group::post_bytes], next[thread_group::post_bytes];
  copy_elements(*j.elements, sum, j.in, j.count);
  for (int t = 1; t < s.threads; ++t) {
    s.group.collect(0, t, next, bytes);
    j.elements->op.combine(sum, sum, next, j.count);
  }
  combine_ranks(s, *j.call, {sum, j.count, j.call->type, j.elements->bytes});
  s.group.announce(sum, bytes);
  if (j.out != nullptr) copy_elements(*j.elements, j.out, sum, j.count);
}

void reduce_small(thread_team_state& s, int me, const reduction_job& j) {
  const index_t bytes = j.count * j.elements->bytes;
  s.group.post(me, j.in, bytes);
  if (s.is_rank_alone && s.group.is_flat()) return reduce_small_by_all(s, me, j);
  if (me == 0) return reduce_small_at_first(s, j);
  alignas(near::cache_line_bytes) std::byte unwanted[thread_group::post_bytes];
  s.group.hear(me, j.out != nullptr ? j.out : unwanted, bytes);
}

bool is_small(const reduction_job& j) {
  return j.elements->is_dense && !j.elements->is_serial && j.count * j.elements->bytes <= thread_group::post_bytes;
}

// ---- Larger: each thread sums its share of all arrays and writes it to all results ----

share share_of_mine(const thread_team_state& s, int me, const reduction_job& j, index_t count) {
  if (j.elements->is_serial) return me == 0 ? share{0, count} : share{};
  return share_of(count, j.elements->bytes, me, s.threads);
}

/// Asks for what the next block needs of other threads' memory: their caches are far, and many lines can be on their
/// way at once.
void fetch_block(const thread_team_state& s, int me, const reduction_job& j, index_t at, index_t count) {
  constexpr auto line = static_cast<index_t>(near::cache_line_bytes);
  const index_t first = at * j.elements->bytes, last = (at + count) * j.elements->bytes;
  for (int t = 0; t < s.threads; ++t)
    if (t != me)
      for (index_t b = first; b < last; b += line)
        __builtin_prefetch(s.slots[as_size(me)].arrays[as_size(t)].in + b, 0, 2);
}

/// To memory that other threads read next, and have read before.
void copy_to_others(const thread_elements& e, std::byte* to, const std::byte* from, index_t count) {
  if (e.is_dense)
    near::copy_past_caches(to, from, count * e.bytes);
  else
    copy_elements(e, to, from, count);
}

/// Sums the share of all threads' inputs block by block into `own`, and copies each block to the outputs that others
/// read. `own` may be null.
void reduce_share(thread_team_state& s, int me, const reduction_job& j, const share& mine, std::byte* own) {
  auto& d = s.slots[as_size(me)];
  const thread_elements& e = *j.elements;
  if (own == nullptr && d.outputs.empty()) return;
  alignas(near::cache_line_bytes) std::byte block[block_bytes];
  // What has gaps, or does not fit a block, is summed where it is wanted.
  const bool has_block = own == nullptr && e.is_dense && e.bytes <= block_bytes;
  if (own == nullptr && !has_block) own = d.outputs.front();
  const index_t step = std::max<index_t>(block_bytes / std::max<index_t>(e.bytes, 1), 1);
  for (index_t at = mine.first; at < mine.last; at += step) {
    const index_t count = std::min(step, mine.last - at), next = at + count;
    fetch_block(s, me, j, next, std::min(step, mine.last - next));
    for (int t = 0; t < s.threads; ++t) d.inputs[as_size(t)] = d.arrays[as_size(t)].in + at * e.bytes;
    std::byte* sum = has_block ? block : own + at * e.bytes;
    e.op.combine_all(sum, d.inputs.data(), s.threads, count);
    for (std::byte* out : d.outputs)
      if (out != own) copy_to_others(e, out + at * e.bytes, sum, count);
  }
  near::finish_past_caches();
}

/// The results of the other threads that want one.
void list_outputs_of_others(thread_team_state& s, int me) {
  auto& d = s.slots[as_size(me)];
  d.outputs.clear();
  for (int i = 1; i < s.threads; ++i) {
    std::byte* out = d.arrays[as_size((me + i) % s.threads)].out;
    if (out != nullptr) d.outputs.push_back(out);
  }
}

/// Every thread has a result of its own. It makes its share there and takes the other shares from where they were made.
void reduce_and_take(thread_team_state& s, int me, const reduction_job& j) {
  auto& d = s.slots[as_size(me)];
  std::byte* out = d.arrays[as_size(me)].out;
  d.outputs.clear();
  reduce_share(s, me, j, share_of_mine(s, me, j, j.count), out);
  s.group.meet(me);
  for (int i = 1; i < s.threads; ++i) {
    const int maker = (me + i) % s.threads;
    const share made = share_of_mine(s, maker, j, j.count);
    const index_t offset = made.first * j.elements->bytes;
    copy_elements(*j.elements, out + offset, d.arrays[as_size(maker)].out + offset, made.count());
  }
  s.group.meet(me);
}

/// Can each thread sum all arrays for itself? Not where the results take the place of the inputs.
bool can_sum_alone(const thread_team_state& s, int me, const reduction_job& j) {
  const auto& arrays = s.slots[as_size(me)].arrays;
  return s.group.is_flat() && !j.elements->is_serial && j.count * j.elements->bytes <= taken_up_to_bytes &&
         std::none_of(arrays.begin(), arrays.end(), [](const thread_arrays& a) { return a.in == a.out; });
}

/// In a team of one rank: straight into all results, without an array between. Method 0 shares the work; with method 1
/// each thread does all of it, which is quicker where inputs stay in the caches of all.
void reduce_to_all(thread_team_state& s, int me, const reduction_job& j, int method) {
  list_outputs_of_others(s, me);
  auto& d = s.slots[as_size(me)];
  std::byte* own = d.arrays[as_size(me)].out;
  const bool wants_each_its_own = own != nullptr && d.outputs.size() + 1 == as_size(s.threads);
  if (wants_each_its_own && !s.group.is_flat() && j.count * j.elements->bytes <= taken_up_to_bytes)
    return reduce_and_take(s, me, j);
  const bool is_alone = method == 1 && wants_each_its_own && can_sum_alone(s, me, j);
  if (is_alone) d.outputs.clear();
  reduce_share(s, me, j, is_alone ? share{0, j.count} : share_of_mine(s, me, j, j.count), own);
  s.group.meet(me);
}

/// In a team of one rank: into one array that all read, with method 0 past the caches. Method 1 is quicker where they
/// do not read it.
void reduce_to_shared(thread_team_state& s, int me, const reduction_job& j, int method) {
  auto& d = s.slots[as_size(me)];
  std::byte* shared = d.arrays[0].target;
  d.outputs.assign(method == 0 ? 1 : 0, shared);
  reduce_share(s, me, j, share_of_mine(s, me, j, j.count), method == 0 ? nullptr : shared);
  s.group.meet(me);
}

/// With more ranks: into one array of the rank, which thread 0 reduces with those of the other ranks, and from there
/// into the others' results.
void reduce_by_target(thread_team_state& s, int me, const reduction_job& j) {
  auto& d = s.slots[as_size(me)];
  std::byte* target = d.arrays[0].target;
  d.outputs.clear();
  reduce_share(s, me, j, share_of_mine(s, me, j, j.count), target);
  s.group.meet_around(me, [&] { combine_ranks(s, *j.call, {target, j.count, j.call->type, j.elements->bytes}); });
  if (j.out != nullptr)
    copy_elements(*j.elements, j.out, target + j.wanted.first * j.elements->bytes, j.wanted.count());
  s.group.meet(me);  // the target may be thread 0's own array
}

/// In a team of one rank: my elements straight into my result.
void reduce_block(thread_team_state& s, int me, const reduction_job& j) {
  auto& d = s.slots[as_size(me)];
  for (int t = 0; t < s.threads; ++t)
    d.inputs[as_size(t)] = d.arrays[as_size(t)].in + j.wanted.first * j.elements->bytes;
  if (j.out != nullptr) j.elements->op.combine_all(j.out, d.inputs.data(), s.threads, j.wanted.count());
  s.group.meet(me);
}

void reduce_large(thread_team_state& s, int me, const reduction_job& j) {
  const bool is_in_result = j.out != nullptr && !s.ranks.likes_near_memory();
  const auto target = [&] { return is_in_result ? j.out : s.spare(j.count * j.elements->bytes); };
  timed_method method(s.tuners_for_results, me, j.count * j.elements->bytes);
  exchange_arrays(s, me, {j.in, j.out, me == 0 && !s.is_rank_alone ? target() : nullptr, method.wish()});
  if (s.is_rank_alone)
    method.run([&] { reduce_to_all(s, me, j, s.slots[as_size(me)].arrays[0].method); });
  else
    reduce_by_target(s, me, j);
}

void run_reduction(thread_team_state& s, int me, const reduction_job& j) {
  if (is_small(j))
    reduce_small(s, me, j);
  else
    reduce_large(s, me, j);
}

reduction_job job_of(thread_team_state& s, int me, const void* in, void* out, const thread_call& c) {
  if (c.count < 0) throw usage_error(text(s.name, ": a count is ", c.count, "; counts must not be negative"));
  const auto* from = in == MPI_IN_PLACE ? as_bytes(out) : as_bytes(in);
  if (from == nullptr && c.count > 0) throw usage_error(text(s.name, ": the input is NULL"));
  return {&c, &elements_of(s, me, c), from, as_bytes(out), c.count, {0, c.count}};
}

}  // namespace

void allreduce(thread_team_state& s, int me, const void* in, void* out, const thread_call& c) {
  run_call(s, me, c, [&] { run_reduction(s, me, job_of(s, me, in, out, c)); });
}

void reduce(thread_team_state& s, int me, const void* in, void* out, const thread_call& c) {
  run_call(s, me, c, [&] {
    require_root(s, c);
    if (is_root(s, me, c) && out == nullptr && c.count > 0)
      throw usage_error(text(s.name, ": the root's result is NULL"));
    const bool is_in_place = in == MPI_IN_PLACE;
    if (is_in_place && !is_root(s, me, c)) throw usage_error(text(s.name, ": MPI_IN_PLACE is for the root only"));
    run_reduction(s, me, job_of(s, me, is_in_place ? out : in, is_root(s, me, c) ? out : nullptr, c));
  });
}

const void* allreduce_view(thread_team_state& s, int me, const void* in, const thread_call& c) {
  const std::byte* result = nullptr;
  run_call(s, me, c, [&] {
    reduction_job j = job_of(s, me, in, nullptr, c);
    auto& d = s.slots[as_size(me)];
    if (is_small(j)) {
      j.out = d.small_result.data();
      reduce_small(s, me, j);
      result = j.out;
      return;
    }
    std::byte* shared = me == 0 ? s.spare(j.count * j.elements->bytes) : nullptr;
    timed_method method(s.tuners_for_views, me, j.count * j.elements->bytes);
    exchange_arrays(s, me, {j.in, nullptr, shared, method.wish()});
    result = d.arrays[0].target;
    if (s.is_rank_alone)
      method.run([&] { reduce_to_shared(s, me, j, d.arrays[0].method); });
    else
      reduce_by_target(s, me, j);
  });
  return result;
}

void reduce_scatter_block(thread_team_state& s, int me, const void* in, void* out, const thread_call& c) {
  run_call(s, me, c, [&] {
    if (in == MPI_IN_PLACE) throw usage_error(text(s.name, ": reduce_scatter_block cannot be in place"));
    reduction_job j = job_of(s, me, in, out, c);
    const index_t first = (s.numbering.first(s.members.rank()) + me) * c.count;
    j.count = c.count * s.numbering.all();
    j.wanted = {first, first + c.count};
    const bool is_by_target = !s.is_rank_alone || j.elements->is_serial;
    const bool makes_target = is_by_target && me == 0;
    exchange_arrays(s, me, {j.in, j.out, makes_target ? s.spare(j.count * j.elements->bytes) : nullptr, 0});
    if (is_by_target)
      reduce_by_target(s, me, j);
    else
      reduce_block(s, me, j);
  });
}

}  // namespace nearfar::threads
