// SPDX-License-Identifier: BSD-3-Clause
// What calls cost that gain nothing from the preloaded library: the least time of each, in microseconds, one line each.
//
//   preload_call_costs [COMMUNICATORS]     how many there are at MPI_Finalize; call_costs.py runs it both ways in turn
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 60 };

static int rank;
static double least;

static void begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  least = 1e9;
}

static void note(double since) {
  const double taken = MPI_Wtime() - since;
  if (taken < least) least = taken;
}

static void tell(const char* what) {
  if (rank == 0) printf("%s: %.3f\n", what, 1e6 * least);
}

static void make_and_free(void) {
  MPI_Comm made;
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    const double since = MPI_Wtime();
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
    note(since);
  }
  tell("communicator made and freed");
}

static void first_calls(void) {
  static const char* names[] = {"first call on a communicator", "second call", "third call", "fourth call"};
  for (int call = 0; call < 4; call++) {
    double best = 1e9;
    for (int i = 0; i < 20; i++) {
      MPI_Comm made;
      double in = 1, out;
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
      for (int k = 0; k < call; k++) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, made);
      begin();
      const double since = MPI_Wtime();
      MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, made);
      note(since);
      if (least < best) best = least;
      MPI_Comm_free(&made);
    }
    least = best;
    tell(names[call]);
  }
}

static void on_one_rank(void) {
  double in = 1, out;
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    const double since = MPI_Wtime();
    for (int k = 0; k < 1000; k++) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    note(since);
  }
  least /= 1000;
  tell("allreduce on one rank");
}

static void windows(void) {
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Win window;
    void* base;
    const double since = MPI_Wtime();
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_free(&window);
    note(since);
  }
  tell("window made and freed");
}

static void non_blocking(void) {
  double in = 1, out;
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Request request;
    const double since = MPI_Wtime();
    for (int k = 0; k < 20; k++) {
      MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    note(since);
  }
  least /= 20;
  tell("non-blocking allreduce");
}

static void memory(long bytes) {
  char name[64];
  begin();
  for (int i = 0; i < ROUNDS; i++) {
    char* at;
    const double since = MPI_Wtime();
    for (int k = 0; k < 10; k++) {
      MPI_Alloc_mem(bytes, MPI_INFO_NULL, &at);
      *at = 1;
      MPI_Free_mem(at);
    }
    note(since);
  }
  least /= 10;
  snprintf(name, sizeof name, "MPI_Alloc_mem and MPI_Free_mem, %ld B", bytes);
  tell(name);
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  double in = 1, out;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count == 1) {
    make_and_free();
    first_calls();
    on_one_rank();
    windows();
    non_blocking();
    for (long bytes = 1; bytes <= 256L << 20; bytes *= 16) memory(bytes);
    memory(256L << 20);
  }
  for (int i = 0; i < count; i++) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    for (int k = 0; k < 4; k++) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, made);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
