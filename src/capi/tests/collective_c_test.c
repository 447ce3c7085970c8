// SPDX-License-Identifier: BSD-3-Clause
// Collective calls and plans from C, right and wrong; verdicts are collective.
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { count = 300 };
static int rank, ranks;
static nearfar_team* team;

static int value(int of, int i) { return 7 * of + 3 * i + 1; }

static int sum(int first, int last, int i) {
  int all = 0;
  for (int r = first; r <= last; ++r) all += value(r, i);
  return all;
}

static int wrong_sums(const int* x, int first, int last) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += x[i] != sum(first, last, i);
  return wrong;
}

static void test_reductions(void) {
  int in[count], out[count] = {0};
  for (int i = 0; i < count; ++i) in[i] = value(rank, i);
  OK(nearfar_barrier(team));
  OK(nearfar_allreduce(team, in, out, count, MPI_INT, MPI_SUM));
  CHECK(wrong_sums(out, 0, ranks - 1) == 0);
  OK(nearfar_scan(team, in, out, count, MPI_INT, MPI_SUM));
  CHECK(wrong_sums(out, 0, rank) == 0);
  OK(nearfar_exscan(team, in, out, count, MPI_INT, MPI_SUM));
  CHECK(rank == 0 || wrong_sums(out, 0, rank - 1) == 0);
  OK(nearfar_reduce(team, in, out, count, MPI_INT, MPI_SUM, ranks - 1));
  CHECK(rank < ranks - 1 || wrong_sums(out, 0, ranks - 1) == 0);
  OK(nearfar_allreduce(team, MPI_IN_PLACE, in, count, MPI_INT, MPI_SUM));
  CHECK(wrong_sums(in, 0, ranks - 1) == 0);
}

static void test_scattered_sums(void) {
  int* in = malloc((size_t)ranks * sizeof *in);
  int64_t* ones = malloc((size_t)ranks * sizeof *ones);
  int mine = 0, again = 0;
  for (int r = 0; r < ranks; ++r) in[r] = value(rank, r), ones[r] = 1;
  OK(nearfar_reduce_scatter_block(team, in, &mine, 1, MPI_INT, MPI_SUM));
  OK(nearfar_reduce_scatter(team, in, &again, ones, MPI_INT, MPI_SUM));
  CHECK(mine == sum(0, ranks - 1, rank) && again == mine);
  free(in), free(ones);
}

static void test_movements(void) {
  int mine[2] = {value(rank, 0), value(rank, 1)}, got[2] = {0, 0}, wrong = 0;
  int *all = calloc((size_t)(2 * ranks), sizeof *all), *back = calloc((size_t)(2 * ranks), sizeof *back);
  int64_t *twos = malloc((size_t)ranks * sizeof *twos), *displs = malloc((size_t)ranks * sizeof *displs);
  MPI_Datatype* types = malloc((size_t)ranks * sizeof *types);
  for (int r = 0; r < ranks; ++r) twos[r] = 2, displs[r] = 2 * (ranks - 1 - r), types[r] = MPI_INT;
  OK(nearfar_allgather(team, mine, 2, MPI_INT, all, 2, MPI_INT));
  OK(nearfar_allgatherv(team, mine, 2, MPI_INT, back, twos, displs, MPI_INT));
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < 2; ++i) wrong += all[2 * r + i] != value(r, i) || back[2 * (ranks - 1 - r) + i] != value(r, i);
  OK(nearfar_scatter(team, all, 2, MPI_INT, got, 2, MPI_INT, 0));
  wrong += got[0] != mine[0] || got[1] != mine[1];
  OK(nearfar_scatterv(team, back, twos, displs, MPI_INT, got, 2, MPI_INT, 0));
  wrong += got[0] != mine[0] || got[1] != mine[1];
  memset(back, 0, (size_t)(2 * ranks) * sizeof *back);
  OK(nearfar_gather(team, mine, 2, MPI_INT, back, 2, MPI_INT, 0));
  wrong += rank == 0 && memcmp(all, back, (size_t)(2 * ranks) * sizeof *back) != 0;
  OK(nearfar_gatherv(team, mine, 2, MPI_INT, back, twos, displs, MPI_INT, 0));
  for (int r = 0; r < ranks; ++r) wrong += rank == 0 && back[2 * (ranks - 1 - r)] != value(r, 0);
  OK(nearfar_bcast(team, got, 2, MPI_INT, ranks - 1));
  wrong += got[0] != value(ranks - 1, 0) || got[1] != value(ranks - 1, 1);
  OK(nearfar_alltoall(team, all, 2, MPI_INT, back, 2, MPI_INT));
  for (int r = 0; r < ranks; ++r) wrong += back[2 * r] != value(rank, 0);
  OK(nearfar_alltoallv(team, all, twos, displs, MPI_INT, back, twos, displs, MPI_INT));
  for (int r = 0; r < ranks; ++r) wrong += back[2 * r] != value(ranks - 1 - rank, 0);
  for (int r = 0; r < ranks; ++r) displs[r] *= (int64_t)sizeof(int);
  OK(nearfar_alltoallw(team, all, twos, displs, types, back, twos, displs, types));
  for (int r = 0; r < ranks; ++r) wrong += back[2 * r] != value(ranks - 1 - rank, 0);
  CHECK(wrong == 0);
  CHECK(nearfar_collectives_describe(team) != NULL);
  free(all), free(back), free(twos), free(displs), free(types);
}

static void test_memory(void) {
  void *memory = NULL, *none = NULL;
  OK(nearfar_allocate(team, count * (int64_t)sizeof(int), &memory));
  int* x = memory;
  for (int i = 0; i < count; ++i) x[i] = value(rank, i);
  OK(nearfar_allreduce(team, MPI_IN_PLACE, x, count, MPI_INT, MPI_SUM));
  CHECK(wrong_sums(x, 0, ranks - 1) == 0);
  OK(nearfar_barrier(team));
  OK(nearfar_free(team, &memory));
  CHECK(memory == NULL);
  OK(nearfar_free(team, &memory));
  WRONG(nearfar_allocate(team, -1, &none), "-1");
  none = &failures;
  WRONG(nearfar_free(team, &none), "not from nearfar_allocate");
}

static void test_plans(void) {
  const nearfar_plan_options quick = {.size = sizeof(nearfar_plan_options), .name = "sums", .budget_s = 0.01};
  int in[count], out[count], data[2], done = 0;
  nearfar_collective_plan *sums, *news;
  for (int i = 0; i < count; ++i) in[i] = value(rank, i);
  OK(nearfar_collective_plan_allreduce(team, in, out, count, MPI_INT, MPI_SUM, &quick, &sums));
  OK(nearfar_collective_plan_bcast(team, data, 2, MPI_INT, 0, NULL, &news));
  for (int round = 0; round < 5; ++round) {
    data[0] = data[1] = rank == 0 ? round : -1;
    memset(out, 0, sizeof out);
    OK(nearfar_collective_plan_start(rank % 2 == 0 ? sums : news));
    OK(nearfar_collective_plan_start(rank % 2 == 0 ? news : sums));
    while (!done && nearfar_collective_plan_test(news, &done) == NEARFAR_OK) continue;
    OK(nearfar_collective_plan_finish(sums));
    OK(nearfar_collective_plan_finish(news));
    CHECK(data[1] == round && wrong_sums(out, 0, ranks - 1) == 0);
  }
  OK(nearfar_collective_plan_run(sums));
  CHECK(strstr(nearfar_collective_plan_describe(sums), "sums") != NULL &&
        nearfar_collective_plan_tuned_seconds(sums) > 0);
  CHECK(strlen(nearfar_collective_plan_method(sums)) > 0 && strlen(nearfar_collective_plan_start_method(sums)) > 0);
  WRONG(nearfar_collective_plan_finish(sums), "without start");
  OK(nearfar_collective_plan_start(sums));
  WRONG(nearfar_collective_plan_start(sums), "in flight");
  OK(nearfar_collective_plan_finish(sums));
  OK(nearfar_collective_plan_free(&sums));
  CHECK(sums == NULL);
  WRONG(nearfar_collective_plan_run(sums), "NULL");
  OK(nearfar_collective_plan_free(&sums));
  OK(nearfar_collective_plan_free(&news));
}

static void test_mistakes(void) {
  const nearfar_plan_options unknown = {.size = sizeof(nearfar_plan_options), .method = "swift"};
  int x[4] = {0}, y[4] = {0};
  nearfar_collective_plan* plan;
  WRONG(nearfar_bcast(team, x, 4, MPI_INT, ranks), "root");
  WRONG(nearfar_allreduce(team, x, y, -1, MPI_INT, MPI_SUM), "-1");
  WRONG(nearfar_barrier(NULL), "team is NULL");
  WRONG(nearfar_collective_plan_barrier(team, NULL, NULL), "'plan', is NULL");
  WRONG(nearfar_collective_plan_allreduce(team, x, y, 4, MPI_INT, MPI_SUM, &unknown, &plan), "swift");
  CHECK(plan == NULL);
  if (ranks > 1) WRONG(nearfar_collective_plan_bcast(team, x, rank == 0 ? 4 : 3, MPI_INT, 0, NULL, &plan), "16 B");
}

static void test_algorithms(void) {
  int many = 0, found = 0;
  const nearfar_method_info* all = nearfar_methods("allreduce", &many);
  for (int i = 0; i < many; ++i)
    if (strcmp(all[i].name, "near-lines") == 0) found = all[i].is_candidate && all[i].description[0];
  CHECK(found);
}

static void test_free_with_team(void) {
  nearfar_team* short_lived;
  nearfar_collective_plan* plan;
  void* memory;
  OK(nearfar_team_create(everyone, NULL, &short_lived));
  OK(nearfar_collective_plan_barrier(short_lived, NULL, &plan));
  OK(nearfar_allocate(short_lived, 100, &memory));
  OK(nearfar_team_free(&short_lived));
  WRONG(nearfar_collective_plan_run(plan), "freed with its team");
  OK(nearfar_collective_plan_free(&plan));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    test_reductions();
    test_scattered_sums();
    test_movements();
    test_memory();
    test_plans();
    test_mistakes();
    test_algorithms();
    test_free_with_team();
  }
  return end_checks();
}
