// SPDX-License-Identifier: BSD-3-Clause
// What MPI lets a program do and a preloaded library might break:  rules PART
//
//   traps    floating-point exceptions trap, before and after MPI_Init; only ordinary numbers are reduced
//   flags    sums of small integers raise no flag
//   exscan   rank 0 gives no receive buffer
//   own      what one rank alone may have: anything where an argument is not significant, in place, no memory for
//   nothing, types that lay the same elements out in another way, one array for what is sent and what is received
//   slow     how often an operation that takes milliseconds is executed, once the first calls are over
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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// Blocks of `n` elements; element i of rank r is 100 r + i.
enum { most = 1200, most_ranks = 8 };
static int x[2 * most_ranks * most], y[2 * most_ranks * most];
static void* volatile nowhere = (void*)(intptr_t)24;  // the compiler does not look into it

static void fill(int* to, int of, int n) {
  for (int i = 0; i < n; ++i) to[i] = 100 * of + i;
}

static void expect_block(const int* found, int of, int n, const char* what) {
  for (int i = 0; i < n; ++i) expect(found[i] == 100 * of + i, what);
}

static void expect_sum(const int* found, int first, int end, int n, const char* what) {
  for (int i = 0; i < n; ++i)
    expect(found[i] == 50 * (end * (end - 1) - first * (first - 1)) + (end - first) * i, what);
}

static void reductions_of_one_rank(int n, int root, int is_exscan_ours) {
  const int is_odd = rank % 2;
  int counts[most_ranks];
  fill(x, rank, n);
  MPI_Reduce(x, rank == root ? y : x, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (rank == root) expect_sum(y, 0, ranks, n, "a sum whose other receive buffers are the send buffers");
  fill(y, rank, n);
  MPI_Reduce(rank == root ? MPI_IN_PLACE : x, rank == root ? y : nowhere, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (rank == root) expect_sum(y, 0, ranks, n, "a sum in place on the root");
  if (is_exscan_ours) {
    MPI_Exscan(x, rank == 0 ? x : y, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) expect_sum(y, 0, rank, n, "an exclusive scan whose first receive buffer is the send buffer");
    expect_block(x, rank, n, "what an exclusive scan sends");
  }
  fill(y, rank, n);
  MPI_Exscan(is_odd ? x : MPI_IN_PLACE, y, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank > 0) expect_sum(y, 0, rank, n, "an exclusive scan in place on some ranks");
  fill(y, rank, n);
  MPI_Scan(is_odd ? x : MPI_IN_PLACE, y, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_sum(y, 0, rank + 1, n, "a scan in place on some ranks");
  fill(y, rank, n);
  MPI_Allreduce(is_odd ? x : MPI_IN_PLACE, y, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_sum(y, 0, ranks, n, "a sum in place on some ranks");
  for (int r = 0; r < ranks; ++r) counts[r] = r == root ? n : 0;
  MPI_Reduce_scatter(x, rank == root ? y : NULL, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == root) expect_sum(y, 0, ranks, n, "a part of a sum, the others being empty");
}

static void insignificant(int n, int root) {
  const int is_root = rank == root;
  int counts[most_ranks], places[most_ranks], *const nothing = nowhere;
  for (int r = 0; r < ranks; ++r) counts[r] = n, places[r] = r * n;
  const MPI_Datatype type = is_root ? MPI_INT : MPI_DATATYPE_NULL;
  for (int in_place = 0; in_place < 2; ++in_place) {
    const int is_both = in_place && is_root;
    int *const own = x + rank * n, *const to = is_root ? y : nothing, *const from = is_root ? y : nothing;
    fill(own, rank, n), fill(y + rank * n, rank, n);
    MPI_Gather(is_both ? MPI_IN_PLACE : own, is_both ? -3 : n, is_both ? MPI_DATATYPE_NULL : MPI_INT, to,
               is_root ? n : -5, type, root, MPI_COMM_WORLD);
    for (int r = 0; is_root && r < ranks; ++r) expect_block(y + r * n, r, n, "a gathered block");
    memset(x, -1, sizeof x);
    MPI_Scatter(from, is_root ? n : -5, type, is_both ? MPI_IN_PLACE : x, is_both ? -3 : n,
                is_both ? MPI_DATATYPE_NULL : MPI_INT, root, MPI_COMM_WORLD);
    if (!is_both) expect_block(x, rank, n, "a scattered block");
    fill(own, rank, n), fill(y + rank * n, rank, n);
    MPI_Gatherv(is_both ? MPI_IN_PLACE : own, is_both ? -3 : n, is_both ? MPI_DATATYPE_NULL : MPI_INT, to,
                is_root ? counts : nothing, is_root ? places : nothing, type, root, MPI_COMM_WORLD);
    for (int r = 0; is_root && r < ranks; ++r) expect_block(y + r * n, r, n, "a gathered block of a list");
    memset(x, -1, sizeof x);
    MPI_Scatterv(from, is_root ? counts : nothing, is_root ? places : nothing, type, is_both ? MPI_IN_PLACE : x,
                 is_both ? -3 : n, is_both ? MPI_DATATYPE_NULL : MPI_INT, root, MPI_COMM_WORLD);
    if (!is_both) expect_block(x, rank, n, "a scattered block of a list");
  }
}

// Every second rank has one element of a longer type instead of `n` numbers.
static void other_types(int n, int root) {
  MPI_Datatype longer, spaced;
  MPI_Type_contiguous(n, MPI_INT, &longer), MPI_Type_commit(&longer);
  MPI_Type_vector(n, 1, 2, MPI_INT, &spaced), MPI_Type_commit(&spaced);
  const int is_odd = rank % 2, count = is_odd ? 1 : n;
  const MPI_Datatype type = is_odd ? longer : MPI_INT;
  fill(x, rank == root ? 7 : 0, n);
  for (int i = 0; rank == root && i < n; ++i) y[2 * i] = 700 + i;
  MPI_Bcast(rank == root ? y : x, rank == root ? 1 : count, rank == root ? spaced : type, root, MPI_COMM_WORLD);
  if (rank != root) expect_block(x, 7, n, "a broadcast of other types");
  fill(x, rank, n);
  MPI_Gather(x, count, type, y, count, type, root, MPI_COMM_WORLD);
  for (int r = 0; rank == root && r < ranks; ++r) expect_block(y + r * n, r, n, "a gathered block of other types");
  MPI_Allgather(x, is_odd ? n : 1, is_odd ? MPI_INT : longer, y, count, type, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_block(y + r * n, r, n, "an allgathered block of other types");
  MPI_Scatter(y, is_odd ? n : 1, is_odd ? MPI_INT : longer, x, count, type, root, MPI_COMM_WORLD);
  expect_block(x, rank, n, "a scattered block of other types");
  for (int r = 0; r < ranks; ++r) fill(x + r * n, 10 * rank + r, n);
  MPI_Alltoall(x, count, type, y, is_odd ? n : 1, is_odd ? MPI_INT : longer, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_block(y + r * n, 10 * r + rank, n, "an exchanged block of other types");
  MPI_Type_free(&longer), MPI_Type_free(&spaced);
}

// The blocks that are sent lie in the first half of an array, those that are received in the second.
static void one_array(int n, int root) {
  int sent[most_ranks], received[most_ranks], from[most_ranks], to[most_ranks], from_bytes[most_ranks],
      to_bytes[most_ranks];
  MPI_Datatype sent_types[most_ranks], received_types[most_ranks];
  for (int r = 0; r < ranks; ++r) {
    sent[r] = received[r] = n, from[r] = r * n, to[r] = (ranks + r) * n;
    from_bytes[r] = 4 * from[r], to_bytes[r] = 4 * to[r];
    sent_types[r] = received_types[r] = MPI_INT;
  }
  fill(x, rank, n);
  MPI_Gatherv(x, n, MPI_INT, x, received, to, MPI_INT, root, MPI_COMM_WORLD);
  for (int r = 0; rank == root && r < ranks; ++r) expect_block(x + to[r], r, n, "a gathered block of one array");
  MPI_Allgatherv(x, n, MPI_INT, x, received, to, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_block(x + to[r], r, n, "an allgathered block of one array");
  MPI_Scatterv(x, received, to, MPI_INT, x, n, MPI_INT, root, MPI_COMM_WORLD);
  expect_block(x, rank, n, "a scattered block of one array");
  for (int r = 0; r < ranks; ++r) fill(x + from[r], 10 * rank + r, n);
  MPI_Alltoallv(x, sent, from, MPI_INT, x, received, to, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_block(x + to[r], 10 * r + rank, n, "an exchanged block of one array");
  MPI_Alltoallw(x, sent, from_bytes, sent_types, x, received, to_bytes, received_types, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) expect_block(x + to[r], 10 * r + rank, n, "a typed block of one array");
  // The last rank only receives, the others only send to it; who has nothing gives no memory.
  const int last = ranks - 1, is_last = rank == last;
  for (int r = 0; r < ranks; ++r) {
    sent[r] = !is_last && r == last ? n : 0, received[r] = is_last && r != last ? n : 0;
#ifdef MPICH  // Open MPI refuses null types also where nothing is sent
    if (sent[r] == 0) sent_types[r] = MPI_DATATYPE_NULL;
    if (received[r] == 0) received_types[r] = MPI_DATATYPE_NULL;
#endif
  }
  fill(x + from[last], rank, n);
  MPI_Alltoallv(is_last ? NULL : x, sent, from, MPI_INT, is_last ? x : NULL, received, to, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; is_last && r < last; ++r) expect_block(x + to[r], r, n, "a block for the last rank");
  fill(x + from[last], rank, n);
  MPI_Alltoallw(x, sent, from_bytes, sent_types, x, received, to_bytes, received_types, MPI_COMM_WORLD);
  for (int r = 0; is_last && r < last; ++r) expect_block(x + to[r], r, n, "a typed block for the last rank");
  MPI_Gatherv(is_last ? NULL : x + from[last], is_last ? 0 : n, MPI_INT, x, received, to, MPI_INT, last,
              MPI_COMM_WORLD);
  for (int r = 0; is_last && r < last; ++r) expect_block(x + to[r], r, n, "a gathered block for the last rank");
}

static void own(void) {
  for (int i = 0; i < 8; ++i) fill(x, i, 1), MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int round = 0; round < 2 * ranks; ++round) {
    const int n = round % 2 ? 1 : most, root = round / 2;
#ifdef MPICH  // refuses it in a call that is left to it, as short ones between nodes are
    const int is_exscan_ours = n == most || getenv("NEARFAR_NODE_SIZE") == NULL;
#else
    const int is_exscan_ours = 1;
#endif
    reductions_of_one_rank(n, root, is_exscan_ours);
    insignificant(n, root);
    other_types(n, root);
    one_array(n, root);
  }
}

static int executions;

static void add_slowly(void* in, void* inout, int* n, MPI_Datatype* type) {
  const struct timespec pause = {0, 2000000};
  (void)type;
  ++executions;
  nanosleep(&pause, NULL);
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void slow(void) {
  enum { first_calls = 6, calls = 4 };
  const char* const names[] = {"allreduce", "reduce", "scan"};
  MPI_Op op;
  MPI_Op_create(add_slowly, 1, &op);
  for (int kind = 0; kind < 3; ++kind) {
    int all = 0;
    for (int i = 0; i < first_calls + calls; ++i) {
      const int one = 1;
      int sum = -1;
      if (i == first_calls) executions = 0;
      if (kind == 0) MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
      if (kind == 1) MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
      if (kind == 2) MPI_Scan(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
      expect(sum == (kind == 2 ? rank + 1 : kind == 0 || rank == 0 ? ranks : -1), "a slow sum");
    }
    MPI_Reduce(&executions, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("slow %s: %d executions\n", names[kind], all);
  }
  MPI_Op_free(&op);
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
  if (strcmp(part, "own") == 0) own();
  if (strcmp(part, "slow") == 0) slow();
  if (strcmp(part, "dying") == 0) dying();
  if (strcmp(part, "idup") == 0) idup();
  if (strcmp(part, "copied") == 0) copied();
  if (strcmp(part, "jumping") == 0) jumping();
  if (rank == 0 && wrong == 0) puts("all is right");
  MPI_Finalize();
  return wrong != 0;
}
