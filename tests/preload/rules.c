// SPDX-License-Identifier: BSD-3-Clause
// What MPI lets a program do and a preloaded library might break:  rules PART
//
//   traps    floating-point exceptions trap, before and after MPI_Init; only ordinary numbers are reduced
//   flags    sums of small integers raise no flag
//   exscan   rank 0 gives no receive buffer
//   dying    an attribute's delete callback makes collective calls on the communicator that goes, whose handle comes
//   back
#define _GNU_SOURCE
#include <fenv.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks, wrong;

static void expect(int is_right, const char* what) {
  if (!is_right && wrong++ == 0) printf("rank %d: wrong: %s\n", rank, what);
}

static void reduce_ordinary_numbers(void) {
  static double x[5000], y[5000];
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN};
  for (int n = 1; n <= 5000; n = n * 5 + 1)
    for (int round = 0; round < 8; ++round) {
      for (int i = 0; i < n; ++i) x[i] = rank + i + 1;
      for (int o = 0; o < 3; ++o) {
        MPI_Allreduce(x, y, n, MPI_DOUBLE, ops[o], MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i)
          expect(y[i] == (o == 0 ? ranks * (i + 1) + ranks * (ranks - 1) / 2 : o == 1 ? ranks + i : i + 1), "a sum");
      }
    }
}

static void flags(void) {
  for (int i = 0; i < 20; ++i) {
    double x = 1, y;
    float s = 1, t;
    feclearexcept(FE_ALL_EXCEPT);
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&s, &t, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    expect(fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW) == 0, "a flag is raised");
  }
}

static void exscan(void) {
  for (int i = 0; i < 10; ++i) {
    int x = 1, y = -1;
#ifdef MPICH  // refuses what the standard allows
    MPI_Exscan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#else
    MPI_Exscan(&x, rank ? &y : NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#endif
    expect(rank == 0 || y == rank, "an exclusive scan");
  }
}

static int calls_in_callbacks;

static int reduce_while_dying(MPI_Comm comm, int key, void* value, void* state) {
  int me, all;
  (void)key, (void)value, (void)state;
  MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &all);
  for (int i = 0; i < 8; ++i, ++calls_in_callbacks) {
    int x = me + i, sum = -1;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == all * (all - 1) / 2 + all * i, "a sum in a callback");
  }
  return MPI_SUCCESS;
}

static void dying(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, reduce_while_dying, &key, NULL);
  for (int round = 0; round < 12; ++round) {
    MPI_Comm comm;
    const int turns = round % 2;
    MPI_Comm_split(MPI_COMM_WORLD, 0, turns ? -rank : rank, &comm);
    if (round % 4 != 3) MPI_Comm_set_attr(comm, key, NULL);
    for (int i = 0; round % 5 != 4 && i < 8; ++i) {
      int found[64];
      memset(found, -1, sizeof found);
      MPI_Allgather(&rank, 1, MPI_INT, found, 1, MPI_INT, comm);
      for (int j = 0; j < ranks; ++j) expect(found[j] == (turns ? ranks - 1 - j : j), "the ranks of a communicator");
    }
    MPI_Comm_free(&comm);
  }
  MPI_Comm_free_keyval(&key);
  expect(calls_in_callbacks == 72, "the calls in callbacks");
}

int main(int argc, char** argv) {
  const char* const part = argc > 1 ? argv[1] : "";
  const int is_trapping = strcmp(part, "traps") == 0;
  if (is_trapping) feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_trapping) feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  if (is_trapping) reduce_ordinary_numbers();
  if (strcmp(part, "flags") == 0) flags();
  if (strcmp(part, "exscan") == 0) exscan();
  if (strcmp(part, "dying") == 0) dying();
  if (rank == 0 && wrong == 0) puts("all is right");
  MPI_Finalize();
  return wrong != 0;
}
