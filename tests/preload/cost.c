// SPDX-License-Identifier: BSD-3-Clause
// What a call costs that the preloaded library only passes on: the MPI's own function, called directly and by its usual
// name.
//
//   cost     with LD_PRELOAD=libnearfar_mpi.so and without; one rank is enough
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 200000, ROUNDS = 41 };

typedef int (*allreduce_fn)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

// Before the library in the search order comes nothing of the MPI: its file must be asked.
static int find(struct dl_phdr_info* object, size_t size, void* found) {
  (void)size;
  const char* name = strrchr(object->dlpi_name, '/');
  if (!name || (strncmp(name, "/libmpi.so", 10) != 0 && strncmp(name, "/libmpich.so", 12) != 0)) return 0;
  *(void**)found = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return 1;
}

static double burst(allreduce_fn call, MPI_Comm comm) {
  double in = 1, out = 0;
  const double since = MPI_Wtime();
  for (int i = 0; i < CALLS; i++) call(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
  return (MPI_Wtime() - since) / CALLS * 1e9;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* mpi = NULL;
  dl_iterate_phdr(find, &mpi);
  allreduce_fn direct = mpi ? (allreduce_fn)dlsym(mpi, "PMPI_Allreduce") : NULL;
  if (!direct) return fprintf(stderr, "no MPI library is mapped\n"), 1;
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  double own[ROUNDS], named[ROUNDS], turns[ROUNDS];
  for (int r = 0; r < ROUNDS; r++) {
    own[r] = burst(direct, MPI_COMM_SELF);
    named[r] = burst(MPI_Allreduce, MPI_COMM_SELF);
    turns[r] = burst(MPI_Allreduce, r % 2 ? other : MPI_COMM_SELF);
  }
  qsort(own, ROUNDS, sizeof *own, compare);
  qsort(named, ROUNDS, sizeof *named, compare);
  qsort(turns, ROUNDS, sizeof *turns, compare);
  printf(
      "an allreduce on one rank: %.1f ns directly, %.1f ns by its name, %.1f ns with communicators in turn (medians)\n",
      own[ROUNDS / 2], named[ROUNDS / 2], turns[ROUNDS / 2]);
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
