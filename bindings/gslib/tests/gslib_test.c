// SPDX-License-Identifier: BSD-3-Clause
// Gather-scatter by gslib's calls against brute force over the ids and values of all ranks.
#include <gslib.h>
#include <limits.h>
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { n = 90, kinds_of_ids = 5, most_ranks = 8 };
static int rank, ranks, sent;
static nearfar_team* team;
static struct comm members;

/* The library's messages pass through here. */
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++sent;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* Ids with duplicates on a rank, shared or not; with kind: 1 zeros, 2 flags, 3 both and sparse up to 2^62, 4 nothing on
 * rank 0. */
static slong id_of(int kind, int of, int i) {
  slong id = 1 + (i * i + 17 * of) % 41 + (i % 5 == 0 ? 1000 * (of + 1) : 0);
  if (kind == 3) id *= (slong)1 << 51;
  if ((kind == 1 || kind == 3) && (i + of) % 7 == 0) return 0;
  if ((kind == 2 || kind == 3) && ((i % 3 == 1) ^ (of % 2 == 1))) return -id;
  return kind == 4 && of == 0 ? 0 : id;
}

static double value_of(int of, int i) { return (double)(1 + (of * 7 + i * 3) % 5); }

static double combined(gs_op op, double a, double b) {
  switch (op) {
    case gs_add:
      return a + b;
    case gs_mul:
      return a * b;
    case gs_min:
      return b < a ? b : a;
    default:
      return b > a ? b : a;
  }
}

/* What entry i of this rank must have. */
static double expected(const slong* ids, gs_op op, unsigned transpose, int i, double scale) {
  const slong mine = ids[rank * n + i], group = llabs(mine);
  double result = 0;
  int contributions = 0;
  if (mine == 0 || (mine < 0 && transpose)) return scale * value_of(rank, i);
  for (int r = 0; r < ranks; ++r)
    for (int j = 0; j < n; ++j) {
      const slong other = ids[r * n + j];
      if (llabs(other) != group || (other < 0 && !transpose)) continue;
      const double v = scale * value_of(r, j);
      result = contributions++ == 0 ? v : combined(op, result, v);
    }
  if (contributions > 0) return result;
  if (op == gs_add) return 0;
  if (op == gs_mul) return 1;
  return op == gs_min ? 1 / 0.0 : -1 / 0.0;
}

static int wrong_values(const double* u, int stride, const slong* ids, gs_op op, unsigned transpose, double scale) {
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += u[i * stride] != expected(ids, op, transpose, i, scale);
  return wrong;
}

static void test_operations(const slong* ids, struct gs_data* g) {
  const gs_op ops[] = {gs_add, gs_min, gs_max};
  double u[n], pairs[n][2];
  for (unsigned t = 0; t < 2; ++t)
    for (int o = 0; o < 3; ++o) {
      for (int i = 0; i < n; ++i) u[i] = value_of(rank, i), pairs[i][0] = u[i], pairs[i][1] = 8 * u[i];
      gs(u, gs_double, ops[o], t, g, NULL);
      CHECK(wrong_values(u, 1, ids, ops[o], t, 1) == 0);
      gs_vec(pairs, 2, gs_double, ops[o], t, g, NULL);
      CHECK(wrong_values(&pairs[0][0], 2, ids, ops[o], t, 1) == 0);
      CHECK(wrong_values(&pairs[0][1], 2, ids, ops[o], t, 8) == 0);
    }
}

/* 18 arrays travel as 16 and 2; two calls wait at once. */
static void test_many(const slong* ids, struct gs_data* g) {
  static double u[18][n];
  void* all[18];
  int handles[2], wrong = 0;
  for (int k = 0; k < 18; ++k) all[k] = u[k];
  for (int k = 0; k < 18; ++k)
    for (int i = 0; i < n; ++i) u[k][i] = (k + 1) * value_of(rank, i);
  gs_many(all, 18, gs_double, gs_add, 0, g, NULL);
  for (int k = 0; k < 18; ++k) wrong += wrong_values(u[k], 1, ids, gs_add, 0, k + 1);
  CHECK(wrong == 0);
  for (int i = 0; i < n; ++i) u[0][i] = value_of(rank, i), u[1][i] = 3 * u[0][i];
  igs(u[0], gs_double, gs_max, 1, g, NULL, &handles[0]);
  igs_many(all + 1, 1, gs_double, gs_add, 0, g, NULL, &handles[1]);
  gs_wait(handles[1]);
  gs_wait(handles[0]);
  CHECK(wrong_values(u[0], 1, ids, gs_max, 1, 1) == 0);
  CHECK(wrong_values(u[1], 1, ids, gs_add, 0, 3) == 0);
}

/* Calls begun together end in any order, a blocking one among them, arrays travelling as 16 and 2. */
static void test_begun_together(const slong* ids, struct gs_data* g, struct gs_data* other) {
  static double u[18][n], v[n], w[n];
  void* all[18];
  int many, late, elsewhere, wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 18; ++k) u[k][i] = (k + 1) * value_of(rank, i), all[k] = u[k];
    v[i] = w[i] = value_of(rank, i);
  }
  double x[n];
  memcpy(x, v, sizeof x);
  igs_many(all, 18, gs_double, gs_add, 0, g, NULL, &many);
  igs(v, gs_double, gs_min, 0, g, NULL, &late);
  igs(x, gs_double, gs_add, 1, other, NULL, &elsewhere);
  gs(w, gs_double, gs_max, 0, g, NULL);
  gs_wait(elsewhere);
  gs_wait(late);
  gs_wait(many);
  for (int k = 0; k < 18; ++k) wrong += wrong_values(u[k], 1, ids, gs_add, 0, k + 1);
  CHECK(wrong == 0 && wrong_values(v, 1, ids, gs_min, 0, 1) == 0);
  CHECK(wrong_values(w, 1, ids, gs_max, 0, 1) == 0 && wrong_values(x, 1, ids, gs_add, 1, 1) == 0);
}

/* Messages leave when a call begins; a call whose handle is freed is no longer there to wait for. */
static void test_beginning(void) {
  slong ids[2] = {7, 100 + rank};
  double u[2] = {1, 2};
  int handle, next, before;
  struct gs_data* g;
  setenv("NEARFAR_METHOD", "irregular:isend", 1);
  g = gs_setup(ids, 2, &members, 0, gs_auto, 0);
  unsetenv("NEARFAR_METHOD");
  gs(u, gs_double, gs_add, 0, g, NULL); /* sets messages up */
  CHECK(u[0] == ranks && u[1] == 2);
  before = sent;
  igs(u, gs_double, gs_add, 0, g, NULL, &handle);
  /* The group's owner has nothing to contribute to others, all others send it their part. */
  const int mine = sent > before;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, verdicts);
  CHECK(all == ranks - 1);
  gs_wait(handle);
  CHECK(u[0] == (double)ranks * ranks && u[1] == 2);
  igs(u, gs_double, gs_add, 0, g, NULL, &handle);
  igs(u, gs_double, gs_add, 0, g, NULL, &next);
  gs_free(g);
}

/* Sums whose rounding depends on the order: the same bits in every copy. */
static void test_bits(int kind, const slong* ids, struct gs_data* g) {
  static double all[most_ranks * n];
  double u[n];
  int wrong = 0;
  for (int i = 0; i < n; ++i) u[i] = 1.0 / (3 + rank + 5 * i);
  gs(u, gs_double, gs_add, 0, g, NULL);
  MPI_Allgather(u, n, MPI_DOUBLE, all, n, MPI_DOUBLE, verdicts);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ranks * n; ++j)
      if (ids[j] != 0 && llabs(ids[j]) == llabs(id_of(kind, rank, i))) wrong += memcmp(&all[j], &u[i], sizeof *u) != 0;
  CHECK(wrong == 0);
}

static void test_kind(int kind) {
  slong ids[most_ranks * n];
  struct gs_data* g;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i) ids[r * n + i] = id_of(kind, r, i);
  g = gs_setup(ids + rank * n, n, &members, 0, gs_auto, 0);
  test_operations(ids, g);
  struct gs_data* other;
  other = gs_setup(ids + rank * n, n, &members, 0, gs_auto, 0);
  test_many(ids, g);
  test_begun_together(ids, g, other);
  gs_free(other);
  test_bits(kind, ids, g);
  CHECK(strstr(nearfar_gslib_describe(g), "gslib") != NULL);
  gs_free(g);
}

/* One entry of each group stays unflagged, on a rank that had it unflagged; setup with `unique` does the same. */
static void test_unique(int kind) {
  static slong ids[most_ranks * n], flagged[most_ranks * n];
  slong mine[n];
  double u[n], v[n];
  struct gs_data *with_flags, *by_setup;
  int wrong = 0;
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < n; ++i) ids[r * n + i] = id_of(kind, r, i);
  memcpy(mine, ids + rank * n, sizeof mine);
  gs_unique(mine, n, &members);
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
  with_flags = gs_setup(mine, n, &members, 0, gs_auto, 0);
  by_setup = gs_setup(ids + rank * n, n, &members, 1, gs_auto, 0);
  for (int i = 0; i < n; ++i) u[i] = v[i] = value_of(rank, i);
  gs(u, gs_double, gs_add, 0, with_flags, NULL);
  gs(v, gs_double, gs_add, 0, by_setup, NULL);
  CHECK(wrong_values(u, 1, flagged, gs_add, 0, 1) == 0 && wrong_values(v, 1, flagged, gs_add, 0, 1) == 0);
  gs_free(with_flags);
  gs_free(by_setup);
}

/* The ids of gslib's gs_test.c, with the numbers that follow from its documentation; product and other types. */
static void test_numbers(void) {
  buffer b;
  buffer_init(&b, 1024);
  const uint np = members.np;
  slong* id = malloc((np + 4) * sizeof *id);
  double* v = malloc((np + 4) * sizeof *v);
  long* w = malloc((np + 4) * sizeof *w);
  float* f = malloc((np + 4) * sizeof *f);
  int handle, wrong = 0;
  id[0] = -(slong)(np + 10 + 3 * members.id);
  for (uint i = 0; i < np; ++i) id[i + 1] = -(sint)(i + 1);
  id[np + 1] = id[np + 2] = (slong)members.id + 1;
  id[np + 3] = (slong)(np - members.id);
  struct gs_data* g = gs_setup(id, np + 4, &members, 0, gs_auto, 0);
  /* Each of the groups 1 … np has three unflagged entries (two of one rank, one of its mirror image) and np flagged
   * ones. */
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
  gs_unique(id, np + 4, &members);
  gs_free(g);
  buffer_free(&b);
  free(id), free(v), free(w), free(f);
}

/* What gs_setup() was given may be freed at once. */
static void test_freed_communicator(void) {
  struct comm c;
  const slong id[3] = {1, 2, 3};
  double v[3] = {1, 10, 100};
  comm_init(&c, everyone);
  struct gs_data* g = gs_setup(id, 3, &c, 0, gs_pairwise, 0);
  comm_free(&c);
  gs(v, gs_double, gs_add, 0, g, NULL);
  CHECK(v[0] == ranks && v[1] == 10.0 * ranks && v[2] == 100.0 * ranks);
  gs_free(g);
}

/* Common leading bits, of an integer and of vectors; what is flagged gives nothing. */
static void test_bits_in_common(void) {
  const slong id[2] = {5, rank == 0 ? 6 : -6};
  int v[2][2] = {{12 + rank % 2, 7}, {40, 9}};
  struct gs_data* g = gs_setup(id, 2, &members, 0, gs_auto, 0);
  gs_vec(v, 2, gs_int, gs_bpr, 0, g, NULL);
  CHECK(v[0][0] == (ranks > 1 ? 6 : 12) && v[0][1] == 7 && v[1][0] == 40 && v[1][1] == 9);
  gs_free(g);
}

void fgslib_gs_setup_(int* handle, const slong* id, const int* n, const MPI_Fint* comm, const int* np);
void fgslib_gs_op_(const int* handle, void* u, const int* type, const int* op, const int* transpose);

/* Mistakes end the program: one of these words names which. */
static void make_mistake(const char* which) {
  const slong lowest = LLONG_MIN, id = 1;
  double u = 1;
  int handle;
  comm_init(&members, MPI_COMM_WORLD);
  if (strcmp(which, "lowest_id") == 0) gs_setup(&lowest, 1, &members, 0, gs_auto, 0);
  struct gs_data* g = gs_setup(&id, 1, &members, 0, gs_auto, 0);
  if (strcmp(which, "no_operation") == 0) gs(&u, gs_double, (gs_op)12, 0, g, NULL);
  if (strcmp(which, "no_handle") == 0) gs(&u, gs_double, gs_add, 0, NULL, NULL);
  if (strcmp(which, "no_array") == 0) gs(NULL, gs_double, gs_add, 0, g, NULL);
  if (strcmp(which, "no_type") == 0) {
    const MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    fgslib_gs_setup_(&handle, &id, &(int){1}, &comm, &(int){(int)members.np});
    fgslib_gs_op_(&handle, &u, &(int){4}, &(int){1}, &(int){0});
  }
  igs(&u, gs_double, gs_add, 0, g, NULL, &handle);
  gs_free(g);
  if (strcmp(which, "freed") == 0) gs_wait(handle);
  puts("no rank may come here");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) make_mistake(argv[1]);
  while (next_shape(&team, &rank, &ranks)) {
    comm_init(&members, everyone);
    for (int kind = 0; kind < kinds_of_ids; ++kind) {
      test_kind(kind);
      test_unique(kind);
    }
    test_beginning();
    test_numbers();
    test_freed_communicator();
    test_bits_in_common();
    comm_free(&members);
  }
  return end_checks();
}
