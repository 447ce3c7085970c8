// SPDX-License-Identifier: BSD-3-Clause
// A program to which bad things are done: it exchanges halos until a fault comes, and says on every rank what it was
// told.
//
//   victim loop           exchanges until it is ended (the tests cut networks and kill ranks meanwhile)
//   victim kill           the last rank kills itself in the middle
//   victim late           the last rank never starts the exchange
//   victim gather         gathers instead; the last rank stops in the middle
//   victim calls          calls collectives that the MPI carries out, alone and as a plan
//   victim memory BYTES   every rank asks for a field of that many bytes
//
// Who waits for bad things says so ("step 100"): by then messages have gone round, and more of them go.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nearfar/nearfar.hpp>

namespace {

using nearfar::field;
using nearfar::grid;
using nearfar::halo_plan;
using nearfar::team;

constexpr int steps_of_peace = 100, step_of_the_kill = 500;

void say_step(const team& t, int step) {
  if (t.is_root() && step == steps_of_peace) std::printf("step %d\n", step), std::fflush(stdout);
}

[[noreturn]] void never_come() {
  for (;;) ::pause();
}

// The launcher's daemon, this process's parent, would end the other ranks as soon as it sees a dead one: it is stopped,
// so that they have to see it themselves.
[[noreturn]] void die_unnoticed() {
  ::kill(::getppid(), SIGSTOP);
  std::raise(SIGKILL);
  std::abort();
}

void exchange_until_killed(const team& t, int kill_at) {
  const grid g(t, {64, 64 * t.size()}, {.periodic = {true, true}});
  const field<double> f(g, {.ghosts = 2});
  halo_plan h(
      f, {.name = "victim", .method = std::getenv("VICTIM_METHOD") != nullptr ? std::getenv("VICTIM_METHOD") : ""});
  if (t.is_root()) std::printf("running %s\n", h.method().c_str()), std::fflush(stdout);
  for (int step = 0;; ++step) {
    if (step == kill_at && t.rank() == t.size() - 1) die_unnoticed();
    h.run();
    say_step(t, step);
  }
}

void never_start(const team& t) {
  const grid g(t, {64, 64 * t.size()}, {.periodic = {true, true}});
  const field<double> f(g, {.ghosts = 2});
  halo_plan h(f, {.name = "victim"});
  h.run();
  if (t.rank() == t.size() - 1) never_come();
  h.run();
}

void gather_until_one_stops(const team& t) {
  const nearfar::index_t elements = 1000 * t.size();
  const nearfar::distribution d = nearfar::distribution::block(t, elements);
  std::vector<nearfar::index_t> refs;
  for (nearfar::index_t g = 0; g < elements; g += 7) refs.push_back(g);
  nearfar::irregular_plan p(d, refs, {.name = "victim", .method = "near-direct+isend"});
  nearfar::irregular_vector<double> x(p);
  for (int step = 0;; ++step) {
    if (step == steps_of_peace && t.rank() == t.size() - 1) never_come();
    p.gather_ghosts(x);
    p.scatter_ghosts(x);
  }
}

void call_until_ended(const team& t) {
  double sum = 1;
  nearfar::plans::allreduce plan(t, std::span<double>(&sum, 1), nearfar::reduce_op::max,
                                 {.name = "victim", .method = "mpi"});
  if (t.is_root()) std::printf("running %s\n", plan.method().c_str()), std::fflush(stdout);
  for (int step = 0;; ++step) {
    nearfar::allreduce(t, 1.0, nearfar::reduce_op::max);
    plan.run();
    say_step(t, step);
  }
}

void ask_for_memory(const team& t, double bytes) {
  const auto cells = static_cast<nearfar::index_t>(bytes) / 8;
  const grid g(t, {t.size(), cells});
  const field<double> f(g);
  std::printf("rank %d was given %.0f bytes\n", t.rank(), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const team t = mpi.world();
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    if (mode == "loop") exchange_until_killed(t, -1);
    if (mode == "kill") exchange_until_killed(t, step_of_the_kill);
    if (mode == "late") never_start(t);
    if (mode == "gather") gather_until_one_stops(t);
    if (mode == "calls") call_until_ended(t);
    if (mode == "memory") ask_for_memory(t, argc > 2 ? std::atof(argv[2]) : 0);
  } catch (const nearfar::error& e) {
    std::printf("rank %d caught class %d: %s\n", t.rank(), static_cast<int>(e.code()), e.what());
    std::fflush(stdout);
    // Other ranks may be stuck in calls that cannot return: end the job as a program would.
    if (e.code() == nearfar::status::transport) nearfar::end_job(3);
    return 4;
  }
  std::printf("rank %d ended well\n", t.rank());
  return 0;
}
