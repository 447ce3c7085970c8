// SPDX-License-Identifier: BSD-3-Clause
// Scratch buffers like the caller's, the race, and the wisdom of earlier runs.
#include "trials.hpp"

#include <base/text.hpp>
#include <collective/engine.hpp>
#include <cstring>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/tuner.hpp>
#include <tune/wisdom.hpp>

namespace nearfar::collective {

namespace {

constexpr index most_scratch_bytes = index{1} << 28;
constexpr double needed_gain = 0.04;

struct extents {
  index in, out;
};

// What the algorithms of a kind read and write on this rank.
extents extents_of(const job& j, int ranks) {
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

// A copy of the caller's input: operations may be the user's own and mind what they are given.
class rehearsal {
 public:
  rehearsal(const call& c, const job& like, int rank, int ranks) : job_(like), call_(c) {
    const extents size = extents_of(like, ranks);
    in_.resize(as_size(size.in));
    out_.resize(as_size(size.out));
    const bool has_input = like.in != nullptr && !(like.what == kind::scatter && rank != like.root) &&
                           !(like.what == kind::bcast && rank != like.root);
    if (has_input) std::memcpy(in_.data(), like.in, in_.size());
    job_.in = in_.data();
    job_.out = out_.data();
    if (like.what == kind::bcast) job_.in = job_.out;
    make_call(like, ranks);
  }

  const job& as_job() const { return job_; }
  const call& as_call() const { return call_; }

  // The caller writes its data before each call: peers' caches must not still hold it.
  void write_anew() {
    for (std::size_t i = 0; i < in_.size(); i += 64) const_cast<volatile std::byte&>(in_[i]) = in_[i];
  }

 private:
  void make_call(const job& like, int ranks) {
    call_.send.data = in_.data();
    call_.receive.data = out_.data();
    if (like.op.is_valid()) return;
    call_.send.type = call_.receive.type = MPI_BYTE;
    call_.send.count = call_.receive.count = like.bytes;
    static_cast<void>(ranks);
  }

  job job_;
  call call_;
  std::vector<std::byte> in_, out_;
};

std::string wisdom_key(const team& members, const call& c, const job& j) {
  const bool is_short = members.state().is_short_of_cores;
  return text("collective/", name_of(c.what), "/", c.op == MPI_OP_NULL || j.op.has_kernel() ? "plain" : "generic",
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
  if (!everywhere(members.state(), has_equal_blocks(c.what) && size.in + size.out <= most_scratch_bytes)) return {};
  rehearsal act(c, like, members.rank(), members.size());
  std::vector<tune::candidate> runners;
  const auto prepare = [&act] { act.write_anew(); };
  runners.push_back(
      {"mpi", [&] { check_mpi(call_mpi(act.as_call(), members.comm()), "the MPI's own collective"); }, true, prepare});
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
