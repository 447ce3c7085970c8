// SPDX-License-Identifier: BSD-3-Clause
// A program to which bad things are done: it exchanges halos until a fault comes, and says on every rank what it was told.
//
//   victim loop SECONDS   exchanges until the time is over (the tests cut networks and kill ranks meanwhile)
//   victim kill           the last rank kills itself in the middle
//   victim late           the last rank never starts the exchange
//   victim gather         gathers instead; the last rank stops in the middle
//   victim calls SECONDS  calls collectives that the MPI carries out, alone and as a plan
//   victim memory BYTES   every rank asks for a field of that many bytes
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nearfar/nearfar.hpp>
#include <thread>

namespace {

using nearfar::field;
using nearfar::grid;
using nearfar::halo;
using nearfar::team;

void exchange_until(const team& t, double seconds, int kill_at) {
  const grid g(t, {64, 64 * t.size()}, {.periodic = {true, true}});
  const field<double> f(g, {.ghosts = 2});
  halo h(f, {.name = "victim", .method = std::getenv("VICTIM_METHOD") != nullptr ? std::getenv("VICTIM_METHOD") : ""});
  const double end = MPI_Wtime() + seconds;
  if (t.is_root()) std::printf("running %s\n", h.method().c_str()), std::fflush(stdout);
  for (int step = 0; MPI_Wtime() < end; ++step) {
    if (step == kill_at && t.rank() == t.size() - 1) std::raise(SIGKILL);
    h.exchange();
  }
}

void never_start(const team& t) {
  const grid g(t, {64, 64 * t.size()}, {.periodic = {true, true}});
  const field<double> f(g, {.ghosts = 2});
  halo h(f, {.name = "victim"});
  h.exchange();
  if (t.rank() == t.size() - 1)
    std::this_thread::sleep_for(std::chrono::seconds(20));
  else
    h.exchange();
}

void gather_until_one_stops(const team& t) {
  const nearfar::index elements = 1000 * t.size();
  const nearfar::distribution d = nearfar::distribution::block(t, elements);
  std::vector<nearfar::index> refs;
  for (nearfar::index g = 0; g < elements; g += 7) refs.push_back(g);
  nearfar::gather_plan p(d, refs, {.name = "victim", .method = "near-direct+isend"});
  nearfar::gathered_vector<double> x(p);
  for (int step = 0;; ++step) {
    if (step == 100 && t.rank() == t.size() - 1) return std::this_thread::sleep_for(std::chrono::seconds(20));
    p.gather_ghosts(x);
    p.scatter_ghosts(x);
  }
}

void call_until(const team& t, double seconds) {
  double sum = 1;
  nearfar::plans::allreduce plan(t, std::span<double>(&sum, 1), nearfar::op::max, {.name = "victim", .method = "mpi"});
  if (t.is_root()) std::printf("running %s\n", plan.method().c_str()), std::fflush(stdout);
  const double end = MPI_Wtime() + seconds;
  // The root's clock alone decides when to stop.
  for (double now = 0; nearfar::allreduce(t, t.is_root() ? now : 0, nearfar::op::max) < end; now = MPI_Wtime())
    plan.run();
}

void ask_for_memory(const team& t, double bytes) {
  const auto cells = static_cast<nearfar::index>(bytes) / 8;
  const grid g(t, {t.size(), cells});
  const field<double> f(g);
  std::printf("rank %d was given %.0f bytes\n", t.rank(), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const team t = mpi.world();
  const std::string mode = argc > 1 ? argv[1] : "";
  const double number = argc > 2 ? std::atof(argv[2]) : 0;
  try {
    if (mode == "loop") exchange_until(t, number, -1);
    if (mode == "kill") exchange_until(t, 30, 500);
    if (mode == "late") never_start(t);
    if (mode == "gather") gather_until_one_stops(t);
    if (mode == "calls") call_until(t, number);
    if (mode == "memory") ask_for_memory(t, number);
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
