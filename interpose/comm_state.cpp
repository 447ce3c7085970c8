// SPDX-License-Identifier: BSD-3-Clause
// States hang on communicators as attributes, come with the first call and go with the communicator or with MPI
// itself.
#include "comm_state.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <base/log.hpp>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <nearfar/error.hpp>
#include <vector>

#include "child.hpp"
#include "handshake.hpp"
#include "near_memory.hpp"
#include "report.hpp"

namespace nearfar::interpose {

// Constant initialisation only: calls may come before and after this library's own constructors and destructors.
constinit std::atomic<mode> current_mode{mode::unknown};
constinit std::atomic<std::uint64_t> generation{1};
__thread thread_notes here __attribute__((tls_model("initial-exec"))) = {};

namespace {

constexpr std::int64_t few_calls = 1000;  // an engine that served fewer was hardly worth making
constexpr int patience_limit = 10;

/// What the process has, apart from its communicators.
struct process_state {
  std::mutex mutex;
  std::vector<comm_state*>
      with_engines;         // in the order in which the engines were made: so they are given back at the end
  int engines_in_vain = 0;  // that served few calls
  int state_key = MPI_KEYVAL_INVALID, end_key = MPI_KEYVAL_INVALID;
  bool has_everyone_come = false;
  bool is_reporting = wanted().is_reporting();
};

process_state& own() noexcept {
  static process_state& once = *new process_state;  // never destroyed, see call_statistics
  return once;
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "nearfar error: the preloaded library cannot be used: %s\n", why.c_str());
  std::_Exit(EXIT_FAILURE);
}

int copy_nothing(MPI_Comm, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int delete_state(MPI_Comm, int, void* value, void*) {
  generation.fetch_add(1, std::memory_order_relaxed);
  delete static_cast<comm_state*>(value);
  return MPI_SUCCESS;
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF before anything else, in every language.
int end_of_mpi(MPI_Comm, int, void*, void*) {
  current_mode.store(mode::off, std::memory_order_relaxed);
  for (comm_state* c : std::vector<comm_state*>(own().with_engines)) c->retire();
  end_job_team();
  if (statistics().is_open()) write_report(statistics().accounts(), wanted().report, own().has_everyone_come);
  statistics().close();
  return MPI_SUCCESS;
}

void leave_to_parent() { current_mode.store(mode::off, std::memory_order_relaxed); }

bool is_mpi_running() {
  int is_initialised = 0, is_finalised = 0;
  MPI_Initialized(&is_initialised);
  MPI_Finalized(&is_finalised);
  return is_initialised != 0 && is_finalised == 0;
}

bool watch_for_the_end() {
  process_state& h = own();
  return MPI_Comm_create_keyval(copy_nothing, delete_state, &h.state_key, nullptr) == MPI_SUCCESS &&
         MPI_Comm_create_keyval(copy_nothing, end_of_mpi, &h.end_key, nullptr) == MPI_SUCCESS &&
         MPI_Comm_set_attr(MPI_COMM_SELF, h.end_key, &h) == MPI_SUCCESS;
}

std::string name_of_comm(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  int length = 0;
  MPI_Comm_get_name(comm, name.data(), &length);
  return length > 0 ? name.data() : "a communicator without a name";
}

std::string function_of(collective::kind what) {
  std::string name(collective::name_of(what));
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "MPI_" + name;
}

bool is_fatal(MPI_Errhandler handler) { return handler == MPI_ERRORS_ARE_FATAL; }

}  // namespace

// What fails on the way to an engine is not the program's affair, and its handler must not run in the middle of a call.
// Where errors are fatal here but not on MPI_COMM_WORLD, all stays as it is: MPICH calls "fatal" what has no handler of
// its own and follows MPI_COMM_WORLD (what MPI_Intercomm_merge makes), and a handler that was set once cannot be taken
// away again.
quiet::quiet(MPI_Comm comm) noexcept : comm_(comm) {
  MPI_Errhandler of_world = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm_, &before_);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
  is_set_ = !is_fatal(before_) || is_fatal(of_world);
  MPI_Errhandler_free(&of_world);
  if (is_set_) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

quiet::~quiet() {
  if (is_set_) MPI_Comm_set_errhandler(comm_, before_);
  MPI_Errhandler_free(&before_);
}

void find_mpi() noexcept {
  static std::mutex& alone = *new std::mutex;
  static bool is_found = false;
  const std::lock_guard lock(alone);
  if (is_found) return;
  // An MPI that may be used is needed in any case: the calls that are not ours go to it.
  if (const std::string why = real::find_all(); !why.empty())
    give_up(why == "none" ? "there is no MPI library in this program" : why);
  is_found = true;
}

void start() noexcept {
  static std::mutex& alone = *new std::mutex;
  find_mpi();
  const std::lock_guard lock(alone);
  if (current_mode.load() != mode::unknown) return;
  // Programs with sessions alone have no MPI_COMM_SELF whose end we could watch.
  if (!is_mpi_running() || !wanted().is_on || !watch_for_the_end()) {
    current_mode.store(mode::off);
    return;
  }
  ::pthread_atfork(nullptr, nullptr, leave_to_parent);
  if (own().is_reporting) statistics().open();
  current_mode.store(mode::on);
}

void start_with_everyone() noexcept {
  mark_children();
  const agreement all = meet_everyone();
  own().is_reporting = all.is_reporting;
  if (!all.difference.empty()) {
    current_mode.store(mode::off);
    return;
  }
  if (wanted().is_on) make_job_team();
  current_mode.store(mode::unknown);  // calls before MPI_Init do not count
  start();
  own().has_everyone_come = true;
}

comm_state* look_up(MPI_Comm comm, thread_notes::known_comm& slot) noexcept {
  // An attribute that is hung on a communicator while its attributes are deleted is never deleted itself.
  if (comm == MPI_COMM_NULL || comm == here.dying) return nullptr;
  const std::uint64_t now = generation.load(std::memory_order_relaxed);
  void* value = nullptr;
  int is_known = 0;
  if (MPI_Comm_get_attr(comm, own().state_key, static_cast<void*>(&value), &is_known) != MPI_SUCCESS) return nullptr;
  auto* who = static_cast<comm_state*>(value);
  if (is_known == 0) {
    who = new comm_state(comm);
    if (MPI_Comm_set_attr(comm, own().state_key, who) != MPI_SUCCESS) {
      delete who;
      return nullptr;
    }
  }
  slot = {comm, now, who->is_passive() ? nullptr : who};
  return slot.who;
}

comm_state* known_state(MPI_Comm comm) noexcept {
  void* value = nullptr;
  int is_known = 0;
  if (current_mode.load(std::memory_order_relaxed) != mode::on || comm == MPI_COMM_NULL) return nullptr;
  MPI_Comm_get_attr(comm, own().state_key, static_cast<void*>(&value), &is_known);
  return is_known != 0 ? static_cast<comm_state*>(value) : nullptr;
}

comm_state::comm_state(MPI_Comm comm) : comm_(comm) {
  int is_inter = 0;
  MPI_Comm_test_inter(comm, &is_inter);
  MPI_Comm_size(comm, &ranks_);
  is_passive_ = is_inter != 0 || ranks_ < 2;
  next_attempt_ = wanted().first_call;
  look_at_handler();
}

comm_state::~comm_state() { retire(); }

void comm_state::retire() noexcept {
  is_refused_ = true;
  if (!engine_) return;
  process_state& h = own();
  {
    const std::lock_guard lock(h.mutex);
    std::erase(h.with_engines, this);
    h.engines_in_vain += calls_served() < few_calls ? 1 : -1;
    h.engines_in_vain = std::clamp(h.engines_in_vain, 0, patience_limit);
  }
  if (statistics().is_open()) statistics().enter(*engine_);
  engine_.reset();
  if (is_broken_ && tags_) tags_->keep_for_ever();
  tags_.reset();
}

std::int64_t comm_state::calls_served() const {
  std::int64_t served = 0;
  engine_->for_records([&](collective::kind, std::size_t, bool, const collective::record& r) { served += r.calls; });
  return served;
}

// Programs that make communicators for a few calls each would pay for engines more than they get: after some engines
// made in vain, communicators have to last longer before they are given one.
bool comm_state::is_worth_it() const noexcept {
  process_state& h = own();
  const std::lock_guard lock(h.mutex);
  const int times_later = wanted().is_first_call_strict ? 0 : h.engines_in_vain;
  return static_cast<long>(h.with_engines.size()) < wanted().engines && calls_ >= wanted().first_call << times_later;
}

// Rank 0 hands out the engine's tags; where it has none left, the communicator asks again later.
void comm_state::make_engine() noexcept {
  next_attempt_ *= 2;
  std::vector<int> ranks = ranks_in_job(comm_);
  is_refused_ = ranks.empty();
  if (is_refused_) return;
  const quiet no_handlers(comm_);
  int rank = -1;
  MPI_Comm_rank(comm_, &rank);
  const bool is_worth_trying = is_worth_it();
  if (rank == 0 && is_worth_trying) tags_ = std::make_unique<engine_tags>();
  const bool may_be_made = is_worth_trying && (rank != 0 || tags_->is_valid());
  const std::array<int, 2> mine{may_be_made ? 1 : 0, tags_ ? tags_->first() : std::numeric_limits<int>::max()};
  std::array<int, 2> all{};
  const int code = MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MIN, comm_);
  if (code != MPI_SUCCESS || all[0] == 0) return tags_.reset();
  try {
    engine_ = make_engine_of_job(comm_, std::move(ranks), all[1], name_of_comm(comm_));
    const std::lock_guard lock(own().mutex);
    own().with_engines.push_back(this);
    next_question_ = calls_ + 1;
  } catch (const std::exception& e) {
    is_refused_ = true;
    if (tags_) tags_->keep_for_ever();
    {
      const std::lock_guard lock(own().mutex);
      own().engines_in_vain = std::min(own().engines_in_vain + 1, patience_limit);
    }
    static std::once_flag was_said;
    if (rank == 0)
      log::warning_once(was_said, "collective calls on ", name_of_comm(comm_), " are left to plain MPI: ", e.what());
  }
}

// Memory is allocated by each rank for itself, and all must agree on whether to look out for it: asked more and more
// rarely.
void comm_state::ask_for_near_memory() noexcept {
  int mine = has_near_memory() ? 1 : 0, all = 0;
  next_question_ = 2 * calls_;
  if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, engine_->team().comm()) != MPI_SUCCESS || all == 0) return;
  next_question_ = never;
  engine_->expect_near_buffers();
}

int comm_state::complain(collective::kind what, const char* cause) {
  is_broken_ = true;
  engine_->give_up();
  int rank = -1;
  MPI_Comm_rank(comm_, &rank);
  log::write(log::level::error, text(function_of(what), " on ", name_of_comm(comm_), ", rank ", rank, ": ", cause));
  return raise_again();
}

int comm_state::raise_again() {
  is_handler_due_ = true;
  return MPI_ERR_OTHER;
}

// The communicator's own handler decides; it is not asked to understand our classes of errors.
void comm_state::call_handler(int code) {
  is_handler_due_ = false;
  MPI_Comm_call_errhandler(comm_, code);
}

// The MPI's own handlers end the program or come back.
void comm_state::look_at_handler() noexcept {
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm_, &now);
  has_own_handler_.store(now != MPI_ERRORS_ARE_FATAL && now != MPI_ERRORS_RETURN, std::memory_order_relaxed);
  MPI_Errhandler_free(&now);
}

}  // namespace nearfar::interpose
