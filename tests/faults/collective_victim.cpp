// SPDX-License-Identifier: BSD-3-Clause
// A program to which bad things are done while it calls collectives over several nodes; each rank says what it was
// told.
//
//   collective_victim loop   calls until it is ended (tests cut networks meanwhile), and says "step 100" after as many
//   collective_victim kill   the last rank kills itself in the middle
//   collective_victim late   the last rank never comes to a call
#include <unistd.h>

#include <collective/engine.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

using nearfar::collective::call;
using nearfar::collective::engine;
using nearfar::collective::kind;
using nearfar::collective::number_list;

class caller {
 public:
  explicit caller(engine& e) : engine_(e) {}

  void run(kind what, nearfar::index_t count) {
    call c;
    c.what = what;
    c.op = MPI_SUM;
    c.send = {in_.data(), count, MPI_DOUBLE};
    c.receive = {out_.data(), count, MPI_DOUBLE};
    engine_.run(c, refuse);
  }

  // Blocks that travel packed, and blocks that do not.
  void exchange(int ranks, int count) {
    const std::vector<int> counts(nearfar::as_size(ranks), count);
    std::vector<int> places(counts.size());
    for (int r = 0; r < ranks; ++r) places[nearfar::as_size(r)] = r * count;
    call c;
    c.what = kind::alltoallv;
    c.send = {in_.data(), 0, MPI_DOUBLE, number_list(counts.data()), number_list(places.data())};
    c.receive = {out_.data(), 0, MPI_DOUBLE, number_list(counts.data()), number_list(places.data())};
    engine_.run(c, refuse);
  }

  void run_all() {
    run(kind::allreduce, 64);
    exchange(engine_.team().size(), 100);
    exchange(engine_.team().size(), 5000);
    run(kind::bcast, 2000);
    run(kind::allreduce, 100000);
    run(kind::reduce, 20);
  }

 private:
  static int refuse() { throw nearfar::usage_error("this was to be carried out by the library"); }

  static constexpr std::size_t length = 100000;
  engine& engine_;
  std::vector<double> in_ = std::vector<double>(length, 1.0), out_ = std::vector<double>(length);
};

constexpr int steps_of_peace = 100, step_of_the_kill = 200;

// As victim.cpp does it.
[[noreturn]] void die_unnoticed() {
  ::kill(::getppid(), SIGSTOP);
  std::raise(SIGKILL);
  std::abort();
}

void call_until_killed(const nearfar::team& t, int kill_at) {
  engine e(t, {.name = "victim", .tune_after = -1});
  caller calls(e);
  for (int step = 0;; ++step) {
    if (step == kill_at && t.rank() == t.size() - 1) die_unnoticed();
    calls.run_all();
    if (step == steps_of_peace && t.is_root()) std::printf("step %d\n", step), std::fflush(stdout);
  }
}

void never_come(const nearfar::team& t) {
  engine e(t, {.name = "victim", .tune_after = -1});
  caller calls(e);
  calls.run_all();
  while (t.rank() == t.size() - 1) ::pause();
  calls.run_all();
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NEARFAR_METHOD", "alltoallv:far-pairs", 1);  // with some MPIs it is not taken unasked
  nearfar::runtime mpi(argc, argv);
  const nearfar::team t = mpi.world();
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    if (mode == "loop") call_until_killed(t, -1);
    if (mode == "kill") call_until_killed(t, step_of_the_kill);
    if (mode == "late") never_come(t);
  } catch (const nearfar::error& e) {
    std::printf("rank %d caught class %d: %s\n", t.rank(), static_cast<int>(e.code()), e.what());
    std::fflush(stdout);
    if (e.code() == nearfar::status::transport) nearfar::end_job(3);
    return 4;
  }
  std::printf("rank %d ended well\n", t.rank());
  return 0;
}
