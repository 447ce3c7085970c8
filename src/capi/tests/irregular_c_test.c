// SPDX-License-Identifier: BSD-3-Clause
// Distributions and index plans from C against arithmetic on global indices; verdicts are collective.
#define _DEFAULT_SOURCE /* mmap */
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checks.h"

enum { elements = 53, references = 200 };
static int rank, ranks;
static nearfar_team* team;
static const nearfar_irregular_options quick = {
    .size = sizeof(nearfar_irregular_options), .name = "refs", .budget_s = 0.01};

static int64_t reference(int of, int k) { return (7 * k * k + 13 * of + 3 * k) % elements; }
static double value(int64_t g) { return (double)(3 * g + 1); }

static void refer(int64_t* indices) {
  for (int k = 0; k < references; ++k) indices[k] = reference(rank, k);
}

/* How often all ranks together refer to g. */
static int times(int64_t g) {
  int all = 0;
  for (int r = 0; r < ranks; ++r)
    for (int k = 0; k < references; ++k) all += reference(r, k) == g;
  return all;
}

/* ---- a program's own rule: every second block backwards, so that no ready-made distribution does the same ---- */

typedef struct reversed {
  int64_t n;
  int ranks, fails, released;
} reversed;

static int reversed_locate(void* context, int64_t count, const int64_t* indices, int* owners, int64_t* offsets) {
  const reversed* r = context;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t turned = r->n - 1 - indices[i];
    owners[i] = (int)(turned % r->ranks), offsets[i] = turned / r->ranks;
  }
  return r->fails;
}

static int reversed_globals(void* context, int of, int64_t count, const int64_t* offsets, int64_t* indices) {
  const reversed* r = context;
  for (int64_t i = 0; i < count; ++i) indices[i] = r->n - 1 - (offsets[i] * r->ranks + of);
  return 0;
}

static void reversed_release(void* context) { ++((reversed*)context)->released; }

static reversed backwards;
static nearfar_distribution_rule rule_of_all(void) {
  backwards = (reversed){elements, ranks, 0, 0};
  const int64_t own = elements / ranks + (rank < elements % ranks);
  return (nearfar_distribution_rule){elements, own, reversed_locate, reversed_globals, &backwards, reversed_release};
}

enum { kinds = 8 };

static nearfar_status distribute(int kind, nearfar_distribution** d) {
  const nearfar_distribution_rule rule = rule_of_all();
  int64_t own[elements], count = 0;
  switch (kind) {
    case 0:
      return nearfar_distribution_block(team, elements, d);
    case 1: /* rank 0 has all but one element of each of the others */
      return nearfar_distribution_block_sizes(team, rank == 0 ? elements - ranks + 1 : 1, d);
    case 2:
      return nearfar_distribution_cyclic(team, elements, d);
    case 3:
      return nearfar_distribution_block_cyclic(team, elements, 5, d);
    case 4:
      return nearfar_distribution_two_block(team, elements, 20, d);
    case 5:
      return nearfar_distribution_reversed_two_block(team, elements, 20, d);
    case 6:
      for (int64_t g = elements - 1; g >= 0; --g)
        if ((g / 3) % ranks == rank) own[count++] = g;
      return nearfar_distribution_from_owned(team, count, own, d);
    default:
      return nearfar_distribution_from_rule(team, &rule, d);
  }
}

/* globals[i] = global index of own element i. */
static void own_elements(const nearfar_distribution* d, int64_t* globals) {
  int64_t offsets[elements];
  for (int i = 0; i < elements; ++i) offsets[i] = i;
  OK(nearfar_distribution_globals(d, nearfar_distribution_owned(d), offsets, globals));
}

static void test_distributions(void) {
  int64_t all[elements], own[elements], offsets[elements];
  int owners[elements], wrong = 0;
  for (int g = 0; g < elements; ++g) all[g] = g;
  for (int kind = 0; kind < kinds; ++kind) {
    nearfar_distribution* d;
    OK(distribute(kind, &d));
    CHECK(nearfar_distribution_elements(d) == elements && nearfar_distribution_describe(d) != NULL);
    own_elements(d, own);
    OK(nearfar_distribution_locate(d, elements, all, owners, offsets));
    int mine = 0;
    for (int g = 0; g < elements; ++g) {
      mine += owners[g] == rank;
      if (owners[g] == rank) wrong += own[offsets[g]] != g;
    }
    CHECK(wrong == 0 && mine == nearfar_distribution_owned(d));
    OK(nearfar_distribution_check(d, 0));
    OK(nearfar_distribution_free(&d));
    CHECK(d == NULL);
  }
}

static void test_gather(const nearfar_irregular_plan* plan_of, const int64_t* own, int64_t owned) {
  nearfar_irregular_plan* plan = (nearfar_irregular_plan*)plan_of;
  const int64_t ghosts = nearfar_irregular_plan_ghosts(plan), total = owned + ghosts;
  const int32_t* local = nearfar_irregular_plan_local_indices(plan);
  int64_t* far = malloc((size_t)(ghosts + 1) * sizeof *far);
  double out[references], *x;
  void* memory;
  int wrong = 0;
  CHECK(nearfar_irregular_plan_references(plan) == references && nearfar_irregular_plan_owned(plan) == owned);
  OK(nearfar_irregular_plan_ghost_indices(plan, far));
  OK(nearfar_irregular_plan_allocate(plan, NEARFAR_ELEMENT_FLOAT64, 1, &memory));
  x = memory;
  for (int64_t i = 0; i < owned; ++i) x[i] = value(own[i]);
  OK(nearfar_irregular_plan_gather_ghosts(plan, x, total, NEARFAR_ELEMENT_FLOAT64, 1));
  for (int64_t i = 0; i < ghosts; ++i) wrong += x[owned + i] != value(far[i]);
  for (int k = 0; k < references; ++k) wrong += x[local[k]] != value(reference(rank, k));
  CHECK(wrong == 0);
  OK(nearfar_irregular_plan_gather(plan, x, owned, out, NEARFAR_ELEMENT_FLOAT64, 1)); /* own elements alone */
  for (int k = 0; k < references; ++k) wrong += out[k] != value(reference(rank, k));
  CHECK(wrong == 0);
  OK(nearfar_irregular_plan_scatter(plan, out, x, total, NEARFAR_ELEMENT_FLOAT64, 1, NEARFAR_REDUCE_SUM));
  for (int64_t i = 0; i < owned; ++i) wrong += x[i] != value(own[i]) * (1 + times(own[i]));
  CHECK(wrong == 0);
  OK(nearfar_free(team, &memory));
  free(far);
}

/* Two components of 32-bit integers in the caller's memory, ghosts of each rank added to the owners'. */
static void test_ghosts(nearfar_irregular_plan* plan, const int64_t* own, int64_t owned) {
  const int64_t total = owned + nearfar_irregular_plan_ghosts(plan);
  int32_t* x = malloc((size_t)(2 * total + 1) * sizeof *x);
  int wrong = 0;
  for (int64_t i = 0; i < total; ++i) x[2 * i] = 1, x[2 * i + 1] = 100;
  OK(nearfar_irregular_plan_assemble_ghosts(plan, x, total, NEARFAR_ELEMENT_INT32, 2, NEARFAR_REDUCE_SUM));
  for (int64_t i = 0; i < owned; ++i) {
    int users = 1; /* the owner, and each other rank that refers to it */
    for (int r = 0; r < ranks; ++r) {
      int is_used = 0;
      for (int k = 0; k < references; ++k) is_used |= reference(r, k) == own[i];
      users += is_used && r != rank;
    }
    wrong += x[2 * i] != users || x[2 * i + 1] != 100 * users;
  }
  CHECK(wrong == 0);
  for (int64_t i = 0; i < total; ++i) x[2 * i] = rank, x[2 * i + 1] = -rank;
  OK(nearfar_irregular_plan_scatter_ghosts(plan, x, total, NEARFAR_ELEMENT_INT32, 2, NEARFAR_REDUCE_MAX));
  for (int64_t i = 0; i < owned; ++i) {
    int highest = rank, lowest = rank;
    for (int r = 0; r < ranks; ++r)
      for (int k = 0; k < references; ++k)
        if (reference(r, k) == own[i]) highest = r > highest ? r : highest, lowest = r < lowest ? r : lowest;
    wrong += x[2 * i] != highest || x[2 * i + 1] != -lowest;
  }
  CHECK(wrong == 0);
  free(x);
}

static void test_assemble(nearfar_irregular_plan* plan) {
  int64_t sums[references];
  float complexes[2 * references];
  int wrong = 0;
  for (int k = 0; k < references; ++k)
    sums[k] = 1, complexes[2 * k] = 1, complexes[2 * k + 1] = (float)reference(rank, k);
  OK(nearfar_irregular_plan_assemble(plan, sums, NEARFAR_ELEMENT_INT64, 1, NEARFAR_REDUCE_SUM));
  OK(nearfar_irregular_plan_assemble(plan, complexes, NEARFAR_ELEMENT_COMPLEX64, 1, NEARFAR_REDUCE_SUM));
  for (int k = 0; k < references; ++k) {
    const int64_t g = reference(rank, k);
    const int all = times(g);
    wrong += sums[k] != all || complexes[2 * k] != (float)all || complexes[2 * k + 1] != (float)(all * g);
  }
  CHECK(wrong == 0);
  for (int k = 0; k < references; ++k) sums[k] = 1;
  const nearfar_irregular_array array = {.data = sums, .elements = references, .type = NEARFAR_ELEMENT_INT64};
  OK(nearfar_irregular_plan_start(
      plan, &(nearfar_irregular_call){.kind = NEARFAR_IRREGULAR_ASSEMBLE, .count = 1, .values = &array}));
  OK(nearfar_irregular_plan_finish(plan));
  for (int k = 0; k < references; ++k) wrong += sums[k] != times(reference(rank, k));
  CHECK(wrong == 0);
  WRONG(nearfar_irregular_plan_assemble(plan, complexes, NEARFAR_ELEMENT_COMPLEX64, 1, NEARFAR_REDUCE_PRODUCT),
        "8 bytes");
}

static void test_each_distribution(void) {
  int64_t indices[references], own[elements];
  refer(indices);
  for (int kind = 0; kind < kinds; ++kind) {
    nearfar_distribution* d;
    nearfar_irregular_plan* plan;
    OK(distribute(kind, &d));
    OK(nearfar_irregular_plan_create(d, references, indices, &quick, &plan));
    own_elements(d, own);
    test_gather(plan, own, nearfar_distribution_owned(d));
    test_ghosts(plan, own, nearfar_distribution_owned(d));
    if (kind == 0) test_assemble(plan);
    OK(nearfar_distribution_free(&d)); /* the plan keeps working */
    test_gather(plan, own, nearfar_irregular_plan_owned(plan));
    CHECK(strstr(nearfar_irregular_plan_describe(plan), "refs") && strlen(nearfar_irregular_plan_method(plan)) > 0);
    OK(nearfar_irregular_plan_free(&plan));
    CHECK(plan == NULL && nearfar_irregular_plan_owned(plan) == -1);
  }
}

/* The later one in the plan's order keeps its digit: 10 a + b depends on the order. */
static void append(void* context, void* to, const void* from, int64_t values) {
  int64_t* t = to;
  const int64_t* f = from;
  for (int64_t i = 0; i < values; ++i) {
    int64_t scale = 1;
    while (scale <= f[i]) scale *= 10;
    t[i] = t[i] * scale + f[i];
  }
  ++*(int*)context;
}

static void add(void* context, void* to, const void* from, int64_t values) {
  (void)context;
  for (int64_t i = 0; i < values; ++i) ((int64_t*)to)[i] += ((const int64_t*)from)[i];
}

/* Elements of several values, two of them ghosts of all ranks but one. */
static void test_custom_of_pairs(void) {
  nearfar_distribution* d;
  nearfar_irregular_plan* plan;
  const int64_t indices[2] = {0, 1}, mine[2][2] = {{rank + 1, 10 * rank}, {100, 1000 * (rank + 1)}}, zero = 0;
  int64_t pairs[elements][2] = {{0}};
  const nearfar_custom_op adding = {sizeof zero, &zero, add, NULL};
  OK(nearfar_distribution_block(team, elements, &d));
  OK(nearfar_irregular_plan_create(d, 2, indices, &quick, &plan));
  const nearfar_irregular_array x = {pairs, nearfar_irregular_plan_owned(plan), 2, NEARFAR_ELEMENT_INT64, 0, 0},
                                in = {(void*)mine, 2, 2, NEARFAR_ELEMENT_INT64, 0, 1};
  const nearfar_irregular_call call = {
      .kind = NEARFAR_IRREGULAR_SCATTER, .custom = &adding, .count = 1, .x = &x, .values = &in};
  OK(nearfar_irregular_plan_run(plan, &call));
  const int64_t sum = ranks * (ranks + 1) / 2;
  CHECK(rank > 0 || (pairs[0][0] == sum && pairs[0][1] == 10 * (sum - ranks)));
  CHECK(rank > 0 || (pairs[1][0] == 100 * ranks && pairs[1][1] == 1000 * sum));
  OK(nearfar_irregular_plan_free(&plan));
  OK(nearfar_distribution_free(&d));
}

static void test_calls(void) {
  nearfar_distribution* d;
  nearfar_irregular_plan* plan;
  int64_t index = 0, digits = 0, last = 0, zero = 0, words[2][elements];
  int calls = 0, done = 0, wrong = 0;
  const nearfar_irregular_options in_order = {
      .size = sizeof(nearfar_irregular_options), .order = NEARFAR_SCATTER_ORDER_CANONICAL, .budget_s = 0.01};
  OK(nearfar_distribution_block(team, elements, &d));
  OK(nearfar_irregular_plan_create(d, 1, &index, &in_order, &plan));
  const int64_t owned = nearfar_irregular_plan_owned(plan), mine = rank + 1;
  const nearfar_custom_op appended = {sizeof digits, &zero, append, &calls};
  memset(words, 0, sizeof words);
  const nearfar_irregular_array x = {words[0], owned, 0, NEARFAR_ELEMENT_INT64, 0, 0},
                                in = {(void*)&mine, 1, 1, NEARFAR_ELEMENT_INT64, 0, 1};
  const nearfar_irregular_call by_digits = {
      .kind = NEARFAR_IRREGULAR_SCATTER, .custom = &appended, .count = 1, .x = &x, .values = &in};
  OK(nearfar_irregular_plan_run(plan, &by_digits));
  for (int r = 1; r <= ranks; ++r) digits = 10 * digits + r;
  CHECK(rank > 0 || (words[0][0] == digits && calls > 0));

  /* Two arrays at once, of types without a name, started and finished. */
  int64_t got[2] = {-1, -1};
  const nearfar_irregular_array both[2] = {{words[0], owned, 1, 0, 8, 0}, {words[1], owned, 1, 0, 8, 0}};
  const nearfar_irregular_array outs[2] = {{&got[0], 1, 1, 0, 8, 0}, {&got[1], 1, 1, 0, 8, 0}};
  const nearfar_irregular_call two = {.kind = NEARFAR_IRREGULAR_GATHER, .count = 2, .x = both, .values = outs};
  for (int i = 0; i < elements; ++i) words[0][i] = 5, words[1][i] = 6;
  OK(nearfar_irregular_plan_start(plan, &two));
  WRONG(nearfar_irregular_plan_start(plan, &two), "in flight");
  while (!done && nearfar_irregular_plan_test(plan, &done) == NEARFAR_OK) continue;
  OK(nearfar_irregular_plan_finish(plan));
  CHECK(got[0] == 5 && got[1] == 6);
  WRONG(nearfar_irregular_plan_finish(plan), "without a start");

  const nearfar_irregular_call replace = {
      .kind = NEARFAR_IRREGULAR_SCATTER, .op = NEARFAR_REDUCE_REPLACE, .count = 1, .x = &x, .values = &in};
  OK(nearfar_irregular_plan_start(plan, &replace));
  OK(nearfar_irregular_plan_finish(plan));
  last = ranks;
  CHECK(rank > 0 || words[0][0] == last);

  /* Other references: the last element, for all. */
  index = elements - 1;
  OK(nearfar_irregular_plan_update(plan, NULL, 1, &index));
  for (int i = 0; i < elements; ++i) words[0][i] = 1000 * rank + i;
  OK(nearfar_irregular_plan_gather(plan, words[0], owned, got, NEARFAR_ELEMENT_INT64, 1));
  CHECK(got[0] == 1000 * (ranks - 1) + elements / ranks - 1);
  nearfar_distribution* cyclic;
  OK(nearfar_distribution_cyclic(team, elements, &cyclic));
  OK(nearfar_irregular_plan_update(plan, cyclic, 1, &index));
  OK(nearfar_irregular_plan_gather(plan, words[0], nearfar_irregular_plan_owned(plan), got, NEARFAR_ELEMENT_INT64, 1));
  wrong += got[0] != 1000 * ((elements - 1) % ranks) + (elements - 1) / ranks;
  CHECK(wrong == 0);
  OK(nearfar_irregular_plan_start(plan, &two)); /* freed in flight: finished first */
  OK(nearfar_irregular_plan_free(&plan));
  OK(nearfar_distribution_free(&cyclic));
  OK(nearfar_distribution_free(&d));
}

/* An x that may not be written is not; neither are numbers of one type taken for another's. */
static void test_constants_and_types(void) {
  const int64_t last = elements - 1, refs[2] = {0, last};
  const size_t bytes = 1 << 16;
  nearfar_distribution* d;
  nearfar_irregular_plan* plan;
  OK(nearfar_distribution_block(team, elements, &d));
  OK(nearfar_irregular_plan_create(d, 2, refs, &quick, &plan));
  const int64_t owned = nearfar_irregular_plan_owned(plan), total = owned + nearfar_irregular_plan_ghosts(plan);
  int64_t own[elements];
  own_elements(d, own);
  double* x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(x != MAP_FAILED && (size_t)total * sizeof(double) <= bytes);
  for (int64_t i = 0; i < total; ++i) x[i] = i < owned ? (double)own[i] : -1;
  CHECK(mprotect(x, bytes, PROT_READ) == 0);
  double out[2] = {-1, -1}, again[2] = {-1, -1};
  OK(nearfar_irregular_plan_gather_const(plan, x, total, out, NEARFAR_ELEMENT_FLOAT64, 1));
  nearfar_irregular_array xs = {x, total, 1, NEARFAR_ELEMENT_FLOAT64, 0, 1},
                          values = {again, 2, 1, NEARFAR_ELEMENT_FLOAT64, 0, 0};
  nearfar_irregular_call call = {.kind = NEARFAR_IRREGULAR_GATHER, .count = 1, .x = &xs, .values = &values};
  OK(nearfar_irregular_plan_run(plan, &call));
  CHECK(out[0] == 0 && out[1] == last && again[0] == 0 && again[1] == last);
  call.kind = NEARFAR_IRREGULAR_GATHER_GHOSTS;
  WRONG(nearfar_irregular_plan_run(plan, &call), "constant array");
  call.kind = NEARFAR_IRREGULAR_SCATTER;
  WRONG(nearfar_irregular_plan_run(plan, &call), "constant array");
  call.kind = NEARFAR_IRREGULAR_GATHER, values.is_const = 1;
  WRONG(nearfar_irregular_plan_run(plan, &call), "constant array");
  values = (nearfar_irregular_array){again, 2, 1, NEARFAR_ELEMENT_INT64, 0, 0};
  WRONG(nearfar_irregular_plan_run(plan, &call), "x of float64 and values of int64");
  values.type = NEARFAR_ELEMENT_COMPLEX64;
  WRONG(nearfar_irregular_plan_run(plan, &call), "x of float64 and values of complex64");
  values.type = 0, values.value_bytes = sizeof(double); /* which may be anything */
  OK(nearfar_irregular_plan_run(plan, &call));
  CHECK(mprotect(x, bytes, PROT_READ | PROT_WRITE) == 0);
  xs.is_const = 0, call.kind = NEARFAR_IRREGULAR_SCATTER; /* but for additions */
  WRONG(nearfar_irregular_plan_run(plan, &call), "bytes without a type");
  values.type = NEARFAR_ELEMENT_INT64;
  WRONG(nearfar_irregular_plan_run(plan, &call), "x of float64 and values of int64");
  const nearfar_irregular_array two[2] = {{x, total, 1, NEARFAR_ELEMENT_FLOAT64, 0, 0},
                                          {x, total, 1, NEARFAR_ELEMENT_INT64, 0, 0}};
  const nearfar_irregular_call ghosts = {.kind = NEARFAR_IRREGULAR_SCATTER_GHOSTS, .count = 2, .x = two};
  WRONG(nearfar_irregular_plan_run(plan, &ghosts), "int64 and an operation on float64");
  int wrong = 0;
  for (int64_t i = 0; i < total; ++i) wrong += x[i] != (i < owned ? (double)own[i] : -1);
  CHECK(wrong == 0);
  munmap(x, bytes);
  OK(nearfar_irregular_plan_free(&plan));
  OK(nearfar_distribution_free(&d));
}

static void test_mistakes(void) {
  const nearfar_irregular_options unknown = {.size = sizeof(nearfar_irregular_options), .method = "swift"},
                                  odd = {.size = sizeof(nearfar_irregular_options), .order = (nearfar_scatter_order)7};
  const int64_t doubled[2] = {0, 0};
  int64_t index = elements;
  double x[elements + 1] = {0}, out[2];
  nearfar_distribution* d = NULL;
  nearfar_irregular_plan* plan = NULL;
  WRONG(nearfar_distribution_block(team, -3, &d), "-3");
  WRONG(nearfar_distribution_block_cyclic(team, 5, 0, &d), "a block has 0");
  WRONG(nearfar_distribution_two_block(team, 5, 6, &d), "0 … 5");
  WRONG(nearfar_distribution_from_owned(team, 2, doubled, &d), "element");
  WRONG(nearfar_distribution_from_rule(team, rank == ranks - 1 ? NULL : &(nearfar_distribution_rule){0}, &d), "NULL");
  CHECK(d == NULL);
  WRONG(nearfar_distribution_block(NULL, 5, &d), "team is NULL");
  WRONG(nearfar_distribution_check(NULL, 0), "distribution is NULL");

  OK(nearfar_distribution_block(team, elements, &d));
  WRONG(nearfar_irregular_plan_create(d, rank == 0 ? 1 : 0, &index, NULL, &plan), "53");
  WRONG(nearfar_irregular_plan_create(d, rank == 0 ? -1 : 0, &index, NULL, &plan), "-1");
  WRONG(nearfar_irregular_plan_create(d, 1, rank == 0 ? NULL : &index, NULL, &plan), "NULL");
  WRONG(nearfar_irregular_plan_create(d, 0, NULL, &unknown, &plan), "swift");
  WRONG(nearfar_irregular_plan_create(d, 0, NULL, &odd, &plan), "order of additions 7");
  CHECK(plan == NULL);
  index = 0;
  OK(nearfar_irregular_plan_create(d, 1, &index, &quick, &plan));
  const int64_t owned = nearfar_irregular_plan_owned(plan), ghosts = nearfar_irregular_plan_ghosts(plan);
  WRONG(nearfar_irregular_plan_gather(plan, x, owned - 1, out, NEARFAR_ELEMENT_FLOAT64, 1), "own elements");
  WRONG(nearfar_irregular_plan_gather_ghosts(plan, x, owned + ghosts + 1, NEARFAR_ELEMENT_FLOAT64, 1), "ghosts");
  WRONG(nearfar_irregular_plan_gather(plan, NULL, owned, out, NEARFAR_ELEMENT_FLOAT64, 1), "'x' is NULL");
  WRONG(nearfar_irregular_plan_gather(plan, x, owned, out, (nearfar_element_type)99, 1), "99");
  WRONG(nearfar_irregular_plan_scatter(plan, out, x, owned, NEARFAR_ELEMENT_FLOAT64, 1, (nearfar_reduce_op)9), "9");
  WRONG(nearfar_irregular_plan_assemble(plan, out, NEARFAR_ELEMENT_INT8, 1, NEARFAR_REDUCE_SUM), "1 bytes");
  WRONG(nearfar_irregular_plan_run(plan, NULL), "NULL");
  WRONG(nearfar_irregular_plan_start(plan, &(nearfar_irregular_call){.kind = NEARFAR_IRREGULAR_ASSEMBLE, .count = 0}),
        "0 arrays");
  OK(nearfar_irregular_plan_gather(plan, x, owned, out, NEARFAR_ELEMENT_FLOAT64,
                                   1)); /* all that was refused did no harm */
  OK(nearfar_irregular_plan_free(&plan));
  OK(nearfar_distribution_free(&d));

  nearfar_distribution_rule failing = rule_of_all();
  backwards.fails = 4;
  OK(nearfar_distribution_from_rule(team, &failing, &d));
  WRONG(nearfar_irregular_plan_create(d, 1, &index, &quick, &plan), "failed with 4");
  CHECK(backwards.released == 0);
  OK(nearfar_distribution_free(&d));
  CHECK(backwards.released == 1);
}

static void test_free_with_team(void) {
  nearfar_team* short_lived;
  nearfar_distribution* d;
  nearfar_irregular_plan* plan;
  OK(nearfar_team_create(everyone, NULL, &short_lived));
  OK(nearfar_distribution_block(short_lived, 10, &d));
  OK(nearfar_irregular_plan_create(d, 0, NULL, &quick, &plan));
  OK(nearfar_team_free(&short_lived));
  WRONG(nearfar_irregular_plan_update(plan, NULL, 0, NULL), "freed with its team");
  WRONG(nearfar_distribution_check(d, 0), "freed with its team");
  OK(nearfar_irregular_plan_free(&plan));
  OK(nearfar_distribution_free(&d));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    test_distributions();
    test_each_distribution();
    test_custom_of_pairs();
    test_calls();
    test_constants_and_types();
    test_mistakes();
    test_free_with_team();
  }
  return end_checks();
}
