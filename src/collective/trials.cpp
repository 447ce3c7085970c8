// SPDX-License-Identifier: BSD-3-Clause
// Scratch buffers like the caller's, the race, and the wisdom of earlier runs.
#include "trials.hpp"

#include <base/text.hpp>
#include <collective/engine.hpp>
#include <cstring>
#include <numeric>
#include <span>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/tuner.hpp>
#include <tune/wisdom.hpp>

#include "plain_call.hpp"

namespace nearfar::collective {

namespace {

constexpr index most_scratch_bytes = index{1} << 28;
constexpr double needed_gain = 0.04;

struct extents {
  index in, out;
};

index sum_of(std::span<const index> lengths) { return std::accumulate(lengths.begin(), lengths.end(), index{0}); }

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
  std::vector<index> offsets;
  std::vector<int> counts, places;
  std::vector<MPI_Datatype> types;

  void lay_out(std::span<const index> lengths) {
    offsets.resize(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), index{0});
    counts.assign(lengths.begin(), lengths.end());
    places.assign(offsets.begin(), offsets.end());
    types.assign(lengths.size(), MPI_BYTE);
  }
  void describe(side& s) const {
    s.type = MPI_BYTE;
    s.count = counts.empty() ? 0 : counts[0];  // of a side with one block
    s.counts = number_list(counts.data());
    s.places = number_list(places.data());
    s.types = types.data();
  }
};

// A copy of the caller's input: operations may be the user's own and mind what they are given.
class rehearsal {
 public:
  rehearsal(const call& c, const job& like, int rank, int ranks) : job_(like), call_(c) {
    const extents size = extents_of(like, ranks);
    in_.resize(as_size(size.in));
    out_.resize(as_size(size.out));
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
    auto& written = job_.in == job_.out ? out_ : in_;
    for (std::size_t i = 0; i < written.size(); i += 64) const_cast<volatile std::byte&>(written[i]) = written[i];
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
      std::memcpy(in_.data(), like.in, in_.size());
      return;
    }
    std::byte* to = in_.data();
    for (std::size_t r = 0; r < offsets.size(); to += like.blocks.send_bytes[r++])
      if (like.blocks.send_bytes[r] > 0) std::memcpy(to, like.in + offsets[r], as_size(like.blocks.send_bytes[r]));
  }

  job job_;
  call call_;
  bool has_input_ = false;
  std::vector<std::byte> in_, out_;
  block_row sent_, received_;
};

std::string wisdom_key(const team& members, const call& c, const job& j) {
  const bool is_short = members.state().is_short_of_cores;
  return text("collective/", name_of(c.what), "/", !j.op.is_valid() || j.op.has_kernel() ? "plain" : "generic",
              "/class ", class_of(j.bytes), "/nodes ", members.nodes(), is_short ? "/short of cores" : "");
}

}  // namespace

std::optional<verdict> recall(rooms& room, const call& c, const job& like) {
  if (!room.has_wisdom) return {};
  const auto known = tune::find_wisdom(room.members, wisdom_key(room.members, c, like));
  if (!known) return {};
  const algorithm* found = find_algorithm(c.what, known->method);
  if (found == nullptr && known->method != "mpi") return {};
  return verdict{found, known->seconds, 0};
}

std::optional<verdict> race_algorithms(rooms& room, const std::vector<const algorithm*>& candidates, const call& c,
                                       const job& like, double budget_s) {
  const team& members = room.members;
  const extents size = extents_of(like, members.size());
  if (!everywhere(members.state(), size.in + size.out <= most_scratch_bytes)) return {};
  rehearsal act(c, like, members.rank(), members.size());
  std::vector<tune::candidate> runners;
  const auto prepare = [&act] { act.write_anew(); };
  runners.push_back({"mpi",
                     [&] { check_mpi(call_plainly(act.as_call(), members.comm(), true), "the MPI's own collective"); },
                     true, prepare});
  for (const algorithm* a : candidates)
    runners.push_back({a->name, [&room, &act, a] { a->run(room, act.as_job()); }, false, prepare});
  const tune::decision d = tune::race(members, runners, {budget_s, needed_gain});
  verdict v{nullptr, d.seconds, d.tried.front().median_s};
  for (const algorithm* a : candidates)
    if (a->name == d.chosen) v.chosen = a;
  tune::keep_wisdom(members, wisdom_key(members, c, like), {d.chosen, d.seconds});
  return v;
}

}  // namespace nearfar::collective
