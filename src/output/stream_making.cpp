// SPDX-License-Identifier: BSD-3-Clause
// Making a stream: checks, groups of ranks, rings, files; every step of it fails on all ranks or on none.
#include <algorithm>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "broadcast.hpp"
#include "formats/format.hpp"
#include "parts.hpp"
#include "stream_checks.hpp"
#include "stream_state.hpp"
#include "turns.hpp"

namespace nearfar {

using namespace output;

output_state::output_state(const team& members, std::string path, std::vector<output_array> arrays,
                           output_options options, earlier_steps earlier)
    : members_(members),
      path_(std::move(path)),
      options_(std::move(options)),
      earlier_(std::move(earlier)),
      waited_s_(earlier_.waited_s),
      longest_wait_s_(earlier_.longest_wait_s),
      copied_s_(earlier_.copied_s) {
  if (earlier_.tuner) tuner_ = *earlier_.tuner;
  writers_per_node_ = earlier_.tuner ? tuner_.now().writers : std::max(1, options_.writers_per_node);
  wanted_writers_ = writers_per_node_;
  agree(members_, [&] { check_stream(path_, arrays, options_); });
  for (output_array& a : arrays) a.compression = compression_of(a, options_);
  require_alike(members_, path_, arrays, options_);
  if (options_.opening == output_opening::take_turns) take_turn();
  layout_.take(std::move(arrays));
  near::arena::of(members_).look_again(members_);
  group_.form(writers_per_node_);
  layout_.make_plan(group_.extent());
  group_.make_ring();
  open_store();
  group_.open_files();
  group_.start(first_taker());
  if (options_.is_pinned) pinning_.pin(layout_, group_.frames());
}

void output_state::take_turn() {
  turn next;
  agree(members_, [&] {
    if (members_.is_root()) next = next_turn(path_, options_.kept);
  });
  layout_.plan().turn = next.number;
  char control_message = members_.is_root() ? next.path.back() : ' ';
  broadcast(members_, layout_.plan().turn);
  broadcast(members_, control_message);
  path_ += text('-', control_message);
}

void output_state::open_store() {
  agree(members_, [&] {
    if (!members_.is_root()) return;
    const int layout = options_.opening == output_opening::append ? layout_of_stream(path_) : newest_layout;
    layout_.plan().files.layout = layout;
    layout_.plan().files = format_of(options_.format).lay_out(layout_.request());
    layout_.plan().files.layout = layout;
    store_ = store(path_, layout_.plan(), layout_.arrays(), options_);
  });
  const auto parts = parts_of_writers();
  agree(members_, [&] {
    if (members_.is_root()) note_parts(path_, layout_.plan(), layout_.arrays(), parts);
  });
  share_files();
  broadcast(members_, layout_.plan().first_step);
  broadcast(members_, layout_.plan().journal_from);
}

// On the root: the bricks of each writer. Leaders are in the order of their ranks, as writers are.
std::vector<std::vector<brick>> output_state::parts_of_writers() const {
  const std::vector<brick> mine = group_.is_leader() ? layout_.plan().layout.bricks : std::vector<brick>();
  const bool is_root = members_.is_root();
  struct heading {
    int bytes = 0, is_leader = 0;
  } own{checked_int(as_index(mine.size() * sizeof(brick)), "bytes of a writer's parts"), group_.is_leader() ? 1 : 0};
  std::vector<heading> of_ranks(is_root ? as_size(members_.size()) : 0);
  watched_mpi("MPI_Gather", [&] {
    return MPI_Gather(&own, sizeof own, MPI_BYTE, of_ranks.data(), sizeof own, MPI_BYTE, 0, members_.comm());
  });
  std::vector<int> bytes, places;
  index_t sum = 0;
  agree(members_, [&] {
    for (const heading& h : of_ranks) {
      bytes.push_back(h.bytes), places.push_back(checked_int(sum, "bytes of all writers' parts"));
      sum += h.bytes;
    }
  });
  std::vector<brick> all(as_size(sum) / sizeof(brick));
  watched_mpi("MPI_Gatherv", [&] {
    return MPI_Gatherv(mine.data(), own.bytes, MPI_BYTE, all.data(), bytes.data(), places.data(), MPI_BYTE, 0,
                       members_.comm());
  });
  std::vector<std::vector<brick>> writers;
  auto next = all.begin();
  for (const heading& h : of_ranks) {
    if (h.is_leader == 0) continue;
    const auto count = h.bytes / as_index(sizeof(brick));
    writers.emplace_back(next, next + count);
    next += count;
  }
  return writers;
}

// What stands in the files of all steps is there by now and concerns nobody any more.
void output_state::share_files() {
  std::vector<std::byte> bytes;
  if (members_.is_root()) {
    for (stream_file& f : layout_.plan().files.files)
      if (!f.is_per_step) f.pieces.clear();
    byte_writer to;
    layout_.plan().files.put(to);
    bytes = to.take();
  }
  broadcast_list(members_, bytes, "bytes of a description of an output stream's files");
  byte_reader from(bytes);
  layout_.plan().files = file_plan::get(from);
}

taker output_state::first_taker() {
  // All ranks count the same steps of the same candidates, also where a node has no writer and its thread stands in for
  // it.
  const bool has_no_writer = group_.has_no_writer_anywhere();
  if (options_.policy == output_policy::automatic && !earlier_.tuner) {
    std::vector<taker> candidates{taker::caller, taker::thread};
    if (!has_no_writer && !format_of(options_.format).has_one_writer()) candidates.push_back(taker::process);
    tuner_ = policy_tuner(std::move(candidates), numbers_of_writers(), options_.depth);
  }
  if (options_.policy == output_policy::thread) return taker::thread;
  if (options_.policy == output_policy::writer) return taker::process;
  return options_.policy == output_policy::automatic ? tuner_.now().who : taker::caller;
}

}  // namespace nearfar
