/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread teams from C with POSIX threads: every call, right and wrong. */
#include <nearfar/nearfar.h>
#include <pthread.h>
#include <shapes.h>
#include <stdio.h>
#include <string.h>

enum { threads = 3, count = 100 };
static nearfar_thread_team* all;
static MPI_Comm everyone; /* the ranks of the present shape */
static int failures[threads];

static void check_at(int thread, int line, int ok, const char* what) {
  if (ok) return;
  ++failures[thread];
  fprintf(stderr, "line %d, thread %d: %s (last error: %s)\n", line, thread, what, nearfar_last_error());
}

#define CHECK(condition) check_at(me, __LINE__, (condition), #condition)
#define OK(call) check_at(me, __LINE__, (call) == NEARFAR_OK, #call)
#define WRONG(call, word) \
  check_at(me, __LINE__, (call) == NEARFAR_USAGE_ERROR && strstr(nearfar_last_error(), word) != NULL, #call ": " word)

static int are_all(const double* data, int n, double value) {
  for (int i = 0; i < n; ++i)
    if (data[i] != value) return 0;
  return 1;
}

static void fill(double* data, int n, double value) {
  for (int i = 0; i < n; ++i) data[i] = value;
}

static void* take_part(void* argument) {
  const int me = *(const int*)argument;
  const int64_t size = nearfar_thread_team_size(all);
  int rank = 0;
  MPI_Comm_rank(everyone, &rank);
  const int64_t number = nearfar_thread_team_first_of(all, rank) + me;
  const double sum = (double)(size * (size + 1) / 2);
  double in[count], out[count], many[64 * 4];
  const void* seen = NULL;
  fill(in, count, (double)(number + 1));

  OK(nearfar_thread_barrier(all, me));
  OK(nearfar_thread_allreduce(all, me, in, out, count, MPI_DOUBLE, MPI_SUM));
  CHECK(are_all(out, count, sum));
  memcpy(out, in, sizeof out);
  OK(nearfar_thread_allreduce(all, me, MPI_IN_PLACE, out, 5, MPI_DOUBLE, MPI_MAX));
  CHECK(are_all(out, 5, (double)size) && out[5] == in[5]);
  OK(nearfar_thread_allreduce_view(all, me, in, count, MPI_DOUBLE, MPI_SUM, &seen));
  CHECK(seen != NULL && are_all(seen, count, sum));
  fill(out, count, -1);
  OK(nearfar_thread_reduce(all, me, in, out, count, MPI_DOUBLE, MPI_SUM, 0, 1));
  CHECK(are_all(out, count, number == 1 ? sum : -1));
  fill(out, count, (double)number);
  OK(nearfar_thread_bcast(all, me, out, count, MPI_DOUBLE, 0, 2));
  CHECK(are_all(out, count, 2));
  OK(nearfar_thread_allgather(all, me, in, many, 4, MPI_DOUBLE));
  for (int64_t t = 0; t < size; ++t) CHECK(are_all(many + 4 * t, 4, (double)(t + 1)));
  fill(many, (int)(4 * size), (double)(number + 1));
  OK(nearfar_thread_reduce_scatter_block(all, me, many, out, 4, MPI_DOUBLE, MPI_SUM));
  CHECK(are_all(out, 4, sum));

  WRONG(nearfar_thread_barrier(all, threads), "no thread 3");
  WRONG(nearfar_thread_allreduce_view(all, me, in, count, MPI_DOUBLE, MPI_SUM, NULL), "'result'");
  WRONG(nearfar_thread_allreduce(all, me, in, out, -1, MPI_DOUBLE, MPI_SUM), "-1");
  OK(nearfar_thread_barrier(all, me));
  if (me == 1) OK(nearfar_thread_abandon(all, me));
  if (me != 1) CHECK(nearfar_thread_barrier(all, me) == NEARFAR_TRANSPORT_ERROR);
  return NULL;
}

static void test_handles(nearfar_team* team) {
  const int me = 0;
  nearfar_thread_team* none = NULL;
  WRONG(nearfar_thread_team_create(NULL, 2, &none), "team is NULL");
  WRONG(nearfar_thread_team_create(team, 0, &none), "0 threads");
  WRONG(nearfar_thread_barrier(none, 0), "thread team is NULL");
  CHECK(nearfar_thread_team_threads(none) == -1 && nearfar_thread_team_describe(none) == NULL);
  OK(nearfar_thread_team_free(&none));
  CHECK(nearfar_thread_team_threads(all) == threads && nearfar_thread_team_first_of(all, 0) == 0);
  CHECK(nearfar_thread_team_first_of(all, -1) == -1);
  CHECK(strlen(nearfar_thread_team_describe(all)) > 0);
}

static void test_all(void) {
  static int numbers[threads];
  pthread_t others[threads];
  nearfar_team* team;
  NEARFAR_TRY(nearfar_team_create(everyone, NULL, &team));
  NEARFAR_TRY(nearfar_thread_team_create(team, threads, &all));
  test_handles(team);
  for (int t = 0; t < threads; ++t) numbers[t] = t;
  for (int t = 1; t < threads; ++t) pthread_create(&others[t], NULL, take_part, &numbers[t]);
  take_part(&numbers[0]);
  for (int t = 1; t < threads; ++t) pthread_join(others[t], NULL);
  NEARFAR_TRY(nearfar_thread_team_free(&all));
  NEARFAR_TRY(nearfar_team_free(&team));
}

int main(int argc, char** argv) {
  int level = 0, sum = 0, total = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  while (nearfar_test_next_shape(&everyone)) test_all();
  for (int t = 0; t < threads; ++t) sum += failures[t];
  MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
