// SPDX-License-Identifier: BSD-3-Clause
// Transpositions from C: every element must arrive where its global index says; verdicts are collective.
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

static int rank, ranks;
static nearfar_team* team;
static const int64_t extents[4] = {5, 7, 6, 2};
static const nearfar_transpose_options quick = {
    .size = sizeof(nearfar_transpose_options), .name = "there", .budget_s = 0.005};

/* The number of a global index, different for each field; no element has 0. */
static double number(int dimensions, const int64_t* at, int64_t field) {
  double n = 0;
  for (int d = 0; d < dimensions; ++d) n = n * (double)extents[d] + (double)at[d];
  return n + 1 + 1000 * (double)field;
}

/* Visits the own part of a side: writes numbers (or -1 into all of the array first), or counts those that are wrong. */
static int visit(const nearfar_transpose_side* side, double* data, int64_t field, int is_check) {
  const int dimensions = nearfar_decomposition_dimensions(side->parts);
  nearfar_array_shape shape;
  nearfar_box own;
  int wrong = 0;
  wrong += nearfar_transpose_shape(side, &shape) != NEARFAR_OK;
  wrong += nearfar_decomposition_box(side->parts, rank, &own) != NEARFAR_OK;
  for (int64_t i = 0; !is_check && i < shape.elements; ++i) data[i] = -1;
  int64_t inside = 0;
  for (int64_t n = 0; n < shape.elements; ++n) { /* all of the array, padding included, in the order of indices */
    int64_t at[4] = {0}, rest = n, offset = 0;
    int is_own = 1;
    for (int d = dimensions - 1; d >= 0; --d) {
      const int64_t extent = shape.held.upper[d] - shape.held.lower[d];
      at[d] = shape.held.lower[d] + rest % extent;
      offset += rest % extent * shape.strides[d];
      rest /= extent;
      is_own &= at[d] >= own.lower[d] && at[d] < own.upper[d];
    }
    inside += is_own;
    if (is_check) wrong += data[offset] != (is_own ? number(dimensions, at, field) : -1);
    if (!is_check && is_own) data[offset] = number(dimensions, at, field);
  }
  int64_t owned = 1;
  for (int d = 0; d < dimensions; ++d) owned *= own.upper[d] - own.lower[d];
  return wrong + (inside != owned);
}

static double* own_array(const nearfar_transpose_side* side, int64_t fields) {
  nearfar_array_shape shape;
  OK(nearfar_transpose_shape(side, &shape));
  return malloc((size_t)(fields * shape.elements + 1) * sizeof(double));
}

static int64_t length_of(const nearfar_transpose_side* side) {
  nearfar_array_shape shape;
  OK(nearfar_transpose_shape(side, &shape));
  return shape.elements;
}

static void clear(const nearfar_transpose_side* side, double* data, int64_t fields) {
  nearfar_array_shape shape;
  OK(nearfar_transpose_shape(side, &shape));
  for (int64_t i = 0; i < fields * shape.elements; ++i) data[i] = -1;
}

static void test_sides(const nearfar_transpose_side* from, const nearfar_transpose_side* to) {
  nearfar_transpose_plan* plan;
  nearfar_transpose_array *near_in, *near_out;
  OK(nearfar_transpose_array_create(1, from, 1, sizeof(double), &near_in));
  OK(nearfar_transpose_array_create(1, to, 1, sizeof(double), &near_out));
  double* const arrays[2][2] = {{nearfar_transpose_array_data(near_in, 0), nearfar_transpose_array_data(near_out, 0)},
                                {own_array(from, 1), own_array(to, 1)}};
  for (int i = 0; i < 2; ++i) {
    double *const in = arrays[i][0], *const out = arrays[i][1];
    const int64_t in_elements = length_of(from), out_elements = length_of(to);
    OK(nearfar_transpose_plan_create(from, to, sizeof(double), in, in_elements, out, out_elements, &quick, &plan));
    CHECK(visit(from, in, 0, 0) == 0);
    clear(to, out, 1);
    OK(nearfar_transpose_plan_run_on(plan, in, in_elements, out, out_elements));
    CHECK(visit(to, out, 0, 1) == 0);
    CHECK(visit(from, in, 0, 1) == 0);
    CHECK(strstr(nearfar_transpose_plan_describe(plan), "there") && strlen(nearfar_transpose_plan_method(plan)) > 0);
    OK(nearfar_transpose_plan_free(&plan));
    CHECK(plan == NULL);
  }
  free(arrays[1][0]), free(arrays[1][1]);
  OK(nearfar_transpose_array_free(&near_in));
  OK(nearfar_transpose_array_free(&near_out));
  CHECK(near_in == NULL);
}

static void test_each_decomposition(void) {
  nearfar_decomposition *parts[4], *four;
  const int grid[4] = {1, ranks, 1, 1}, order[3] = {0, 2, 1}, backwards[3] = {2, 1, 0};
  const int padding[3][2] = {{1, 0}, {2, 1}, {0, 3}}, other_order[4] = {1, 3, 0, 2};
  /* Boxes: planes along axis 2, given out backwards. */
  nearfar_box own = {{0, 0, (ranks - 1 - rank) * 6 / ranks}, {5, 7, (ranks - rank) * 6 / ranks}};
  OK(nearfar_decomposition_pencil(team, 3, extents, 2, NULL, &parts[0]));
  OK(nearfar_decomposition_slab(team, 3, extents, 0, &parts[1]));
  OK(nearfar_decomposition_blocks(team, 3, extents, grid, &parts[2]));
  OK(nearfar_decomposition_from_boxes(team, 3, extents, &own, &parts[3]));
  CHECK(nearfar_decomposition_dimensions(parts[0]) == 3 && nearfar_decomposition_extents(parts[0])[1] == 7);
  CHECK(nearfar_decomposition_process_grid(parts[0])[2] == 1 && !nearfar_decomposition_process_grid(parts[3]));
  CHECK(strlen(nearfar_decomposition_describe(parts[1])) > 0);
  for (int i = 0; i < 4; ++i) {
    const nearfar_transpose_side from = {.parts = parts[i]};
    const nearfar_transpose_side to = {.parts = parts[(i + 1) % 4], .memory_order = i % 2 ? order : backwards};
    const nearfar_transpose_side padded = {.parts = parts[(i + 2) % 4], .memory_order = order, .padding = padding};
    test_sides(&from, &to);
    test_sides(&to, &padded);
  }
  OK(nearfar_decomposition_pencil(team, 4, extents, 1, NULL, &four));
  test_sides(&(nearfar_transpose_side){.parts = four},
             &(nearfar_transpose_side){.parts = four, .memory_order = other_order});
  OK(nearfar_decomposition_free(&four));
  for (int i = 0; i < 4; ++i) OK(nearfar_decomposition_free(&parts[i]));
  CHECK(parts[0] == NULL && nearfar_decomposition_dimensions(parts[0]) == -1);
}

static void test_fields_and_in_place(void) {
  nearfar_decomposition *x, *y;
  nearfar_transpose_plan* plan;
  nearfar_transpose_array* array;
  int done = 0;
  OK(nearfar_decomposition_pencil(team, 3, extents, 2, NULL, &x));
  OK(nearfar_decomposition_pencil(team, 3, extents, 1, NULL, &y));
  nearfar_transpose_side from = {.parts = x}, to = {.parts = y, .memory_order = (const int[]){0, 2, 1}};
  nearfar_array_shape shape;
  const nearfar_transpose_options two = {.size = sizeof(nearfar_transpose_options),
                                         .name = "two",
                                         .without = "rma,neighbor",
                                         .budget_s = 0.005,
                                         .fields = 2};

  /* Two arrays to one array with both. */
  OK(nearfar_transpose_shape(&to, &shape));
  to.field_stride = shape.elements + 1;
  double* const out = malloc((size_t)(2 * to.field_stride) * sizeof(double));
  const void* in[2] = {own_array(&from, 1), own_array(&from, 1)};
  void* const outs[1] = {out};
  const int64_t in_lengths[2] = {length_of(&from), length_of(&from)}, out_lengths[1] = {2 * to.field_stride};
  const int64_t too_short[1] = {to.field_stride};
  WRONG(nearfar_transpose_plan_create_each(&from, &to, sizeof(double), 2, in, in_lengths, 1, outs, too_short, &two,
                                           &plan),
        "are needed");
  OK(nearfar_transpose_plan_create_each(&from, &to, sizeof(double), 2, in, in_lengths, 1, outs, out_lengths, &two,
                                        &plan));
  CHECK(visit(&from, (double*)in[0], 0, 0) == 0 && visit(&from, (double*)in[1], 1, 0) == 0);
  OK(nearfar_transpose_plan_start_on_each(plan, in, in_lengths, outs, out_lengths));
  WRONG(nearfar_transpose_plan_start(plan), "in flight");
  while (!done && nearfar_transpose_plan_test(plan, &done) == NEARFAR_OK) continue;
  OK(nearfar_transpose_plan_finish(plan));
  CHECK(visit(&to, out, 0, 1) == 0 && visit(&to, out + to.field_stride, 1, 1) == 0);
  CHECK(visit(&from, (double*)in[1], 5, 0) == 0);
  OK(nearfar_transpose_plan_start(plan));
  OK(nearfar_transpose_plan_finish(plan));
  CHECK(visit(&to, out, 0, 1) == 0 && visit(&to, out + to.field_stride, 5, 1) == 0);
  OK(nearfar_transpose_plan_free(&plan));
  free((void*)in[0]), free((void*)in[1]), free(out);

  /* In place, in memory that is large enough for both sides. */
  to.field_stride = 0;
  OK(nearfar_transpose_array_create(2, (nearfar_transpose_side[]){from, to}, 1, sizeof(double), &array));
  double* const a = nearfar_transpose_array_data(array, 0);
  nearfar_transpose_array* found;
  if (a) OK(nearfar_team_find_array(team, a, &found));
  const int64_t capacity = nearfar_transpose_array_elements(array);
  OK(nearfar_transpose_plan_create(&from, &to, sizeof(double), a, capacity, a, capacity, NULL, &plan));
  CHECK(visit(&from, a, 0, 0) == 0);
  OK(nearfar_transpose_plan_run(plan));
  CHECK(visit(&to, a, 0, 1) == 0);
  OK(nearfar_transpose_plan_free(&plan));
  OK(nearfar_transpose_array_free(&array));
  OK(nearfar_decomposition_free(&x));
  OK(nearfar_decomposition_free(&y));
}

static void test_mistakes(void) {
  nearfar_decomposition *x = NULL, *y = NULL;
  nearfar_transpose_plan* plan = NULL;
  nearfar_transpose_array* array = NULL;
  nearfar_box box, own = {{0, 0, 0}, {5, 7, 6}};
  nearfar_array_shape shape;
  double a[400], b[400], c;
  const int64_t capacity = 400;
  const int wrong_order[3] = {0, 1, 1}, wrong_grid[3] = {ranks + 1, 1, 1}, wrong_padding[3][2] = {{0, 0}, {-2, 0}};
  const int64_t no_extents[3] = {5, 0, 6};
  own.upper[0] = ranks == 1 ? 4 : 5; /* one element is missing, or each has an owner too many */
  WRONG(nearfar_decomposition_slab(NULL, 3, extents, 0, &x), "team is NULL");
  WRONG(nearfar_decomposition_slab(team, 5, extents, 0, &x), "not 5");
  WRONG(nearfar_decomposition_slab(team, 3, rank == 0 ? NULL : extents, 0, &x), "NULL");
  WRONG(nearfar_decomposition_slab(team, 3, no_extents, 0, &x), "axis 1");
  WRONG(nearfar_decomposition_slab(team, 3, extents, 3, &x), "3");
  WRONG(nearfar_decomposition_blocks(team, 3, extents, wrong_grid, &x), "process grid");
  WRONG(nearfar_decomposition_blocks(team, 3, extents, rank == 0 ? NULL : wrong_grid, &x), "NULL");
  WRONG(nearfar_decomposition_from_boxes(team, 3, extents, &own, &x), "element");
  WRONG(nearfar_decomposition_pencil(team, 3, extents, 2, NULL, rank == 0 ? NULL : &x), "parts");
  CHECK(x == NULL);
  OK(nearfar_decomposition_pencil(team, 3, extents, 2, NULL, &x));
  OK(nearfar_decomposition_pencil(team, 3, extents, 1, NULL, &y));
  WRONG(nearfar_decomposition_box(x, ranks, &box), "there is no rank");

  nearfar_transpose_side from = {.parts = x}, to = {.parts = y}, bad = {.parts = y, .memory_order = wrong_order};
  WRONG(nearfar_transpose_shape(&bad, &shape), "1, 1");
  WRONG(nearfar_transpose_shape(NULL, &shape), "NULL");
  WRONG(nearfar_transpose_plan_create(&from, &bad, 8, a, capacity, b, capacity, &quick, &plan), "1, 1");
  bad = (nearfar_transpose_side){.parts = y, .padding = wrong_padding};
  WRONG(nearfar_transpose_plan_create(&from, &bad, 8, a, capacity, b, capacity, &quick, &plan), "-2");
  WRONG(nearfar_transpose_plan_create(&from, NULL, 8, a, capacity, b, capacity, &quick, &plan), "'to' is NULL");
  WRONG(nearfar_transpose_plan_create(&from, &(nearfar_transpose_side){0}, 8, a, capacity, b, capacity, &quick, &plan),
        "decomposition is NULL");
  WRONG(nearfar_transpose_plan_create(&from, &to, 0, a, capacity, b, capacity, &quick, &plan), "0 bytes");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, a, capacity, &a[1], capacity - 1, &quick, &plan), "overlap");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, NULL, capacity, b, capacity, &quick, &plan), "null");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, a, capacity, b, capacity,
                                      &NEARFAR_OPTIONS(nearfar_transpose_options, .method = "swift"), &plan),
        "swift");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, a, capacity, b, capacity,
                                      &NEARFAR_OPTIONS(nearfar_transpose_options, .fields = -1), &plan),
        "-1");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, a, capacity, b, capacity,
                                      &NEARFAR_OPTIONS(nearfar_transpose_options, .without = "isend"), &plan),
        "compared");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, a, capacity, b, capacity, &(nearfar_transpose_options){0}, &plan),
        "NEARFAR_OPTIONS");
  WRONG(nearfar_transpose_plan_create(&from, &to, 8, a, -1, b, capacity, &quick, &plan), "-1");
  WRONG(nearfar_transpose_plan_create_each(&from, &to, 8, 0, NULL, NULL, 1, (void* const[]){b}, &capacity, NULL, &plan),
        "is 0");
  WRONG(nearfar_transpose_array_create(0, &from, 1, 8, &array), "is 0");
  WRONG(nearfar_transpose_array_create(1, &from, 0, 8, &array), "0");
  CHECK(plan == NULL && array == NULL);
  CHECK(nearfar_transpose_array_data(NULL, 0) == NULL);
  WRONG(nearfar_team_find_array(team, &c, &array), "no array");
  WRONG(nearfar_transpose_plan_start(NULL), "NULL");

  OK(nearfar_transpose_plan_create(&from, &to, 8, a, capacity, b, capacity, &quick, &plan));
  WRONG(nearfar_transpose_plan_finish(plan), "without start");
  WRONG(nearfar_transpose_plan_start_on_each(plan, NULL, NULL, NULL, NULL), "list of arrays");
  OK(nearfar_transpose_plan_run_on(plan, a, capacity, b, capacity)); /* what was refused did no harm */
  OK(nearfar_transpose_plan_free(&plan));
  OK(nearfar_decomposition_free(&x));
  OK(nearfar_decomposition_free(&y));
}

/* Handles outlive their team as shells that fail and can be freed. */
static void test_team_freed_first(void) {
  nearfar_team* brief;
  nearfar_decomposition* x;
  nearfar_transpose_array* array;
  nearfar_transpose_plan* plan;
  OK(nearfar_team_create(everyone, NULL, &brief));
  OK(nearfar_decomposition_slab(brief, 3, extents, 0, &x));
  const nearfar_transpose_side side = {.parts = x};
  OK(nearfar_transpose_array_create(2, (nearfar_transpose_side[]){side, side}, 2, 4, &array));
  void* const in = nearfar_transpose_array_data(array, 0);
  void* const out = nearfar_transpose_array_data(array, 1);
  const int64_t elements = nearfar_transpose_array_elements(array);
  OK(nearfar_transpose_plan_create(&side, &side, 4, in, elements, out, elements, &quick, &plan));
  CHECK(nearfar_decomposition_team(x) == brief && nearfar_transpose_plan_team(plan) == brief);
  OK(nearfar_team_free(&brief));
  WRONG(nearfar_transpose_plan_start(plan), "freed with its team");
  CHECK(nearfar_decomposition_dimensions(x) == -1 && nearfar_transpose_array_data(array, 0) == NULL);
  OK(nearfar_transpose_plan_free(&plan));
  OK(nearfar_transpose_array_free(&array));
  OK(nearfar_decomposition_free(&x));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    test_each_decomposition();
    test_fields_and_in_place();
    test_mistakes();
    test_team_freed_first();
  }
  return end_checks();
}
