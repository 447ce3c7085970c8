/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of Fortran arrays and sections, by their C descriptors: every row is added where it lies. */
#include "arrays.h"

/* A walk over the rows (runs along the first dimension) of one array, or of two arrays of one shape together. */
typedef struct walk {
  const CFI_cdesc_t *a, *b;        /* b may be NULL */
  CFI_index_t place[CFI_MAX_RANK]; /* of the row in all dimensions but the first */
  CFI_index_t columns, rows;       /* elements per row, rows in all */
} walk;

static walk walk_over(const CFI_cdesc_t* a, const CFI_cdesc_t* b) {
  walk w = {.a = a, .b = b, .columns = a->rank > 0 ? a->dim[0].extent : 1, .rows = 1};
  for (int d = 1; d < a->rank; ++d) w.rows *= a->dim[d].extent;
  return w;
}

static const char* row_of(const CFI_cdesc_t* array, const walk* w) {
  const char* at = array->base_addr;
  for (int d = 1; d < array->rank; ++d) at += w->place[d] * array->dim[d].sm;
  return at;
}

static void next_row(walk* w) {
  for (int d = 1; d < w->a->rank; ++d) {
    if (++w->place[d] < w->a->dim[d].extent) return;
    w->place[d] = 0;
  }
}

static CFI_index_t step_of(const CFI_cdesc_t* array) {
  return array->rank > 0 ? array->dim[0].sm : (CFI_index_t)array->elem_len;
}

static int is_dense_row(const CFI_cdesc_t* array) { return step_of(array) == (CFI_index_t)array->elem_len; }

static nearfar_status add_rows(nearfar_exact_sum* sum, const CFI_cdesc_t* array, nearfar_element_type type) {
  nearfar_status status = NEARFAR_OK;
  walk w = walk_over(array, NULL);
  for (CFI_index_t r = 0; r < w.rows && status == NEARFAR_OK; ++r, next_row(&w)) {
    const char* row = row_of(array, &w);
    if (is_dense_row(array)) {
      status = nearfar_exact_sum_add(sum, row, w.columns, type);
      continue;
    }
    for (CFI_index_t i = 0; i < w.columns && status == NEARFAR_OK; ++i)
      status = nearfar_exact_sum_add(sum, row + i * step_of(array), 1, type);
  }
  return status;
}

static nearfar_status multiply_rows(nearfar_exact_dot* dot, const CFI_cdesc_t* a, const CFI_cdesc_t* b,
                                    nearfar_element_type type) {
  nearfar_status status = NEARFAR_OK;
  walk w = walk_over(a, b);
  for (CFI_index_t r = 0; r < w.rows && status == NEARFAR_OK; ++r, next_row(&w)) {
    const char *x = row_of(a, &w), *y = row_of(b, &w);
    if (is_dense_row(a) && is_dense_row(b)) {
      status = nearfar_exact_dot_add(dot, x, y, w.columns, type);
      continue;
    }
    for (CFI_index_t i = 0; i < w.columns && status == NEARFAR_OK; ++i)
      status = nearfar_exact_dot_add(dot, x + i * step_of(a), y + i * step_of(b), 1, type);
  }
  return status;
}

static int same_shape(const CFI_cdesc_t* a, const CFI_cdesc_t* b) {
  if (a->rank != b->rank) return 0;
  for (int d = 0; d < a->rank; ++d)
    if (a->dim[d].extent != b->dim[d].extent) return 0;
  return 1;
}

/* Sums in Fortran begin without a call. */
static nearfar_status made(nearfar_exact_sum** sum) { return *sum ? NEARFAR_OK : nearfar_exact_sum_create(sum); }

nearfar_status nearfar_fortran_exact_sum_add(nearfar_exact_sum** sum, const CFI_cdesc_t* array,
                                             nearfar_element_type type) {
  const nearfar_status status = made(sum);
  return status == NEARFAR_OK ? add_rows(*sum, array, type) : status;
}

nearfar_status nearfar_fortran_exact_sum_merge(nearfar_exact_sum** sum, const nearfar_exact_sum* other) {
  const nearfar_status status = made(sum);
  return status == NEARFAR_OK ? nearfar_exact_sum_merge(*sum, other) : status;
}

nearfar_status nearfar_fortran_reproducible_sum(nearfar_team* team, const CFI_cdesc_t* array, nearfar_element_type type,
                                                void* total) {
  nearfar_exact_sum* sum = NULL;
  nearfar_status status = nearfar_fortran_exact_sum_add(&sum, array, type);
  const nearfar_exact_sum* const locals[] = {sum};
  if (status == NEARFAR_OK) status = nearfar_reproducible_sums(team, 1, locals, type, total);
  nearfar_exact_sum_free(&sum);
  return status;
}

nearfar_status nearfar_fortran_reproducible_dot(nearfar_team* team, const CFI_cdesc_t* a, const CFI_cdesc_t* b,
                                                nearfar_element_type type, void* total) {
  nearfar_exact_dot* dot = NULL;
  nearfar_status status = nearfar_exact_dot_create(&dot);
  if (status == NEARFAR_OK)
    status =
        same_shape(a, b) ? multiply_rows(dot, a, b, type) : nearfar_refuse("a dot product needs arrays of one shape");
  const nearfar_exact_dot* const locals[] = {dot};
  if (status == NEARFAR_OK) status = nearfar_reproducible_dots(team, 1, locals, type, total);
  nearfar_exact_dot_free(&dot);
  return status;
}

nearfar_status nearfar_fortran_reproducible_sums(nearfar_team* team, int number, nearfar_exact_sum** locals,
                                                 nearfar_element_type type, double* totals) {
  nearfar_status status = NEARFAR_OK;
  for (int k = 0; k < number && status == NEARFAR_OK; ++k) status = made(&locals[k]);
  return status == NEARFAR_OK
             ? nearfar_reproducible_sums(team, number, (const nearfar_exact_sum* const*)locals, type, totals)
             : status;
}

nearfar_status nearfar_fortran_reproducible_allreduce(nearfar_team* team, CFI_cdesc_t* array,
                                                      nearfar_element_type type) {
  return nearfar_reproducible_allreduce(team, array->base_addr, nearfar_fortran_elements_of(array), type);
}
