// SPDX-License-Identifier: BSD-3-Clause
// A random program: calls of all kinds on random communicators, with errors, frees and operations in flight between
// them. Prints what each rank has received and been told, as one number, so that a preloaded run can be compared with a
// plain one.
//
//   preload_random FIRST LAST [STEPS [trace] [right]]
//
// One program for each seed; `trace` tells each step on standard error, `right` leaves wrong calls out.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "world.hpp"

namespace random_program {

world::world(std::uint64_t s, int n, int me) : shared(s), seed(s), ranks(n), rank(me) {
  communicator& all = comms.emplace_back();
  all.handle = MPI_COMM_WORLD;
  for (int r = 0; r < n; ++r) all.members.push_back(r);
  all.is_mine = false;
  // On MPI_COMM_SELF every rank is alone: an entry for each.
  for (int r = 0; r < n; ++r) {
    communicator& alone = comms.emplace_back();
    alone.handle = r == me ? MPI_COMM_SELF : MPI_COMM_NULL;
    alone.members = {r};
    alone.is_mine = false;
  }
}

communicator& world::any_comm() {
  // The entries for MPI_COMM_SELF are many and teach little.
  auto it = comms.begin();
  const int all = static_cast<int>(comms.size()), drawn = shared.below(all);
  const bool is_skipped = shared.below(4) != 0;
  std::advance(it, drawn >= 1 && drawn <= ranks && is_skipped ? 0 : drawn);
  return *it;
}

communicator& world::any_intra() {
  communicator& one = any_comm();
  return one.is_inter() ? comms.front() : one;
}

namespace {

struct chance {
  int weight;
  void (*step)(world&);
};
constexpr chance chances[] = {{50, call_collective},  {4, call_on_intercommunicator},
                              {4, call_wrongly},      {8, make_communicator},
                              {6, free_communicator}, {4, use_attributes},
                              {8, exchange_messages}, {2, use_window},
                              {2, call_neighbors},    {3, come_late},
                              {12, wait_for_one}};

void take_step(world& w) {
  int all = 0;
  for (const chance& c : chances) all += c.weight;
  int drawn = w.shared.below(all);
  for (const chance& c : chances) {
    if (drawn < c.weight) return c.step(w);
    drawn -= c.weight;
  }
}

void run(std::uint64_t seed, int steps, bool is_told, bool is_right) {
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  make_arithmetics();
  {
    world w(seed, ranks, rank);
    w.seen.is_told = is_told;
    w.makes_mistakes = !is_right;
    w.seen.rank = rank;
    for (w.step = 0; w.step < steps; w.seen.step = ++w.step) take_step(w);
    free_everything(w);
    std::printf("seed %llu rank %d digest %016llx\n", static_cast<unsigned long long>(seed), rank,
                static_cast<unsigned long long>(w.seen.value()));
    std::fflush(stdout);
  }
  free_arithmetics();
}

}  // namespace

}  // namespace random_program

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) return std::fprintf(stderr, "usage: preload_random FIRST LAST [STEPS [trace] [right]]\n"), 1;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 200;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const auto is_said = [&](const char* word) {
    return std::any_of(argv + std::min(argc, 4), argv + argc,
                       [&](const char* said) { return std::strcmp(said, word) == 0; });
  };
  for (auto seed = std::strtoull(argv[1], nullptr, 10); seed <= std::strtoull(argv[2], nullptr, 10); ++seed)
    random_program::run(seed, steps, is_said("trace"), is_said("right"));
  MPI_Finalize();
  return 0;
}
