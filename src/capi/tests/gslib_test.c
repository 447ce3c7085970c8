// SPDX-License-Identifier: BSD-3-Clause
// gslib's calls against brute force over the ids and values of all ranks; first under their own names, with gslib's own case.
#include <nearfar/gslib_names.h>
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { n = 90, kinds_of_ids = 5, most_ranks = 8 };
static int rank, ranks, sent;
static nearfar_team* team;

/* The library's messages pass through here. */
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++sent;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* Ids with duplicates on a rank, shared or not; with kind: 1 zeros, 2 flags, 3 both and sparse up to 2^62, 4 nothing on rank 0. */
static int64_t id_of(int kind, int of, int i) {
  int64_t id = 1 + (i * i + 17 * of) % 41 + (i % 5 == 0 ? 1000 * (of + 1) : 0);
  if (kind == 3) id *= (int64_t)1 << 51;
  if ((kind == 1 || kind == 3) && (i + of) % 7 == 0) return 0;
  if ((kind == 2 || kind == 3) && ((i % 3 == 1) ^ (of % 2 == 1))) return -id;
  return kind == 4 && of == 0 ? 0 : id;
}

static double value_of(int of, int i) { return (double)(1 + (of * 7 + i * 3) % 5); }

static double combined(nearfar_scatter_op op, double a, double b) {
  switch (op) {
    case NEARFAR_PLUS:
      return a + b;
    case NEARFAR_MULTIPLY:
      return a * b;
    case NEARFAR_MINIMUM:
      return b < a ? b : a;
    default:
      return b > a ? b : a;
  }
}

/* What entry i of this rank must have. */
static double expected(const int64_t* ids, nearfar_scatter_op op, int transpose, int i, double scale) {
  const int64_t mine = ids[rank * n + i], group = llabs(mine);
  double result = 0;
  int contributions = 0;
  if (mine == 0 || (mine < 0 && transpose)) return scale * value_of(rank, i);
  for (int r = 0; r < ranks; ++r)
    for (int j = 0; j < n; ++j) {
      const int64_t other = ids[r * n + j];
      if (llabs(other) != group || (other < 0 && !transpose)) continue;
      const double v = scale * value_of(r, j);
      result = contributions++ == 0 ? v : combined(op, result, v);
    }
  if (contributions > 0) return result;
  if (op == NEARFAR_PLUS) return 0;
  if (op == NEARFAR_MULTIPLY) return 1;
  return op == NEARFAR_MINIMUM ? 1 / 0.0 : -1 / 0.0;
}

static int wrong_values(const double* u, int stride, const int64_t* ids, nearfar_scatter_op op, int transpose,
                        double scale) {
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += u[i * stride] != expected(ids, op, transpose, i, scale);
  return wrong;
}

static void test_operations(const int64_t* ids, nearfar_gs_data* g) {
  const nearfar_scatter_op ops[] = {NEARFAR_PLUS, NEARFAR_MINIMUM, NEARFAR_MAXIMUM};
  double u[n], pairs[n][2];
  for (int t = 0; t < 2; ++t)
    for (int o = 0; o < 3; ++o) {
      for (int i = 0; i < n; ++i) u[i] = value_of(rank, i), pairs[i][0] = u[i], pairs[i][1] = 8 * u[i];
      OK(nearfar_gs(u, NEARFAR_FLOAT64, ops[o], t, g));
      CHECK(wrong_values(u, 1, ids, ops[o], t, 1) == 0);
      OK(nearfar_gs_vec(pairs, 2, NEARFAR_FLOAT64, ops[o], t, g));
      CHECK(wrong_values(&pairs[0][0], 2, ids, ops[o], t, 1) == 0);
      CHECK(wrong_values(&pairs[0][1], 2, ids, ops[o], t, 8) == 0);
    }
}

/* 18 arrays travel as 16 and 2; two calls wait at once. */
static void test_many(const int64_t* ids, nearfar_gs_data* g) {
  static double u[18][n];
  void* all[18];
  int handles[2], wrong = 0;
  for (int k = 0; k < 18; ++k) all[k] = u[k];
  for (int k = 0; k < 18; ++k)
    for (int i = 0; i < n; ++i) u[k][i] = (k + 1) * value_of(rank, i);
  OK(nearfar_gs_many(all, 18, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g));
  for (int k = 0; k < 18; ++k) wrong += wrong_values(u[k], 1, ids, NEARFAR_PLUS, 0, k + 1);
  CHECK(wrong == 0);
  for (int i = 0; i < n; ++i) u[0][i] = value_of(rank, i), u[1][i] = 3 * u[0][i];
  OK(nearfar_igs(u[0], NEARFAR_FLOAT64, NEARFAR_MAXIMUM, 1, g, &handles[0]));
  OK(nearfar_igs_many(all + 1, 1, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g, &handles[1]));
  OK(nearfar_gs_wait(handles[1]));
  OK(nearfar_gs_wait(handles[0]));
  CHECK(wrong_values(u[0], 1, ids, NEARFAR_MAXIMUM, 1, 1) == 0);
  CHECK(wrong_values(u[1], 1, ids, NEARFAR_PLUS, 0, 3) == 0);
  WRONG(nearfar_gs_wait(handles[0]), "no call with handle");
}

/* Calls begun together end in any order, a blocking one among them, arrays travelling as 16 and 2. */
static void test_begun_together(const int64_t* ids, nearfar_gs_data* g, nearfar_gs_data* other) {
  static double u[18][n], v[n], w[n];
  void* all[18];
  int many, late, elsewhere, wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 18; ++k) u[k][i] = (k + 1) * value_of(rank, i), all[k] = u[k];
    v[i] = w[i] = value_of(rank, i);
  }
  double x[n];
  memcpy(x, v, sizeof x);
  OK(nearfar_igs_many(all, 18, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g, &many));
  OK(nearfar_igs(v, NEARFAR_FLOAT64, NEARFAR_MINIMUM, 0, g, &late));
  OK(nearfar_igs(x, NEARFAR_FLOAT64, NEARFAR_PLUS, 1, other, &elsewhere));
  OK(nearfar_gs(w, NEARFAR_FLOAT64, NEARFAR_MAXIMUM, 0, g));
  OK(nearfar_gs_wait(elsewhere));
  OK(nearfar_gs_wait(late));
  OK(nearfar_gs_wait(many));
  for (int k = 0; k < 18; ++k) wrong += wrong_values(u[k], 1, ids, NEARFAR_PLUS, 0, k + 1);
  CHECK(wrong == 0 && wrong_values(v, 1, ids, NEARFAR_MINIMUM, 0, 1) == 0);
  CHECK(wrong_values(w, 1, ids, NEARFAR_MAXIMUM, 0, 1) == 0 && wrong_values(x, 1, ids, NEARFAR_PLUS, 1, 1) == 0);
}

/* Messages leave when a call begins; a call whose handle is freed is no longer there to wait for. */
static void test_beginning(void) {
  int64_t ids[2] = {7, 100 + rank};
  double u[2] = {1, 2};
  int handle, next, before;
  nearfar_gs_data* g;
  OK(nearfar_gs_setup(team, ids, 2, 0, "isend", &g));
  OK(nearfar_gs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g)); /* sets messages up */
  CHECK(u[0] == ranks && u[1] == 2);
  before = sent;
  OK(nearfar_igs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g, &handle));
  /* The group's owner has nothing to contribute to others, all others send it their part. */
  const int mine = sent > before;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, verdicts);
  CHECK(all == ranks - 1);
  OK(nearfar_gs_wait(handle));
  CHECK(u[0] == (double)ranks * ranks && u[1] == 2);
  OK(nearfar_igs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g, &handle));
  OK(nearfar_igs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g, &next));
  OK(nearfar_gs_free(&g));
  WRONG(nearfar_gs_wait(handle), "was freed before");
  WRONG(nearfar_gs_wait(next), "was freed before");
}

/* Sums whose rounding depends on the order: the same bits in every copy. */
static void test_bits(int kind, const int64_t* ids, nearfar_gs_data* g) {
  static double all[most_ranks * n];
  double u[n];
  int wrong = 0;
  for (int i = 0; i < n; ++i) u[i] = 1.0 / (3 + rank + 5 * i);
  OK(nearfar_gs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g));
  MPI_Allgather(u, n, MPI_DOUBLE, all, n, MPI_DOUBLE, verdicts);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ranks * n; ++j)
      if (ids[j] != 0 && llabs(ids[j]) == llabs(id_of(kind, rank, i))) wrong += memcmp(&all[j], &u[i], sizeof *u) != 0;
  CHECK(wrong == 0);
}

static void test_kind(int kind) {
  int64_t ids[most_ranks * n];
  nearfar_gs_data* g;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i) ids[r * n + i] = id_of(kind, r, i);
  OK(nearfar_gs_setup(team, ids + rank * n, n, 0, NULL, &g));
  test_operations(ids, g);
  nearfar_gs_data* other;
  OK(nearfar_gs_setup(team, ids + rank * n, n, 0, NULL, &other));
  test_many(ids, g);
  test_begun_together(ids, g, other);
  OK(nearfar_gs_free(&other));
  test_bits(kind, ids, g);
  CHECK(strstr(nearfar_gs_describe(g), "gslib") != NULL);
  OK(nearfar_gs_free(&g));
  CHECK(g == NULL);
}

/* One entry of each group stays unflagged, on a rank that had it unflagged; setup with `unique` does the same. */
static void test_unique(int kind) {
  static int64_t ids[most_ranks * n], flagged[most_ranks * n];
  int64_t mine[n];
  double u[n], v[n];
  nearfar_gs_data *with_flags, *by_setup;
  int wrong = 0;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i) ids[r * n + i] = id_of(kind, r, i);
  memcpy(mine, ids + rank * n, sizeof mine);
  OK(nearfar_gs_unique(team, mine, n));
  MPI_Allgather(mine, n, MPI_INT64_T, flagged, n, MPI_INT64_T, verdicts);
  for (int i = 0; i < ranks * n; ++i) {
    int before = 0, after = 0;
    wrong += llabs(flagged[i]) != llabs(ids[i]) || (ids[i] < 0 && flagged[i] > 0);
    for (int j = 0; j < ranks * n && ids[i] != 0; ++j) {
      before += ids[j] == llabs(ids[i]);
      after += flagged[j] == llabs(ids[i]);
    }
    wrong += after != (before > 0);
  }
  CHECK(wrong == 0);
  OK(nearfar_gs_setup(team, mine, n, 0, NULL, &with_flags));
  OK(nearfar_gs_setup(team, ids + rank * n, n, 1, NULL, &by_setup));
  for (int i = 0; i < n; ++i) u[i] = v[i] = value_of(rank, i);
  OK(nearfar_gs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, with_flags));
  OK(nearfar_gs(v, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, by_setup));
  CHECK(wrong_values(u, 1, flagged, NEARFAR_PLUS, 0, 1) == 0 && wrong_values(v, 1, flagged, NEARFAR_PLUS, 0, 1) == 0);
  OK(nearfar_gs_free(&with_flags));
  OK(nearfar_gs_free(&by_setup));
}

/* The ids of gslib's gs_test.c, with the numbers that follow from its documentation; product and other types. */
static void test_names(void) {
  struct comm c;
  buffer b;
  comm_init(&c, everyone);
  buffer_init(&b, 1024);
  const uint np = c.np;
  slong* id = malloc((np + 4) * sizeof *id);
  double* v = malloc((np + 4) * sizeof *v);
  long* w = malloc((np + 4) * sizeof *w);
  float* f = malloc((np + 4) * sizeof *f);
  int handle, wrong = 0;
  id[0] = -(slong)(np + 10 + 3 * c.id);
  for (uint i = 0; i < np; ++i) id[i + 1] = -(sint)(i + 1);
  id[np + 1] = id[np + 2] = (slong)c.id + 1;
  id[np + 3] = (slong)(np - c.id);
  struct gs_data* g = gs_setup(id, np + 4, &c, 0, gs_auto, 0);
  /* Each of the groups 1 … np has three unflagged entries (two of one rank, one of its mirror image) and np flagged ones. */
  for (uint i = 0; i < np + 4; ++i) v[i] = 1, w[i] = 2, f[i] = 2;
  gs(v, gs_double, gs_add, 0, g, &b);
  for (uint i = 1; i < np + 4; ++i) wrong += v[i] != 3;
  CHECK(wrong == 0 && v[0] == 0); /* flagged and alone: nobody contributes */
  for (uint i = 0; i < np + 4; ++i) v[i] = 1;
  igs(v, gs_double, gs_add, 1, g, &b, &handle);
  gs_wait(handle);
  for (uint i = 0; i <= np; ++i) wrong += v[i] != 1;
  for (uint i = np + 1; i < np + 4; ++i) wrong += v[i] != 3 + np;
  CHECK(wrong == 0);
  gs(w, gs_long, gs_mul, 0, g, NULL);
  gs_vec(f, 1, gs_float, gs_mul, 0, g, NULL);
  for (uint i = 1; i < np + 4; ++i) wrong += w[i] != 8 || f[i] != 8;
  CHECK(wrong == 0 && w[0] == 1);
  gs_unique(id, np + 4, &c);
  gs_free(g);
  buffer_free(&b);
  comm_free(&c);
  free(id), free(v), free(w), free(f);
}

static void test_mistakes(void) {
  nearfar_gs_data* g = NULL;
  int64_t ids[2] = {1, INT64_MIN};
  double u[2] = {1, 2};
  int handle;
  WRONG(nearfar_gs_setup(team, ids, rank == 0 ? 2 : 1, 0, NULL, &g), "-2^63");
  WRONG(nearfar_gs_setup(team, rank == 0 ? NULL : ids, 1, 0, NULL, &g), "NULL");
  WRONG(nearfar_gs_setup(team, ids, 1, 0, "swift", &g), "swift");
  WRONG(nearfar_gs_unique(team, ids, -1), "-1");
  WRONG(nearfar_gs(u, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g), "gslib handle is NULL");
  OK(nearfar_gs_setup(team, ids, 1, 0, NULL, &g));
  WRONG(nearfar_gs(u, NEARFAR_FLOAT64, NEARFAR_REPLACE, 0, g), "operation 4");
  WRONG(nearfar_gs(NULL, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g), "NULL");
  WRONG(nearfar_gs_vec(u, 0, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g), "0 components");
  WRONG(nearfar_gs_many(NULL, 1, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g), "NULL");
  WRONG(nearfar_igs(u, NEARFAR_FLOAT64, (nearfar_scatter_op)12, 0, g, &handle), "operation 12");
  OK(nearfar_gs_free(&g));
  OK(nearfar_gs_setup(team, NULL, 0, 0, NULL, &g)); /* nobody has any id */
  OK(nearfar_gs(NULL, NEARFAR_FLOAT64, NEARFAR_PLUS, 0, g));
  OK(nearfar_gs_free(&g));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    for (int kind = 0; kind < kinds_of_ids; ++kind) {
      test_kind(kind);
      test_unique(kind);
    }
    test_beginning();
    test_names();
    test_mistakes();
  }
  return end_checks();
}
