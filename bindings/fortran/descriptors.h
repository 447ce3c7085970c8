/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran interface has of its own in C: arrays of any type and rank by their descriptors, and objects
 * whose copies know when they are freed. tools/bindings.py makes the Fortran interfaces of it. */
#ifndef NEARFAR_DESCRIPTORS_H
#define NEARFAR_DESCRIPTORS_H

#include <ISO_Fortran_binding.h>
#include <nearfar/nearfar.h>

/* ---- objects.c: all copies of a Fortran object share what these give ---- */

/** Begins an object's life: something that all copies keep, with *birth. */
void* nearfar_fortran_hold(int64_t* birth);
/** Ends it: no copy is live any more. */
void nearfar_fortran_release(void* life, int64_t birth);
int nearfar_fortran_is_live(const void* life, int64_t birth);

/* ---- halo.c ---- */

/** The field of the team that the array is. */
nearfar_status nearfar_fortran_find(const nearfar_team* team, const CFI_cdesc_t* array, nearfar_field** field);
/** Adds a field, or an array of the caller's where `ghosts` is given. */
nearfar_status nearfar_fortran_add(nearfar_halo_plan* halo, const nearfar_grid* grid, const CFI_cdesc_t* array,
                                   const int (*ghosts)[2], const int (*fill)[2]);

/** How an array lies in memory. */
typedef struct nearfar_array_layout {
  int dimensions;
  size_t element_bytes;
  int64_t extents[NEARFAR_MAX_DIMENSIONS], strides[NEARFAR_MAX_DIMENSIONS];
} nearfar_array_layout;
void nearfar_fortran_layout_of(const CFI_cdesc_t* array, nearfar_array_layout* layout);
/** *address = where the array begins, which must lie as array `number` of the plan does. */
nearfar_status nearfar_fortran_address_of(const CFI_cdesc_t* array, const nearfar_array_layout* wanted, int number,
                                          void** address);

/* ---- collective.c ---- */

/** The numbers of nearfar_call::kind. */
typedef enum nearfar_call_kind {
  NEARFAR_CALL_BARRIER = 0,
  NEARFAR_CALL_BCAST,
  NEARFAR_CALL_REDUCE,
  NEARFAR_CALL_ALLREDUCE,
  NEARFAR_CALL_GATHER,
  NEARFAR_CALL_GATHERV,
  NEARFAR_CALL_SCATTER,
  NEARFAR_CALL_SCATTERV,
  NEARFAR_CALL_ALLGATHER,
  NEARFAR_CALL_ALLGATHERV,
  NEARFAR_CALL_REDUCE_SCATTER,
  NEARFAR_CALL_REDUCE_SCATTER_BLOCK,
  NEARFAR_CALL_ALLTOALL,
  NEARFAR_CALL_ALLTOALLV,
  NEARFAR_CALL_ALLTOALLW,
  NEARFAR_CALL_SCAN,
  NEARFAR_CALL_EXSCAN
} nearfar_call_kind;

/** What a collective call is, besides its arrays. */
typedef struct nearfar_wish {
  nearfar_call_kind kind;
  int root;
  int op_number;      /**< of the names in nearfar_collectives.f90; -1: op_handle; -2: none */
  MPI_Fint op_handle; /**< an MPI_Op */
  const int64_t *send_counts, *send_displs, *receive_counts, *receive_displs;
} nearfar_wish;
/** Carries the call out, or makes *plan of it unless `options` is NULL. Without `out` it works in place. */
nearfar_status nearfar_fortran_collective(nearfar_team* team, const nearfar_wish* wish, CFI_cdesc_t* in,
                                          CFI_cdesc_t* out, const nearfar_plan_options* options,
                                          nearfar_collective_plan** plan);

/* ---- gather.c ---- */

nearfar_status nearfar_fortran_irregular(nearfar_irregular_plan* plan, nearfar_irregular_kind kind,
                                         nearfar_reduce_op op, int is_start, int is_x_const, CFI_cdesc_t* x,
                                         CFI_cdesc_t* values);

/* ---- transpose.c and fft.c ---- */

/** What an array of a transposition or transform must look like. */
typedef struct nearfar_expected_array {
  int dimensions;
  int64_t extents[NEARFAR_MAX_DIMENSIONS]; /**< as the array has them, fastest first */
  int64_t elements;                        /**< of one field */
  int64_t fields;
} nearfar_expected_array;

/** The near memory of the team that the array is. */
nearfar_status nearfar_fortran_find_array(const nearfar_team* team, const CFI_cdesc_t* array,
                                          nearfar_transpose_array** handle);
/** Without `out` both sides are in `in`. */
nearfar_status nearfar_fortran_transpose_create(const nearfar_transpose_side* from, const nearfar_transpose_side* to,
                                                const nearfar_expected_array* expect_from,
                                                const nearfar_expected_array* expect_to, CFI_cdesc_t* in,
                                                CFI_cdesc_t* out, const nearfar_transpose_options* options,
                                                size_t* element_bytes, nearfar_transpose_plan** plan);
/** Without `in` on the plan's own arrays. */
nearfar_status nearfar_fortran_transpose_start(nearfar_transpose_plan* plan, const nearfar_expected_array* expect_from,
                                               const nearfar_expected_array* expect_to, size_t element_bytes,
                                               CFI_cdesc_t* in, CFI_cdesc_t* out);

nearfar_status nearfar_fortran_fft_create(const nearfar_fft_layout* layout,
                                          const nearfar_expected_array* expect_physical,
                                          const nearfar_expected_array* expect_spectral, CFI_cdesc_t* physical,
                                          CFI_cdesc_t* spectral, const nearfar_fft_options* options, int* precision,
                                          nearfar_fft_plan** plan);
/** `in_parts`, `out_parts`: 2 where elements are complex, else 1. Without `in` on the plan's own arrays. */
nearfar_status nearfar_fortran_fft_start(nearfar_fft_plan* plan, nearfar_fft_direction direction, int precision,
                                         const nearfar_expected_array* expect_in, int in_parts,
                                         const nearfar_expected_array* expect_out, int out_parts, const CFI_cdesc_t* in,
                                         CFI_cdesc_t* out);

/* ---- output.c ---- */

/** What an array that is put or got must look like, fastest first. */
typedef struct nearfar_output_shape {
  int type, dimensions;
  int64_t own[NEARFAR_MAX_DIMENSIONS], low[NEARFAR_MAX_DIMENSIONS], high[NEARFAR_MAX_DIMENSIONS];
} nearfar_output_shape;

/** The nearfar_element_type of the elements; 0: none of them. */
int nearfar_fortran_type_of(const CFI_cdesc_t* array);
nearfar_status nearfar_fortran_output_put(nearfar_output* stream, const char* name, const nearfar_output_shape* want,
                                          const CFI_cdesc_t* array);
nearfar_status nearfar_fortran_output_get(nearfar_output_reader* reader, const char* name,
                                          const nearfar_output_shape* want, CFI_cdesc_t* array);

/* ---- reproducible.c: `element` is NEARFAR_ELEMENT_FLOAT32 or NEARFAR_ELEMENT_FLOAT64 ---- */

nearfar_status nearfar_fortran_exact_sum_add(nearfar_exact_sum** sum, const CFI_cdesc_t* array,
                                             nearfar_element_type element);
nearfar_status nearfar_fortran_exact_sum_merge(nearfar_exact_sum** sum, const nearfar_exact_sum* other);
nearfar_status nearfar_fortran_reproducible_sum(nearfar_team* team, const CFI_cdesc_t* array,
                                                nearfar_element_type element, void* total);
nearfar_status nearfar_fortran_reproducible_dot(nearfar_team* team, const CFI_cdesc_t* a, const CFI_cdesc_t* b,
                                                nearfar_element_type element, void* total);
/** totals[k] = what locals[k] of all ranks come to; sums that are NULL are zero, and made. */
nearfar_status nearfar_fortran_reproducible_sums(nearfar_team* team, int number, nearfar_exact_sum** locals,
                                                 nearfar_element_type element, double* totals);
nearfar_status nearfar_fortran_reproducible_allreduce(nearfar_team* team, CFI_cdesc_t* array,
                                                      nearfar_element_type element);

#endif
