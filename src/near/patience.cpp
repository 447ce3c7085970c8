// SPDX-License-Identifier: BSD-3-Clause
// The slow part of waiting: yielding, the clock, warnings and the watchdog's error.
#include <sched.h>

#include <base/env.hpp>
#include <base/in_flight.hpp>
#include <base/process.hpp>
#include <base/watch_options.hpp>
#include <near/patience.hpp>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

namespace nearfar::near {

namespace {
// Some 5 ms, two time slices of Linux. Where another program is busy on the cores a yield costs slices, and waits of
// microseconds took milliseconds; who spins for longer keeps the core from the rank that is waited for. NWChem beside
// four busy loops: 49 s with 25 us, 8 s with 2 ms, 4.9 s with 5 ms, 9.5 s with 20 ms; plain MPI 5.6 s.
constexpr int spins_with_cores_to_spare = 50'000;
// Where ranks outnumber cores a look at MPI takes time from the rank that is waited for.
constexpr std::int64_t yields_per_probe_on_few_cores = 4;
constexpr std::int64_t polls_between_moves = 4;
constexpr int unused_tag = 2;
constexpr double seconds_between_roll_calls = 0.25;
constexpr std::int64_t polls_between_looks = 32;  // a look at the clock costs about as much as a poll, a yield slices
}  // namespace

wait_policy wait_policy::of(const team_state& members) {
  wait_policy p;
  p.spins = members.is_short_of_cores ? 0 : spins_with_cores_to_spare;
  p.spins = static_cast<int>(env::integer_or("NEARFAR_SPINS", p.spins, 0, 1'000'000'000));
  p.spins_in_mpi = p.spins;
  static_cast<wait_limits&>(p) = wait_limits::of_environment();
  p.rank = members.rank;
  if (members.sees_near_processes) p.processes = members.near_processes;
  p.comm = members.messages;
  return p;
}

void let_mpi_progress(const wait_policy& policy) {
  if (policy.comm == MPI_COMM_NULL) return;
  int is_there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, policy.comm, &is_there, MPI_STATUS_IGNORE);
}

void patience::give_up_the_core(bool has_mpi_progressed) {
  if (polls_ % polls_between_moves == 0) move_on_in_flight();
  const std::int64_t yields_per_probe = policy_->spins > 0 ? 1 : yields_per_probe_on_few_cores;
  if (!has_mpi_progressed && polls_ % yields_per_probe == 0) let_mpi_progress(*policy_);
  sched_yield();
  if (polls_ % polls_between_looks == 0) look_at_clock();
}

void patience::move_others_on(bool has_mpi_progressed) {
  move_on_in_flight();
  if (!has_mpi_progressed) let_mpi_progress(*policy_);
}

void patience::idle_after_nap() {
  move_others_on(false);
  look_at_clock();
}

void patience::look_at_clock() {
  const double now = clock_of_watchdog().now_s();
  if (roll_call_ == 0) roll_call_ = now;
  wait_.look(now, *policy_, policy_->rank, *plan_, *whom_);
  if (now - roll_call_ > seconds_between_roll_calls) {
    require_living_peers();
    if (policy_->look_around) policy_->look_around();
    roll_call_ = now;
  }
}

// A dead peer never answers: better to say so at once than after the watchdog's time.
void patience::require_living_peers() {
  for (const int process : policy_->processes)
    if (!is_process_alive(process))
      throw transport_error(text("rank ", policy_->rank, ", ", *plan_, ": a near rank (process ", process,
                                 ") has died while this rank waited for ", (*whom_)()));
}

}  // namespace nearfar::near
