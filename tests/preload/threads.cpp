// SPDX-License-Identifier: BSD-3-Clause
// Threads call collectives at the same time, each on communicators of its own, some of which come and go meanwhile.
//
//   preload_threads [making]     making: one thread makes communicators in every way, while others get engines on
//   theirs
#include <atomic>
#include <cstring>
#include <thread>

#include "checks.hpp"

namespace {

constexpr int threads = 3, calls = 400;

void sum_and_tell(const communicator& c, int number, int call) {
  double mine = element(c.rank, number, call), all = 0, wanted = 0;
  for (int r = 0; r < c.size; ++r) wanted += element(r, number, call);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, c.comm);
  require(all == wanted, "an allreduce of a thread");
  double told = c.rank == call % c.size ? wanted + call : -1;
  MPI_Bcast(&told, 1, MPI_DOUBLE, call % c.size, c.comm);
  require(told == wanted + call, "a broadcast of a thread");
}

void work(MPI_Comm own, int number) {
  const communicator c(own, "a thread's communicator");
  for (int call = 0; call < calls; ++call) {
    sum_and_tell(c, number, call);
    if (call % 40 != 0) continue;
    MPI_Comm passing;
    MPI_Comm_dup(own, &passing);
    for (int k = 0; k < 8; ++k) sum_and_tell(communicator(passing, "a passing communicator"), number, call + k);
    MPI_Comm_free(&passing);
  }
}

// ---- making ----

constexpr int comms_of_a_thread = 24;

// Every communicator gets its engine in the course of these calls.
void call_on_all(const std::vector<MPI_Comm>& comms, int number, std::atomic<int>& at_work) {
  for (const MPI_Comm comm : comms) {
    const communicator c(comm, "a thread's communicator");
    for (int call = 0; call < 12; ++call) sum_and_tell(c, number, call);
  }
  --at_work;
}

MPI_Comm made_by_members() {
  MPI_Group all;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_create_group(MPI_COMM_WORLD, all, 7, &made);
  MPI_Group_free(&all);
  return made;
}

// At least some rounds; how many more is the same on all ranks.
void make_communicators(std::atomic<int>& at_work) {
  MPI_Comm base;
  MPI_Comm_dup(MPI_COMM_WORLD, &base);
  int goes_on = 1;
  for (int round = 0; round < 8 || goes_on != 0; ++round) {
    MPI_Comm copy, part, group;
    MPI_Request request;
    MPI_Comm_idup(base, &copy, &request);
    const communicator c(base, "the communicator that is being duplicated");
    for (int call = 0; call < 6; ++call) sum_and_tell(c, round, call);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    group = made_by_members();
    MPI_Comm_split(base, 0, -c.rank, &part);
    for (const MPI_Comm made : {copy, part, group})
      for (int call = 0; call < 4; ++call) sum_and_tell(communicator(made, "a new communicator"), round, call);
    for (MPI_Comm* made : {&copy, &part, &group}) MPI_Comm_free(made);
    const int is_at_work = at_work > 0 ? 1 : 0;
    MPI_Allreduce(&is_at_work, &goes_on, 1, MPI_INT, MPI_MAX, base);
  }
  MPI_Comm_free(&base);
}

void make_and_call() {
  std::vector<std::vector<MPI_Comm>> comms(threads, std::vector<MPI_Comm>(comms_of_a_thread));
  for (auto& own : comms)
    for (MPI_Comm& c : own) MPI_Comm_dup(MPI_COMM_WORLD, &c);
  std::atomic<int> at_work = threads;
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { call_on_all(comms[static_cast<std::size_t>(t)], t, at_work); });
  make_communicators(at_work);
  for (std::thread& t : workers) t.join();
  for (auto& own : comms)
    for (MPI_Comm& c : own) MPI_Comm_free(&c);
}

void call_on_own() {
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& c : comms) MPI_Comm_dup(MPI_COMM_WORLD, &c);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) workers.emplace_back(work, comms[static_cast<std::size_t>(t)], t);
  for (std::thread& t : workers) t.join();
  for (MPI_Comm& c : comms) MPI_Comm_free(&c);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::puts("this MPI has no threads");
    MPI_Finalize();
    return 77;
  }
  if (argc > 1 && std::strcmp(argv[1], "making") == 0)
    make_and_call();
  else
    call_on_own();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 0) std::puts("threads are right");
}
