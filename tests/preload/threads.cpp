// SPDX-License-Identifier: BSD-3-Clause
// Threads call collectives at the same time, each on communicators of its own, some of which come and go meanwhile.
#include <thread>

#include "checks.hpp"

namespace {

constexpr int threads = 3, calls = 400;

void sum_and_tell(const crowd& c, int number, int call) {
  double mine = element(c.rank, number, call), all = 0, wanted = 0;
  for (int r = 0; r < c.size; ++r) wanted += element(r, number, call);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, c.comm);
  require(all == wanted, "an allreduce of a thread");
  double told = c.rank == call % c.size ? wanted + call : -1;
  MPI_Bcast(&told, 1, MPI_DOUBLE, call % c.size, c.comm);
  require(told == wanted + call, "a broadcast of a thread");
}

void work(MPI_Comm own, int number) {
  const crowd c(own, "a thread's communicator");
  for (int call = 0; call < calls; ++call) {
    sum_and_tell(c, number, call);
    if (call % 40 != 0) continue;
    MPI_Comm passing;
    MPI_Comm_dup(own, &passing);
    for (int k = 0; k < 8; ++k) sum_and_tell(crowd(passing, "a passing communicator"), number, call + k);
    MPI_Comm_free(&passing);
  }
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
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& c : comms) MPI_Comm_dup(MPI_COMM_WORLD, &c);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) workers.emplace_back(work, comms[static_cast<std::size_t>(t)], t);
  for (std::thread& t : workers) t.join();
  for (MPI_Comm& c : comms) MPI_Comm_free(&c);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 0) std::puts("threads are right");
}
