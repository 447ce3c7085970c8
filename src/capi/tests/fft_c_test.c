// SPDX-License-Identifier: BSD-3-Clause
// Transforms from C: single waves, whose coefficients are known, and back; verdicts are collective.
#include <math.h>
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

static int rank, ranks;
static nearfar_team* team;
static const int64_t extents[3] = {6, 5, 8};
static const double two_pi = 6.283185307179586477;
static const nearfar_fft_options quick = {.size = sizeof(nearfar_fft_options), .name = "waves", .budget_s = 0.005};

/* Calls `at` for each element of a side's own part: global index, and the place in the array. */
typedef void visitor(void* context, const int64_t* index, int64_t offset);
static void visit(const nearfar_transpose_side* side, visitor* at, void* context) {
  nearfar_array_shape shape;
  nearfar_box own;
  OK(nearfar_transpose_shape(side, &shape));
  OK(nearfar_decomposition_box(side->parts, rank, &own));
  int64_t i[3];
  for (i[0] = own.lower[0]; i[0] < own.upper[0]; ++i[0])
    for (i[1] = own.lower[1]; i[1] < own.upper[1]; ++i[1])
      for (i[2] = own.lower[2]; i[2] < own.upper[2]; ++i[2]) {
        int64_t offset = 0;
        for (int d = 0; d < 3; ++d) offset += (i[d] - shape.held.lower[d]) * shape.strides[d];
        at(context, i, offset);
      }
}

typedef struct wave {
  double* data;
  int64_t k[3];
  int parts;    /* 2: complex */
  double scale; /* that the values are to have, or of the coefficient */
  double worst;
} wave;

static double phase(const wave* w, const int64_t* i) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += (double)(w->k[d] * i[d]) / (double)extents[d];
  return two_pi * sum;
}
static void fill(void* context, const int64_t* i, int64_t offset) {
  const wave* w = context;
  w->data[offset * w->parts] = cos(phase(w, i));
  if (w->parts == 2) w->data[offset * 2 + 1] = sin(phase(w, i));
}
static void compare(void* context, const int64_t* i, int64_t offset) {
  wave* w = context;
  w->worst = fmax(w->worst, fabs(w->data[offset * w->parts] - w->scale * cos(phase(w, i))));
  if (w->parts == 2) w->worst = fmax(w->worst, fabs(w->data[offset * 2 + 1] - w->scale * sin(phase(w, i))));
}
static void compare_mode(void* context, const int64_t* i, int64_t offset) {
  wave* w = context;
  const int is_it = i[0] == w->k[0] && i[1] == w->k[1] && i[2] == w->k[2];
  w->worst = fmax(w->worst, fabs(w->data[2 * offset] - (is_it ? w->scale : 0)));
  w->worst = fmax(w->worst, fabs(w->data[2 * offset + 1]));
}

/* Forward and back of one wave, of which only the coefficient `of_mode` is not 0. */
static void test_layout(const nearfar_fft_layout* layout, int is_real, nearfar_fft_scaling scaling, double of_mode,
                        double of_roundtrip) {
  nearfar_fft_options options = quick;
  nearfar_transpose_array *a, *b;
  nearfar_fft_plan* plan;
  int done = 0;
  const nearfar_transpose_side *x = nearfar_fft_layout_physical(layout), *k = nearfar_fft_layout_spectral(layout);
  options.scaling = scaling;
  OK(nearfar_transpose_array_create(1, x, 1, is_real ? 8 : 16, &a));
  OK(nearfar_transpose_array_create(1, k, 1, 16, &b));
  double *in = nearfar_transpose_array_data(a, 0), *out = nearfar_transpose_array_data(b, 0);
  const int64_t in_elements = nearfar_transpose_array_elements(a), out_elements = nearfar_transpose_array_elements(b);
  if (in_elements > 1)
    WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, in, 1, out, out_elements, &options, &plan),
          "are needed");
  else
    WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, in, in_elements, out, out_elements, &options, &plan),
          "are needed");
  OK(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, in, in_elements, out, out_elements, &options, &plan));
  wave w = {in, {2, 1, 3}, is_real ? 1 : 2, 1, 0};
  visit(x, fill, &w);
  OK(nearfar_fft_plan_run(plan, NEARFAR_FFT_FORWARD));
  CHECK(nearfar_fft_plan_method(plan)[0] && nearfar_fft_plan_tuned_seconds(plan) >= 0);
  visit(x, compare, &w);
  CHECK(w.worst < 1e-12); /* input is preserved */
  w.data = out, w.scale = of_mode;
  visit(k, compare_mode, &w);
  CHECK(w.worst < 1e-11);
  OK(nearfar_fft_plan_start_on(plan, NEARFAR_FFT_BACKWARD, out, out_elements, in, in_elements));
  WRONG(nearfar_fft_plan_start_on(plan, NEARFAR_FFT_BACKWARD, out, out_elements, in, in_elements), "in flight");
  while (!done && nearfar_fft_plan_test(plan, &done) == NEARFAR_OK) continue;
  OK(nearfar_fft_plan_finish(plan));
  w.data = in, w.scale = of_roundtrip, w.worst = 0;
  visit(x, compare, &w);
  CHECK(w.worst < 1e-11);
  CHECK(nearfar_fft_plan_work_bytes(plan) >= 0 && strstr(nearfar_fft_plan_describe(plan), "waves"));
  OK(nearfar_fft_plan_free(&plan));
  OK(nearfar_transpose_array_free(&a));
  OK(nearfar_transpose_array_free(&b));
  CHECK(plan == NULL);
}

static void test_complex_and_real(void) {
  const nearfar_fft_kind kinds[3] = {NEARFAR_FFT_C2C, NEARFAR_FFT_C2C, NEARFAR_FFT_R2C};
  const nearfar_fft_shape complex = {3, extents, NULL, NULL}, real = {3, extents, kinds, NULL};
  const int slabs = ranks, order[3] = {2, 0, 1};
  int64_t found[3];
  nearfar_fft_layout* layout;
  nearfar_decomposition *whole_z, *whole_x;
  const double n = 6 * 5 * 8;
  CHECK(fabs(nearfar_fft_roundtrip_factor(&real) - n) < 1e-9);
  OK(nearfar_fft_spectral_extents(&real, found));
  CHECK(found[0] == 6 && found[1] == 5 && found[2] == 5);

  OK(nearfar_fft_layout_create(team, &complex, NULL, &layout));
  CHECK(nearfar_fft_layout_is_physical_complex(layout) == 1 && nearfar_fft_layout_is_spectral_complex(layout) == 1);
  CHECK(strlen(nearfar_fft_layout_describe(layout)) > 0 && nearfar_fft_layout_team(layout) == team);
  test_layout(layout, 0, NEARFAR_FFT_SCALING_NONE, n, n);
  test_layout(layout, 0, NEARFAR_FFT_SCALING_ORTHONORMAL, sqrt(n), 1);
  OK(nearfar_fft_layout_free(&layout));

  OK(nearfar_fft_layout_create(
      team, &real, &NEARFAR_OPTIONS(nearfar_fft_layout_options, .process_grid = &slabs, .process_grid_count = 1),
      &layout));
  CHECK(nearfar_fft_layout_is_physical_complex(layout) == 0);
  test_layout(layout, 1, NEARFAR_FFT_SCALING_FORWARD, 0.5, 1);
  OK(nearfar_fft_layout_free(&layout));

  /* Sides of the program's own. */
  OK(nearfar_decomposition_pencil(team, 3, extents, 0, NULL, &whole_z));
  OK(nearfar_decomposition_pencil(team, 3, extents, 2, NULL, &whole_x));
  const nearfar_transpose_side physical = {.parts = whole_z}, spectral = {.parts = whole_x, .memory_order = order};
  OK(nearfar_fft_layout_create(
      team, &complex, &NEARFAR_OPTIONS(nearfar_fft_layout_options, .physical = &physical, .spectral = &spectral),
      &layout));
  CHECK(nearfar_fft_layout_spectral(layout)->memory_order[0] == 2);
  test_layout(layout, 0, NEARFAR_FFT_SCALING_BACKWARD, n, 1);
  OK(nearfar_fft_layout_free(&layout));
  OK(nearfar_decomposition_free(&whole_z));
  OK(nearfar_decomposition_free(&whole_x));
}

/* Two fields in single precision, in place, with fewer modes: the wave has one of those that remain. */
static void test_fields_and_modes(void) {
  const int64_t modes[3] = {5, 3, 7};
  const nearfar_fft_shape shape = {3, extents, NULL, modes};
  const nearfar_fft_options two = {.size = sizeof(nearfar_fft_options), .fields = 2, .budget_s = 0.005};
  nearfar_fft_layout* layout;
  nearfar_transpose_array* array;
  nearfar_fft_plan* plan;
  int64_t more[3], kept[3];
  OK(nearfar_fft_padded(&(nearfar_fft_shape){3, extents, NULL, NULL}, 1.5, more, kept));
  CHECK(more[0] == 9 && more[1] == 7 && more[2] == 12 && kept[2] == 8);
  OK(nearfar_fft_truncated(&(nearfar_fft_shape){3, extents, NULL, NULL}, 0.5, kept));
  CHECK(kept[0] == 3 && kept[1] == 2 && kept[2] == 4);

  OK(nearfar_fft_layout_create(team, &shape, NULL, &layout));
  const nearfar_transpose_side *x = nearfar_fft_layout_physical(layout), *k = nearfar_fft_layout_spectral(layout);
  OK(nearfar_transpose_array_create(2, (nearfar_transpose_side[]){*x, *k}, 2, 8, &array));
  void* fields[2] = {nearfar_transpose_array_data(array, 0), nearfar_transpose_array_data(array, 1)};
  const int64_t lengths[2] = {nearfar_transpose_array_elements(array), nearfar_transpose_array_elements(array)};
  OK(nearfar_fft_plan_create_each(layout, NEARFAR_ELEMENT_FLOAT32, 2, fields, lengths, 2, fields, lengths, &two,
                                  &plan));
  nearfar_array_shape held;
  OK(nearfar_transpose_shape(x, &held));
  for (int f = 0; f < 2; ++f)
    for (int64_t i = 0; i < held.elements; ++i) /* constants, whatever the order of memory is */
      ((float*)fields[f])[2 * i] = (float)(f + 1), ((float*)fields[f])[2 * i + 1] = 0;
  OK(nearfar_fft_plan_start_on_each(plan, NEARFAR_FFT_FORWARD, (const void* const*)fields, lengths, fields, lengths));
  OK(nearfar_fft_plan_finish(plan));
  float sums[2] = {0, 0}, all[2];
  nearfar_array_shape spectral;
  OK(nearfar_transpose_shape(k, &spectral));
  for (int f = 0; f < 2; ++f)
    for (int64_t i = 0; i < spectral.elements; ++i) sums[f] += ((float*)fields[f])[2 * i];
  MPI_Allreduce(sums, all, 2, MPI_FLOAT, MPI_SUM, verdicts);
  CHECK(fabsf(all[0] - 240) < 1e-3F && fabsf(all[1] - 480) < 1e-3F);
  OK(nearfar_fft_plan_start(plan, NEARFAR_FFT_BACKWARD));
  OK(nearfar_fft_plan_finish(plan));
  int wrong = 0;
  for (int f = 0; f < 2; ++f)
    for (int64_t i = 0; i < held.elements; ++i)
      wrong += fabsf(((float*)fields[f])[2 * i] - 240 * (float)(f + 1)) > 1e-2F;
  CHECK(wrong == 0);
  OK(nearfar_fft_plan_free(&plan));
  OK(nearfar_transpose_array_free(&array));
  OK(nearfar_fft_layout_free(&layout));
}

/* A plan that makes its arrays has the bits of one on those of the program. */
static void test_own_arrays(void) {
  const nearfar_fft_kind kinds[3] = {NEARFAR_FFT_C2C, NEARFAR_FFT_C2C, NEARFAR_FFT_R2C};
  const nearfar_fft_shape shape = {3, extents, kinds, NULL};
  const nearfar_fft_options two = {.size = sizeof two, .fields = 2, .budget_s = 0.005};
  nearfar_fft_layout* layout;
  nearfar_fft_plan *brief, *full;
  nearfar_transpose_array *a, *b, *kept;
  OK(nearfar_fft_layout_create(team, &shape, NULL, &layout));
  OK(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, NULL, 0, NULL, 0, &two, &brief));
  OK(nearfar_fft_layout_free(&layout));
  const nearfar_fft_layout* same = nearfar_fft_plan_layout(brief);
  CHECK(same != NULL && same == nearfar_fft_plan_layout(brief) && nearfar_fft_layout_team(same) == team);
  OK(nearfar_transpose_array_create(1, nearfar_fft_layout_physical(same), 2, 8, &a));
  OK(nearfar_transpose_array_create(1, nearfar_fft_layout_spectral(same), 2, 16, &b));
  const int64_t n = nearfar_transpose_array_elements(a), m = nearfar_transpose_array_elements(b);
  void* const u[2] = {nearfar_transpose_array_data(a, 0), nearfar_transpose_array_data(a, 1)};
  void* const uh[2] = {nearfar_transpose_array_data(b, 0), nearfar_transpose_array_data(b, 1)};
  OK(nearfar_fft_plan_create_each(same, NEARFAR_ELEMENT_FLOAT64, 2, u, (int64_t[]){n, n}, 2, uh, (int64_t[]){m, m},
                                  &two, &full));
  for (int f = 0; f < 2; ++f)
    for (int64_t i = 0; i < n; ++i)
      ((double*)u[f])[i] = ((double*)nearfar_fft_plan_physical(brief, f))[i] = (double)((i * i + f + rank) % 11);
  OK(nearfar_fft_plan_run(brief, NEARFAR_FFT_FORWARD));
  OK(nearfar_fft_plan_run(full, NEARFAR_FFT_FORWARD));
  for (int f = 0; f < 2; ++f) CHECK(m == 0 || memcmp(uh[f], nearfar_fft_plan_spectral(brief, f), 16 * (size_t)m) == 0);
  OK(nearfar_fft_plan_start_on_each(brief, NEARFAR_FFT_BACKWARD, (const void* const*)uh, (int64_t[]){m, m}, u,
                                    (int64_t[]){n, n}));
  OK(nearfar_fft_plan_finish(brief));

  CHECK(nearfar_fft_plan_physical(brief, 2) == NULL && strstr(nearfar_last_error(), "fields are 0 to 1"));
  CHECK(nearfar_fft_plan_spectral(full, 0) == NULL && strstr(nearfar_last_error(), "spectral is the caller's"));
  WRONG(nearfar_fft_plan_physical_array(full, &kept), "physical is the caller's");
  OK(nearfar_fft_plan_spectral_array(brief, &kept)); /* outlives the plan */
  const double* coefficients = nearfar_fft_plan_spectral(brief, 1);
  OK(nearfar_fft_plan_free(&brief));
  CHECK(nearfar_transpose_array_data(kept, 1) == coefficients && nearfar_transpose_array_elements(kept) == m);
  CHECK(m == 0 || memcmp(uh[1], coefficients, 16 * (size_t)m) == 0);
  OK(nearfar_transpose_array_free(&kept));
  OK(nearfar_fft_plan_free(&full));
  OK(nearfar_transpose_array_free(&a));
  OK(nearfar_transpose_array_free(&b));
}

/* Without arrays on some ranks alone, on one side alone, or of some length: arrays are missing then, for all. */
static void test_missing_arrays(void) {
  const nearfar_fft_shape shape = {3, extents, NULL, NULL};
  const int64_t capacity = 1000; /* pairs */
  static double x[2000], y[2000];
  nearfar_fft_layout* layout;
  nearfar_fft_plan* plan;
  OK(nearfar_fft_layout_create(team, &shape, NULL, &layout));
  WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, NULL, 0, x, capacity, &quick, &plan), "is null");
  WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, NULL, capacity, NULL, capacity, &quick, &plan),
        "is null");
  if (ranks > 1) {
    const int is_first = rank == 0;
    WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, is_first ? NULL : x, is_first ? 0 : capacity,
                                  is_first ? NULL : y, is_first ? 0 : capacity, &quick, &plan),
          "is null");
  }
  OK(nearfar_fft_layout_free(&layout));
}

static void test_mistakes(void) {
  const nearfar_fft_kind two_real[3] = {NEARFAR_FFT_R2C, NEARFAR_FFT_C2C, NEARFAR_FFT_R2C};
  const nearfar_fft_kind unknown[3] = {NEARFAR_FFT_C2C, (nearfar_fft_kind)77, NEARFAR_FFT_C2C};
  const int64_t too_many[3] = {6, 6, 8};
  int64_t list[3];
  nearfar_fft_shape shape = {3, extents, NULL, NULL}, bad = shape;
  nearfar_fft_layout* layout = NULL;
  nearfar_fft_plan* plan = NULL;
  double a[2000];
  const int64_t capacity = 1000; /* pairs */
  bad.dimensions = 5;
  WRONG(nearfar_fft_layout_create(team, &bad, NULL, &layout), "not 5");
  bad = (nearfar_fft_shape){3, extents, two_real, NULL};
  WRONG(nearfar_fft_layout_create(team, &bad, NULL, &layout), "r2c");
  bad.kinds = unknown;
  WRONG(nearfar_fft_layout_create(team, &bad, NULL, &layout), "77");
  bad = (nearfar_fft_shape){3, extents, NULL, too_many};
  WRONG(nearfar_fft_layout_create(team, &bad, NULL, &layout), "6");
  WRONG(nearfar_fft_layout_create(team, NULL, NULL, &layout), "shape is NULL");
  WRONG(nearfar_fft_layout_create(NULL, &shape, NULL, &layout), "team is NULL");
  WRONG(nearfar_fft_truncated(&shape, 2, list), "2");
  CHECK(layout == NULL && nearfar_fft_layout_physical(NULL) == NULL && nearfar_fft_roundtrip_factor(NULL) == 0);
  OK(nearfar_fft_layout_create(team, &shape, NULL, &layout));
  WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_INT8, a, capacity, a, capacity, &quick, &plan), "precision");
  WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, a, capacity, a, capacity,
                                &NEARFAR_OPTIONS(nearfar_fft_options, .engines = "abacus"), &plan),
        "abacus");
  if (ranks > 1) /* on one rank nothing moves */
    WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, a, capacity, a, capacity,
                                  &NEARFAR_OPTIONS(nearfar_fft_options, .method = "swift"), &plan),
          "swift");
  WRONG(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, a, capacity, a, capacity,
                                &NEARFAR_OPTIONS(nearfar_fft_options, .scaling = (nearfar_fft_scaling)9), &plan),
        "scaling 9");
  WRONG(nearfar_fft_plan_create_each(layout, NEARFAR_ELEMENT_FLOAT64, 0, NULL, NULL, 1, (void* const[]){a}, &capacity,
                                     &quick, &plan),
        "is 0");
  CHECK(plan == NULL && nearfar_fft_plan_work_bytes(NULL) == -1);
  WRONG(nearfar_fft_plan_finish(NULL), "NULL");

  /* Freed with the team. */
  nearfar_team* brief;
  nearfar_fft_layout* orphan;
  OK(nearfar_team_create(everyone, NULL, &brief));
  OK(nearfar_fft_layout_create(brief, &shape, NULL, &orphan));
  OK(nearfar_fft_plan_create(orphan, NEARFAR_ELEMENT_FLOAT64, a, capacity, a, capacity, &quick, &plan));
  CHECK(nearfar_fft_plan_layout(plan) != NULL);
  OK(nearfar_team_free(&brief));
  WRONG(nearfar_fft_plan_run(plan, NEARFAR_FFT_FORWARD), "freed with its team");
  CHECK(nearfar_fft_plan_layout(plan) == NULL && nearfar_fft_plan_physical(plan, 0) == NULL);
  CHECK(nearfar_fft_layout_physical(orphan) == NULL);
  OK(nearfar_fft_plan_free(&plan));
  OK(nearfar_fft_layout_free(&orphan));
  OK(nearfar_fft_layout_free(&layout));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    test_complex_and_real();
    test_fields_and_modes();
    test_own_arrays();
    test_missing_arrays();
    test_mistakes();
  }
  return end_checks();
}
