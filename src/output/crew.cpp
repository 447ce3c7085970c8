// SPDX-License-Identifier: BSD-3-Clause
// Who computes and who writes, and the writer's loop.
#include "crew.hpp"

#include <unistd.h>

#include <base/log.hpp>
#include <far/talk.hpp>
#include <list>
#include <nearfar/error.hpp>
#include <thread>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "agent.hpp"

namespace nearfar::output {

index mailbox::bytes() noexcept { return sizeof(contents); }

mailbox::ticket mailbox::post(const letter& l) const {
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

bool mailbox::withdraw(const ticket& t) const noexcept {
  if (base_ == nullptr || t.place < 0) return false;
  std::uint64_t word = t.turn;
  return all().slots[t.place].word.compare_exchange_strong(word, (word & ~state_bits) + next_turn);
}

std::optional<mailbox::letter> mailbox::take() const {
  for (slot& s : all().slots) {
    std::uint64_t word = s.word.load(std::memory_order_acquire);
    const std::uint64_t turn = word & ~state_bits;
    if ((word & state_bits) != posted || !s.word.compare_exchange_strong(word, turn | busy)) continue;
    const letter l = s.text;
    s.word.store(turn + next_turn, std::memory_order_release);
    return l;
  }
  return {};
}

bool mailbox::has_mail() const noexcept {
  for (const slot& s : all().slots)
    if ((s.word.load() & state_bits) == posted) return true;
  return false;
}

void mailbox::leave() const noexcept {
  all().left.fetch_add(1);
  all().for_writer.ring();
}

int mailbox::left() const noexcept { return all().left.load(); }

bell& mailbox::writer_bell() const noexcept { return all().for_writer; }

namespace {

constexpr double nap_s = 0.25;

/// One ring that the writer serves, in a thread of its own.
class service {
 public:
  service(near::arena& memory, const mailbox::letter& l)
      : ring_memory_(memory.attach(l.ring)), ring_(ring_memory_.at(l.ring), l.members, l.depth, l.frame_bytes) {
    ring_.head().serving_process = getpid();
    try {
      const near::mapping letter = memory.attach(l.plan);
      const std::byte* from = letter.at(l.plan);
      agent_.emplace(agent_plan::from_bytes({from, from + l.plan_bytes}), ring_);
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
    if (agent_) agent_->serve(taker::process);
    agent_.reset();
    ring_.head().has_ended = 1;  // from now on its memory may hold something else
    ring_.head().for_members.wake();
    has_ended_ = true;
  }
  near::mapping ring_memory_;
  ring ring_;
  std::optional<agent> agent_;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

void take_on(std::list<service>& services, near::arena& memory, const mailbox::letter& l) {
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

/// What near ranks tell each other when a crew is made.
struct introduction {
  near::handle mailbox;
  int process;
  int is_writer;
};

team part_of(const team& all, bool is_writer) {
  MPI_Comm part = MPI_COMM_NULL;
  watched_mpi("MPI_Comm_split", [&] { return MPI_Comm_split(all.comm(), is_writer ? 1 : 0, all.rank(), &part); });
  team t(part);
  MPI_Comm_free(&part);
  return t;
}

}  // namespace

crew_state::~crew_state() {
  if (computing && letters) letters.leave();
}

output_crew::output_crew(const team& all, int ranks_to_spare) : state_(std::make_shared<crew_state>(all)) {
  require_same(all, "ranks_to_spare of an output_crew", std::vector<index>{ranks_to_spare});
  if (ranks_to_spare < 2)
    throw usage_error(text("an output_crew takes writers from nodes with at least ", ranks_to_spare,
                           " ranks; 2 is the least, since someone has to compute"));
  crew_state& s = *state_;
  near::arena& memory = near::arena::of(all);
  const bool is_writer =
      memory.is_shared() && all.near_size() >= ranks_to_spare && all.near_rank() == all.near_size() - 1;
  introduction mine{{}, getpid(), is_writer ? 1 : 0};
  agree(all, [&] {
    if (!is_writer) return;
    s.own_mailbox = memory.allocate(output::mailbox::bytes());
    s.letters = output::mailbox(s.own_mailbox.data());
    mine.mailbox = memory.find(s.own_mailbox.data(), output::mailbox::bytes());
  });
  const auto near = far::all_of_node(all, std::vector<introduction>{mine});
  agree(all, [&] {
    for (const introduction& i : near) {
      if (is_writer && i.is_writer == 0) s.processes.push_back(i.process);
      if (is_writer || i.is_writer == 0) continue;
      s.mailbox_memory = memory.attach(i.mailbox);
      s.letters = output::mailbox(s.mailbox_memory.at(i.mailbox));
      s.writer_process = i.process;
    }
  });
  const int mine_counts = is_writer ? 1 : 0;
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(&mine_counts, &s.writers, 1, MPI_INT, MPI_SUM, all.comm()); });
  team part = part_of(all, is_writer);
  if (!is_writer) s.computing = part;
}

output_crew::~output_crew() = default;
output_crew::output_crew(output_crew&&) noexcept = default;
output_crew& output_crew::operator=(output_crew&&) noexcept = default;

bool output_crew::is_writer() const noexcept { return !state_->computing; }
int output_crew::writers() const noexcept { return state_->writers; }

const team& output_crew::computing() const {
  if (is_writer())
    throw usage_error(
        text("rank ", state_->all.rank(), " is a writer of its crew and computes nothing; it calls serve()"));
  return *state_->computing;
}

void output_crew::serve() {
  crew_state& s = *state_;
  if (!is_writer()) throw usage_error(text("rank ", s.all.rank(), " computes; only writers call serve()"));
  near::arena& memory = near::arena::of(s.all);
  std::list<output::service> services;
  const auto is_over = [&] {
    return s.letters.left() == static_cast<int>(s.processes.size()) || output::are_all_gone(s.processes);
  };
  const auto take_letters = [&] {
    while (const auto letter = s.letters.take()) output::take_on(services, memory, *letter);
    services.remove_if([](const output::service& x) { return x.has_ended(); });
  };
  while (!is_over()) {
    s.letters.writer_bell().wait(
        output::nap_s, [&] { return s.letters.has_mail() || is_over(); }, take_letters);
    take_letters();
  }
}

}  // namespace nearfar
