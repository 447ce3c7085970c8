// SPDX-License-Identifier: BSD-3-Clause
// Messages of the crystal router, arrays of structures that travel and are sorted, reductions of a communicator.
#include <gslib.h>
#include <limits.h>
#include <nearfar/nearfar.h>

#include "checks.h"

static int rank, ranks;
static struct comm members;

struct record {
  double value;
  ulong key;
  uint target, number;
  char letter;
};

/* Rank r sends i % 3 integers to each rank i, r + 100 i all of them; nothing else arrives. */
static void test_router(void) {
  struct crystal cr;
  crystal_init(&cr, &members);
  uint* out = buffer_reserve(&cr.data, (size_t)ranks * 5 * sizeof(uint));
  cr.data.n = 0;
  for (uint to = 0; to < members.np; ++to) {
    const uint length = to % 3;
    out[cr.data.n++] = to, out[cr.data.n++] = members.id, out[cr.data.n++] = length;
    for (uint k = 0; k < length; ++k) out[cr.data.n++] = members.id + 100 * to;
  }
  crystal_router(&cr);
  int messages = 0, wrong = 0;
  const uint* in = cr.data.ptr;
  for (size_t i = 0; i < cr.data.n; i += 3 + in[i + 2], ++messages) {
    wrong += in[i] != members.id || in[i + 1] >= members.np || in[i + 2] != members.id % 3;
    for (uint k = 0; k < in[i + 2]; ++k) wrong += in[i + 3 + k] != in[i + 1] + 100 * members.id;
  }
  CHECK(messages == ranks && wrong == 0);
  crystal_free(&cr);
}

/* Rank r has 7 r + 3 records; none of them is for rank 1. */
static void fill(struct array* a) {
  const uint n = 7 * members.id + 3;
  struct record* r = array_reserve(struct record, a, n);
  for (a->n = 0; a->n < n; ++a->n) {
    const uint i = (uint)a->n, target = (members.id + i * i) % members.np;
    const struct record one = {i + 0.5, (ulong)((7 * i) % 5) << 40, target == 1 ? 0 : target, i, (char)('a' + i % 26)};
    r[i] = one;
  }
}

static int is_record(const struct record* r, uint from, uint number) {
  return r->number == number && r->value == number + 0.5 && r->key == (ulong)((7 * number) % 5) << 40 &&
         r->letter == (char)('a' + number % 26) && r->target == from;
}

/* There with the source instead of the target, and back again. */
static void test_there_and_back(void) {
  struct crystal cr;
  struct array a = null_array;
  crystal_init(&cr, &members);
  fill(&a);
  const size_t before = a.n;
  sarray_transfer(struct record, &a, target, 1, &cr);
  const struct record* r = a.ptr;
  int wrong = 0, mine = (int)a.n, all = 0;
  for (size_t i = 0; i < a.n; ++i) {
    const uint target = (r[i].target + r[i].number * r[i].number) % members.np;
    wrong += (target == 1 ? 0 : target) != members.id || !is_record(&r[i], r[i].target, r[i].number);
  }
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, verdicts);
  CHECK(wrong == 0 && all == 7 * ranks * (ranks - 1) / 2 + 3 * ranks && (rank != 1 || mine == 0));
  sarray_transfer(struct record, &a, target, 0, &cr);
  CHECK(a.n == before);
  sarray_sort(struct record, a.ptr, a.n, number, 0, &cr.data);
  r = a.ptr;
  for (size_t i = 0; i < a.n; ++i) wrong += !is_record(&r[i], members.id, (uint)i);
  CHECK(wrong == 0);
  array_free(&a);
  crystal_free(&cr);
}

/* Targets in a list apart. */
static void test_listed_targets(void) {
  struct crystal cr;
  struct array a = null_array;
  uint targets[40];
  crystal_init(&cr, &members);
  double* v = array_reserve(double, &a, 40);
  for (uint i = 0; i < 40; ++i) targets[i] = (members.id + 1) % members.np, v[i] = members.id * 100 + i;
  a.n = 40;
  sarray_transfer_ext(double, &a, targets, sizeof(uint), &cr);
  int wrong = a.n != 40;
  sortv_double(a.ptr, a.ptr, (uint)a.n, sizeof(double), &cr.data);
  v = a.ptr;
  for (uint i = 0; i < a.n; ++i) wrong += v[i] != ((members.id + members.np - 1) % members.np) * 100 + i;
  CHECK(wrong == 0);
  array_free(&a);
  crystal_free(&cr);
}

/* By two fields, stable in what they leave open. */
static void test_sorting(void) {
  struct array a = null_array;
  buffer buf = null_buffer;
  struct record* r = array_reserve(struct record, &a, 200);
  for (uint i = 0; i < 200; ++i) r[i] = (struct record){-(double)(i % 7), (ulong)(i % 3) << 35, i % 5, i, 'x'};
  sarray_sort_2(struct record, r, 200, key, 1, target, 0, &buf);
  int wrong = 0;
  for (uint i = 1; i < 200; ++i) {
    const struct record *b = &r[i - 1], *c = &r[i];
    wrong += b->key > c->key ||
             (b->key == c->key && (b->target > c->target || (b->target == c->target && b->number >= c->number)));
  }
  sarray_sort(struct record, r, 200, value, 3, &buf);
  for (uint i = 1; i < 200; ++i) wrong += r[i - 1].value > r[i].value;
  const float f[4] = {2.5F, -1, 0, -3};
  const uint* places = sortp_float(&buf, 0, f, 4, sizeof *f);
  CHECK(wrong == 0 && places[0] == 3 && places[1] == 1 && places[2] == 2 && places[3] == 0);
  array_free(&a);
  buffer_free(&buf);
}

static void test_reductions(void) {
  slong mine[2] = {rank + 1, -rank}, scan[4], buf[4];
  const slong below = (slong)rank * (rank + 1) / 2, all = (slong)ranks * (ranks + 1) / 2;
  comm_scan(scan, &members, gs_slong, gs_add, mine, 2, buf);
  CHECK(scan[0] == below && scan[1] == rank - below && scan[2] == all && scan[3] == ranks - all);
  comm_scan(scan, &members, gs_slong, gs_max, mine, 1, buf);
  CHECK(scan[0] == (rank == 0 ? LLONG_MIN : rank) && scan[1] == ranks);
  CHECK(comm_reduce_slong(&members, gs_add, mine, 2) == ranks);
  CHECK(comm_reduce_double(&members, gs_min, (double[]){rank + 0.5}, 1) == 0.5);
  int bits = 12 + rank % 2, scratch;
  comm_allreduce(&members, gs_int, gs_bpr, &bits, 1, &scratch);
  CHECK(bits == (ranks > 1 ? 6 : 12));
  comm_req request;
  double parts[2] = {rank, 1}, sums[2] = {-1, -1};
  comm_iallreduce(&request, &members, gs_double, gs_add, parts, 2, sums);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sums[0] == ranks * (ranks - 1) / 2 && sums[1] == ranks && parts[0] == rank);
  double v[2] = {1, rank}, w[2] = {2, 1};
  CHECK(comm_dot(&members, v, w, 2) == 2.0 * ranks + ranks * (ranks - 1) / 2);
  struct comm part;
  comm_split(&members, rank % 2, rank, &part);
  CHECK(part.np == (uint)((ranks + 1 - rank % 2) / 2) && part.id == (uint)rank / 2);
  comm_free(&part);
}

int main(int argc, char** argv) {
  nearfar_team* team;
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    comm_init(&members, everyone);
    test_router();
    test_there_and_back();
    test_listed_targets();
    test_sorting();
    test_reductions();
    comm_free(&members);
  }
  return end_checks();
}
