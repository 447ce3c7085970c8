// SPDX-License-Identifier: BSD-3-Clause
// changed HOW FOLDER: after some collectives the process changes so that near ranks can map or read no more of it, or
// it may have no more files; then more and larger ones, on an old and on a new communicator, in memory of both kinds.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../changed/changes.h"

enum { cannot = 77, most = 1 << 15, rounds = 5 };
static int rank, ranks, wrong;

static void expect(int is, int wanted, const char* call, int n, int i) {
  if (is != wanted && wrong++ < 5)
    printf("WRONG: rank %d, %s of %d: element %d is %d and not %d\n", rank, call, n, i, is, wanted);
}

// n numbers of each rank, as the output of a call.
static void expect_all(const int* b, const char* call, int n, int t) {
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i) expect(b[r * n + i], 100 * r + 10 * rank + i + t, call, n, i);
}

static void fill(int* a, int n, int t) {
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i) a[r * n + i] = 100 * rank + 10 * r + i + t;
}

static void reductions(MPI_Comm comm, int n, int t, int* a, int* b) {
  for (int i = 0; i < n; ++i) a[i] = rank + i + t;
  MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) expect(b[i], ranks * (i + t) + ranks * (ranks - 1) / 2, "allreduce", n, i);
  MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) expect(a[i], b[i], "allreduce in place", n, i);
}

static void movements(MPI_Comm comm, int n, int t, int* a, int* b) {
  const int root = t % ranks;
  int counts[16], places[16];
  for (int r = 0; r < ranks; ++r) counts[r] = n, places[r] = r * n;
  fill(a, n, t);
  MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, comm);
  expect_all(b, "alltoall", n, t);
  memset(b, 0, sizeof *b * (size_t)(n * ranks));
  MPI_Alltoallv(a, counts, places, MPI_INT, b, counts, places, MPI_INT, comm);
  expect_all(b, "alltoallv", n, t);
  MPI_Gather(a + root * n, n, MPI_INT, b, n, MPI_INT, root, comm);
  if (rank == root) expect_all(b, "gather", n, t);
  memset(b, 0, sizeof *b * (size_t)(n * ranks));
  MPI_Gatherv(a + root * n, n, MPI_INT, b, counts, places, MPI_INT, root, comm);
  if (rank == root) expect_all(b, "gatherv", n, t);
  MPI_Scatter(a, n, MPI_INT, b, n, MPI_INT, root, comm);
  for (int i = 0; i < n; ++i) expect(b[i], 100 * root + 10 * rank + i + t, "scatter", n, i);
  MPI_Bcast(b, n, MPI_INT, root, comm);
  for (int i = 0; i < n; ++i) expect(b[i], 110 * root + i + t, "bcast", n, i);
  MPI_Allgather(b, n, MPI_INT, a, n, MPI_INT, comm);
  for (int i = 0; i < n * ranks; ++i) expect(a[i], 110 * root + i % n + t, "allgather", n, i);
}

static void all_kinds(MPI_Comm comm, int is_near, int least, int longest) {
  const size_t bytes = sizeof(int) * (size_t)(longest * ranks);
  int *a, *b;
  if (is_near) {
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &a);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &b);
  } else {
    a = malloc(bytes);
    b = malloc(bytes);
  }
  for (int t = 0; t < rounds; ++t)
    for (int n = least; n <= longest; n *= 32) {
      reductions(comm, n, t, a, b);
      movements(comm, n, t, a, b);
    }
  MPI_Barrier(comm);
  if (is_near) {
    MPI_Free_mem(a);
    MPI_Free_mem(b);
  } else {
    free(a);
    free(b);
  }
}

static void change(const char* how, const char* folder) {
  if (strncmp(how, "main-", 5) == 0) return;
  if (chdir(folder) == 0 && change_process(how) == 0) return;
  perror(how);
  exit(cannot);
}

static sem_t has_begun;
static char** words;

static void* work(void* unused) {
  (void)unused;
  int given = 0;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  all_kinds(MPI_COMM_WORLD, 0, 1, 32);
  all_kinds(MPI_COMM_WORLD, 1, 2048, 2048);
  change(words[1], words[2]);
  sem_post(&has_begun);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int is_near = 0; is_near < 2; ++is_near) all_kinds(MPI_COMM_WORLD, is_near, 1, most);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int is_near = 0; is_near < 2; ++is_near) all_kinds(other, is_near, 32, most);
  MPI_Comm_free(&other);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", wrong == 0 ? "all is right" : "WRONG");
  fflush(stdout);
  MPI_Finalize();
  exit(wrong != 0);
}

int main(int count, char** given) {
  if (count < 3) return 1;
  words = given;
  sem_init(&has_begun, 0, 0);
  if (strncmp(given[1], "main-", 5) != 0) work(NULL);
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  if (strcmp(given[1], "main-ends") == 0) sem_wait(&has_begun);
  pthread_exit(NULL);  // "main-ends-early": before MPI_Init
}
