// SPDX-License-Identifier: BSD-3-Clause
// Splitting a team into computing and writer ranks, and the writer's loop.
#include "output_writers.hpp"

#include <unistd.h>

#include <algorithm>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <chrono>
#include <list>
#include <nearfar/error.hpp>
#include <thread>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "receiver.hpp"
#include "step_writer.hpp"

namespace nearfar::output {

index_t control_queue::bytes() noexcept { return sizeof(contents); }

control_queue::place control_queue::post(const control_message& l) const {
  for (int i = 0; i < places; ++i) {
    slot& s = all().slots[i];
    std::uint64_t word = s.word.load();
    if ((word & state_bits) != free || !s.word.compare_exchange_strong(word, word | busy)) continue;
    s.text = l;
    s.word.store(word | posted, std::memory_order_release);  // pairs with take()
    all().for_writer.ring();
    return {i, word | posted};
  }
  throw resource_error(text("the writer rank of this node has ", places, " rings waiting for it; does it serve()?"));
}

bool control_queue::withdraw(const place& t) const noexcept {
  if (base_ == nullptr || t.place < 0) return false;
  std::uint64_t word = t.turn;
  return all().slots[t.place].word.compare_exchange_strong(word, (word & ~state_bits) + next_turn);
}

std::optional<control_queue::control_message> control_queue::take() const {
  for (slot& s : all().slots) {
    std::uint64_t word = s.word.load(std::memory_order_acquire);
    const std::uint64_t turn = word & ~state_bits;
    if ((word & state_bits) != posted || !s.word.compare_exchange_strong(word, turn | busy)) continue;
    const control_message l = s.text;
    s.word.store(turn + next_turn, std::memory_order_release);
    return l;
  }
  return {};
}

bool control_queue::has_messages() const noexcept {
  for (const slot& s : all().slots)
    if ((s.word.load() & state_bits) == posted) return true;
  return false;
}

void control_queue::leave() const noexcept {
  all().left.fetch_add(1);
  all().for_writer.ring();
}

int control_queue::left() const noexcept { return all().left.load(); }

doorbell& control_queue::writer_doorbell() const noexcept { return all().for_writer; }

namespace {

constexpr double nap_s = 0.25;

/// One ring that the writer serves, in a thread of its own.
class service {
 public:
  service(near::arena& memory, const control_queue::control_message& l)
      : ring_memory_(memory.attach(l.ring)), ring_(ring_memory_.at(l.ring), l.members, l.depth, l.frame_bytes) {
    ring_.head().serving_process = getpid();
    try {
      const near::mapping plan = memory.attach(l.plan);
      const std::byte* from = plan.at(l.plan);
      step_writer_.emplace(writer_plan::from_bytes({from, from + l.plan_bytes}), ring_);
    } catch (const std::exception& e) {
      ring_.fail(0, e.what());
    }
    thread_ = quiet_thread([](void* self) { static_cast<service*>(self)->run(); }, this);
  }
  ~service() { thread_.join(); }
  bool has_ended() const noexcept { return has_ended_; }

 private:
  void run() {
    ring_.touch();
    if (step_writer_) step_writer_->serve(taker::process);
    step_writer_.reset();
    ring_.head().has_ended = 1;  // from now on its memory may hold something else
    ring_.head().for_members.wake();
    has_ended_ = true;
  }
  near::mapping ring_memory_;
  ring ring_;
  std::optional<step_writer> step_writer_;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

void take_on(std::list<service>& services, near::arena& memory, const control_queue::control_message& l) {
  try {
    services.emplace_back(memory, l);
  } catch (const error& e) {
    log::warning("output: a ring cannot be served: ", e.what());
  }
}

bool are_all_gone(const std::vector<int>& processes) {
  for (const int p : processes)
    if (is_alive(p)) return false;
  return true;
}

}  // namespace

}  // namespace nearfar::output

namespace nearfar {

namespace {

team part_of(const team& all, bool is_writer) {
  MPI_Comm part = MPI_COMM_NULL;
  watched_mpi("MPI_Comm_split", [&] { return MPI_Comm_split(all.comm(), is_writer ? 1 : 0, all.rank(), &part); });
  team t(part);
  MPI_Comm_free(&part);
  return t;
}

}  // namespace

output_writers_state::~output_writers_state() {
  if (!computing) return;
  if (queue) queue.leave();
  if (!wires || !is_mpi_usable()) return;
  for (const int writer : far_writers) MPI_Send(nullptr, 0, MPI_BYTE, writer, output::leave_tag, wires->comm());
}

namespace {

void check_options(const team& all, const output_writers_options& o) {
  require_same(all, "options of an output_writers",
               std::vector<index_t>{static_cast<index_t>(o.placement), o.ranks_to_spare, o.far_writers});
  if (o.ranks_to_spare < 2)
    throw usage_error(text("an output_writers takes writers from nodes with at least ", o.ranks_to_spare,
                           " ranks; 2 is the least, since someone has to compute"));
  if (o.placement == output_placement::far && (o.far_writers < 1 || o.far_writers >= all.size()))
    throw usage_error(text("an output_writers of ", all.size(), " ranks has ", o.far_writers, " far writers; 1 to ",
                           all.size() - 1, " are possible"));
}

// The writer shows its control queue to the ranks of its node.
void publish_queue(output_writers_state& s, bool is_writer) {
  s.queue_memory.make(s.all, [&] { return is_writer ? output::control_queue::bytes() : 0; });
  const team_state& t = state_of(s.all);
  for (int r = 0; r < t.near_size; ++r) {
    const int process = t.near_processes[as_size(r)];
    if (std::byte* const theirs = s.queue_memory.of(r)) {
      s.queue = output::control_queue(theirs);
      if (!is_writer) s.writer_process = process;
    } else if (is_writer) {
      s.processes.push_back(process);
    }
  }
}

}  // namespace

output_writers::output_writers(const team& all, int ranks_to_spare)
    : output_writers(all, output_writers_options{.ranks_to_spare = ranks_to_spare}) {}

output_writers::output_writers(const team& all, const output_writers_options& options)
    : state_(std::make_shared<output_writers_state>(all)) {
  check_options(all, options);
  output_writers_state& s = *state_;
  const bool is_shared = near::arena::of(all).is_shared();  // made by all
  const bool is_far = options.placement == output_placement::far;
  const bool is_last = all.near_size() >= options.ranks_to_spare && all.near_rank() == all.near_size() - 1;
  const bool is_writer = is_far ? all.rank() >= all.size() - options.far_writers : is_shared && is_last;
  if (is_far) {
    s.wires.emplace(all.comm());
    for (int w = all.size() - options.far_writers; w < all.size(); ++w) s.far_writers.push_back(w);
  } else {
    publish_queue(s, is_writer);
  }
  const int mine_counts = is_writer ? 1 : 0;
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(&mine_counts, &s.writers, 1, MPI_INT, MPI_SUM, all.comm()); });
  team part = part_of(all, is_writer);
  if (!is_writer) s.computing = part;
}

output_writers::~output_writers() = default;
output_writers::output_writers(output_writers&&) noexcept = default;
output_writers& output_writers::operator=(output_writers&&) noexcept = default;

bool output_writers::is_writer() const noexcept { return !state_->computing; }
int output_writers::count() const noexcept { return state_->writers; }

const team& output_writers::computing() const {
  if (is_writer())
    throw usage_error(text("rank ", state_->all.rank(), " is a writer and computes nothing; it calls serve()"));
  return *state_->computing;
}

void output_writers::serve() {
  output_writers_state& s = *state_;
  if (!is_writer()) throw usage_error(text("rank ", s.all.rank(), " computes; only writers call serve()"));
  if (s.wires)
    s.serve_far();
  else
    s.serve_near();
}

void output_writers_state::serve_near() {
  near::arena& memory = near::arena::of(all);
  std::list<output::service> services;
  const auto is_over = [&] {
    return queue.left() == static_cast<int>(processes.size()) || output::are_all_gone(processes);
  };
  const auto take_messages = [&] {
    while (const auto request = queue.take()) output::take_on(services, memory, *request);
    services.remove_if([](const output::service& x) { return x.has_ended(); });
  };
  while (!is_over()) {
    queue.writer_doorbell().wait(
        output::nap_s, [&] { return queue.has_messages() || is_over(); }, take_messages);
    take_messages();
  }
}

namespace {

/// A message with this tag, if one is there.
std::optional<std::pair<int, std::vector<std::byte>>> take_message(MPI_Comm comm, int tag) {
  int is_there = 0, bytes = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &is_there, &status), "MPI_Iprobe");
  if (is_there == 0) return {};
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  std::vector<std::byte> words(as_size(bytes));
  check_mpi(MPI_Recv(words.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  return std::pair{status.MPI_SOURCE, std::move(words)};
}

}  // namespace

// MPI has no way to sleep until a message comes: naps that grow while nothing happens.
void output_writers_state::serve_far() {
  constexpr double shortest_nap_s = 2e-5, longest_nap_s = 1e-3, longest_nap_in_progress_s = 1e-4;
  const MPI_Comm comm = wires->comm();
  const std::size_t members = as_size(all.size()) - far_writers.size();
  std::list<output::receiver> receivers;
  double nap = shortest_nap_s;
  for (std::size_t left = 0; left < members || !receivers.empty();) {
    bool has_news = false;
    while (const auto m = take_message(comm, output::announce_tag))
      receivers.emplace_back(comm, m->first, m->second, near::arena::of(all)), has_news = true;
    while (take_message(comm, output::leave_tag)) ++left, has_news = true;
    bool is_in_progress = false;
    for (output::receiver& r : receivers) is_in_progress = r.move_on() || is_in_progress;
    receivers.remove_if([](const output::receiver& r) { return r.has_ended(); });
    nap = has_news ? shortest_nap_s : std::min(2 * nap, is_in_progress ? longest_nap_in_progress_s : longest_nap_s);
    std::this_thread::sleep_for(std::chrono::duration<double>(nap));
  }
}

}  // namespace nearfar
