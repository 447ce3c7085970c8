// SPDX-License-Identifier: BSD-3-Clause
// What MPI lets a program do and a preloaded library might break:  rules PART
//
//   traps    floating-point exceptions trap, before and after MPI_Init; only ordinary numbers are reduced
//   flags    sums of small integers raise no flag
//   exscan   rank 0 gives no receive buffer
//   dying    an attribute's delete callback makes collective calls on the communicator that goes, whose handle comes
//   back
//   idup     a communicator is being duplicated without waiting while others become worth an engine
//   copied   the process duplicated a communicator so before its first collective call
//   jumping  an error handler leaves by longjmp, on one rank alone; it was set before the first call, later, or
//   inherited
#define _GNU_SOURCE
#include <fenv.h>
#include <mpi.h>
#include <setjmp.h>
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

static void sum_on(MPI_Comm comm, int times) {
  int me, all;
  MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &all);
  for (int i = 0; i < times; ++i) {
    int x = me + i, sum = -1;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == all * (all - 1) / 2 + all * i, "a sum");
  }
}

static void idup(void) {
  sum_on(MPI_COMM_WORLD, 8);
  for (int round = 0; round < 12; ++round) {
    MPI_Comm comm, copy, other;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    sum_on(comm, round % 4);
    MPI_Comm_idup(comm, &copy, &request);
    sum_on(comm, 6);
    sum_on(other, 6);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum_on(copy, 6);
    MPI_Comm_free(&copy), MPI_Comm_free(&other), MPI_Comm_free(&comm);
  }
}

static void copied(void) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum_on(MPI_COMM_WORLD, 50);
  sum_on(copy, 50);
  MPI_Comm_free(&copy);
}

static jmp_buf before_the_mistake;
static int jumps;

static void jump(MPI_Comm* comm, int* code, ...) {
  int class = MPI_SUCCESS;
  (void)comm;
  MPI_Error_class(*code, &class);
  if (class == MPI_ERR_COUNT || class == MPI_ERR_TYPE || class == MPI_ERR_OP) ++jumps;
  longjmp(before_the_mistake, 1);
}

static void make_a_mistake(MPI_Comm comm, int which) {
  int x[2] = {1, 1}, y[2];
  if (rank != 0 || setjmp(before_the_mistake) != 0) return;
  if (which == 0) MPI_Bcast(x, -1, MPI_INT, 0, comm);
  if (which == 1) MPI_Gather(x, 1, MPI_DATATYPE_NULL, y, 1, MPI_INT, 0, comm);
  if (which == 2) MPI_Scan(x, y, 1, MPI_INT, MPI_OP_NULL, comm);
  expect(0, "the handler has come back");
}

static void jumping(void) {
  MPI_Comm early, late, heir;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  MPI_Comm_set_errhandler(early, handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &late);
  MPI_Comm_dup(early, &heir);
  // Mistakes before an engine is due and long after.
  for (int round = 0; round < 30; ++round) {
    if (round == 5) MPI_Comm_set_errhandler(late, handler);
    make_a_mistake(early, round % 3);
    if (round > 5) make_a_mistake(late, round % 3);
    make_a_mistake(heir, round % 3);
    sum_on(MPI_COMM_WORLD, 1), sum_on(early, 1), sum_on(late, 1), sum_on(heir, 1);
  }
  expect(jumps == (rank == 0 ? 84 : 0), "as many jumps as mistakes");
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&early), MPI_Comm_free(&late), MPI_Comm_free(&heir);
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
  if (strcmp(part, "idup") == 0) idup();
  if (strcmp(part, "copied") == 0) copied();
  if (strcmp(part, "jumping") == 0) jumping();
  if (rank == 0 && wrong == 0) puts("all is right");
  MPI_Finalize();
  return wrong != 0;
}
