// SPDX-License-Identifier: BSD-3-Clause
// Scratch buffers like the caller's, the race, and the wisdom of earlier runs.
#include "races.hpp"

#include <base/internals.hpp>
#include <base/text.hpp>
#include <collective/engine.hpp>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/race_clock.hpp>

#include "normal.hpp"
#include "plain_call.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t most_scratch_bytes = index_t{1} << 28;
constexpr index_t copied_anyway =
    512;  // bytes: nobody reads so little in place, and to time such calls one by one would take longer than they

struct extents {
  index_t in, out;
};

index_t sum_of(std::span<const index_t> lengths) { return std::accumulate(lengths.begin(), lengths.end(), index_t{0}); }

// What the algorithms of a kind read and write on this rank.
extents extents_of(const job& j, int ranks) {
  if (!has_equal_blocks(j.what) && !j.op.is_valid())
    return {sum_of(j.blocks.send_bytes), sum_of(j.blocks.receive_bytes)};
  switch (j.what) {
    case kind::gather:
    case kind::allgather:
      return {j.bytes, j.bytes * ranks};
    case kind::scatter:
      return {j.bytes * ranks, j.bytes};
    case kind::alltoall:
      return {j.bytes * ranks, j.bytes * ranks};
    default:
      return {j.bytes, j.bytes};
  }
}

// The caller's block lengths, with the blocks one behind the other.
struct block_row {
  std::vector<index_t> offsets;
  std::vector<int> counts, displs;
  std::vector<MPI_Datatype> types;

  void lay_out(std::span<const index_t> lengths) {
    offsets.resize(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), index_t{0});
    counts.assign(lengths.begin(), lengths.end());
    displs.assign(offsets.begin(), offsets.end());
    types.assign(lengths.size(), MPI_BYTE);
  }
  void describe(side& s) const {
    s.type = MPI_BYTE;
    s.count = counts.empty() ? 0 : counts[0];  // of a side with one block
    s.counts = number_list(counts.data());
    s.displs = number_list(displs.data());
    s.types = types.data();
  }
};

// Memory for one side of a call.
class scratch {
 public:
  scratch(node_segment& h, index_t bytes, bool is_near) : bytes_(bytes) {
    if (is_near && bytes > 0)
      block_ = h.memory().allocate(bytes);
    else
      own_.resize(as_size(bytes));
  }
  std::byte* data() { return block_ ? block_.data() : own_.data(); }
  index_t size() const { return bytes_; }

 private:
  index_t bytes_;
  near::block block_;
  std::vector<std::byte> own_;
};

// A copy of the caller's input: operations may be the user's own and mind what they are given.
class rehearsal {
 public:
  rehearsal(const call& c, const job& like, node_segment& h, int rank, const extents& size, bool is_near)
      : job_(like), call_(c), in_(h, size.in, is_near), out_(h, size.out, is_near) {
    has_input_ = like.in != nullptr && !(like.what == kind::scatter && rank != like.root) &&
                 !(like.what == kind::bcast && rank != like.root);
    if (has_input_) copy_input(like);
    job_.in = in_.data();
    job_.out = out_.data();
    if (like.what == kind::bcast) job_.in = job_.out;
    make_call(like);
  }

  const job& as_job() const { return job_; }
  const call& as_call() const { return call_; }

  // The caller writes its data before each call: peers' caches must not still hold it.
  void write_anew() {
    if (!has_input_) return;
    scratch& written = job_.in == job_.out ? out_ : in_;
    volatile std::byte* const at = written.data();
    for (index_t i = 0; i < written.size(); i += 64) at[i] = at[i];
  }

 private:
  void make_call(const job& like) {
    call_.send.data = in_.data();
    call_.receive.data = out_.data();
    if (like.op.is_valid()) return;
    if (has_equal_blocks(like.what)) {
      call_.send.type = call_.receive.type = MPI_BYTE;
      call_.send.count = call_.receive.count = like.bytes;
      return;
    }
    sent_.lay_out(like.blocks.send_bytes);
    received_.lay_out(like.blocks.receive_bytes);
    sent_.describe(call_.send);
    received_.describe(call_.receive);
    job_.blocks.send_offsets = sent_.offsets;
    job_.blocks.receive_offsets = received_.offsets;
  }

  // Scattered blocks of the caller may lie anywhere.
  void copy_input(const job& like) {
    const auto& offsets = like.blocks.send_offsets;
    if (has_equal_blocks(like.what) || like.op.is_valid() || offsets.empty()) {
      if (in_.size() > 0) std::memcpy(in_.data(), like.in, as_size(in_.size()));
      return;
    }
    std::byte* to = in_.data();
    for (std::size_t r = 0; r < offsets.size(); to += like.blocks.send_bytes[r++])
      if (like.blocks.send_bytes[r] > 0) std::memcpy(to, like.in + offsets[r], as_size(like.blocks.send_bytes[r]));
  }

  job job_;
  call call_;
  bool has_input_ = false;
  scratch in_, out_;
  block_row sent_, received_;
};

std::string wisdom_key(const team& members, const call& c, const job& j) {
  const bool is_short = state_of(members).is_short_of_cores;
  return text("collective/", name_of(c.what), "/", !j.op.is_valid() || j.op.has_kernel() ? "plain" : "generic",
              "/class ", class_of(j.bytes), "/nodes ", members.nodes(), is_short ? "/short of cores" : "");
}

// Near memory may be used up.
template <class Step>
bool succeeds(Step step) {
  try {
    step();
  } catch (const resource_error&) {
    return false;
  }
  return true;
}

}  // namespace

std::optional<tune::wisdom_entry> recall(workspace& work, const call& c, const job& like) {
  if (!work.has_wisdom) return {};
  const auto is_had = [&](const std::string& name) {
    return name == native_name || find_algorithm(c.what, name) != nullptr;
  };
  return tune::remembered(work.members, wisdom_key(work.members, c, like), is_had);
}

void keep(workspace& work, const call& c, const job& like, const tune::wisdom_entry& found) {
  if (work.has_wisdom) tune::remember(work.members, wisdom_key(work.members, c, like), found);
}

std::optional<race_result> race_algorithms(workspace& work, const std::vector<const algorithm*>& candidates,
                                           bool with_native, const call& c, const job& like, const race_options& how) {
  const team& members = work.members;
  const double begin = tune::race_clock();
  const extents size = extents_of(like, members.size());
  if (!everywhere(state_of(members), size.in + size.out <= most_scratch_bytes)) return {};
  std::optional<rehearsal> made;
  const auto make = [&] { made.emplace(c, like, *work.near, members.rank(), size, how.on_near_memory); };
  if (!everywhere(state_of(members), succeeds(make))) return {};
  rehearsal& act = *made;
  std::vector<tune::candidate> runners;
  std::function<void()> prepare;
  if (size.in > copied_anyway) prepare = [&act] { act.write_anew(); };
  const auto run_native = [&] { check_mpi(call_plainly(act.as_call(), members, true), "the MPI's own collective"); };
  if (with_native) runners.push_back({native_name, run_native, true, prepare});
  // Calls with lists of counts are understood anew each time, others only when they change.
  job understood;
  job_memory memory;
  const auto run = [&](const algorithm& a) {
    const bool is_like_before =
        has_equal_blocks(c.what) || !make_job(act.as_call(), members.rank(), members.size(), understood, memory);
    if (!is_like_before) prepare_job(memory);
    work.is_declined = false;
    a.run(work, is_like_before ? act.as_job() : understood);
    if (work.is_declined) run_native();  // as in the program's calls: near memory may have become unusable
  };
  for (const algorithm* a : candidates)
    runners.push_back({a->name, [&run, a] { run(*a); }, false, prepare, how.overhead_s});
  race_result held{
      tune::race(members, runners, {.budget_s = how.budget_s, .hysteresis = needed_gain, .least_rounds = least_rounds}),
      tune::race_clock() - begin};
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, &held.cost_s, 1, MPI_DOUBLE, MPI_MAX, members.comm()); });
  return held;
}

}  // namespace nearfar::collective
