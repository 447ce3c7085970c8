/* SPDX-License-Identifier: BSD-3-Clause */
/* Transpositions of the C interface: a global grid moves from one distribution and memory order to another; included
 * by nearfar.h. */
#include <nearfar/nearfar.h> /* before the guard: fft.h, which it includes, needs what is declared here */
#ifndef NEARFAR_TRANSPOSE_H
#define NEARFAR_TRANSPOSE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Decompositions: which rank owns which box of a global grid of 1 to 4 axes, listed slowest first ---- */

typedef struct nearfar_decomposition nearfar_decomposition; /**< Which rank owns which box of a global grid */

/* All are collective over the team; what is wrong is an error on every rank. Axes are cut into blocks as equal as
 * possible, the larger ones first; where an axis is shorter than it has parts, the last ranks own nothing and take
 * part all the same. */

/** process_grid[d] parts along axis d, ranks numbered along the last axis first. */
NEARFAR_API nearfar_status nearfar_decomposition_blocks(nearfar_team* team, int dimensions, const int64_t* extents,
                                                        const int* process_grid, nearfar_decomposition** parts);
/** One axis cut over all ranks. */
NEARFAR_API nearfar_status nearfar_decomposition_slab(nearfar_team* team, int dimensions, const int64_t* extents,
                                                      int cut_axis, nearfar_decomposition** parts);
/** One axis whole; the others, in their order, are cut as process_grid (dimensions - 1 numbers) says; NULL: as
 * square as can be. */
NEARFAR_API nearfar_status nearfar_decomposition_pencil(nearfar_team* team, int dimensions, const int64_t* extents,
                                                        int whole_axis, const int* process_grid,
                                                        nearfar_decomposition** parts);
/** The box lower[d] <= i < upper[d] on this rank, which may be empty; together each element must have exactly one
 * owner. */
NEARFAR_API nearfar_status nearfar_decomposition_from_boxes(nearfar_team* team, int dimensions, const int64_t* extents,
                                                            const nearfar_box* own, nearfar_decomposition** parts);
/** Local; plans and arrays made with it keep working. Sets *parts to NULL. */
NEARFAR_API nearfar_status nearfar_decomposition_free(nearfar_decomposition** parts);

/* Local. -1 or NULL for a NULL decomposition. */
/** 1 to 4; -1 for a NULL decomposition. Local. */
NEARFAR_API int nearfar_decomposition_dimensions(const nearfar_decomposition* parts);
/** Elements per axis, slowest first; NULL for a NULL decomposition. Local. */
NEARFAR_API const int64_t* nearfar_decomposition_extents(const nearfar_decomposition* parts);
/** Parts per axis; NULL for nearfar_decomposition_from_boxes(). */
NEARFAR_API const int* nearfar_decomposition_process_grid(const nearfar_decomposition* parts);
/** The box of any rank; all zero if it owns nothing. */
NEARFAR_API nearfar_status nearfar_decomposition_box(const nearfar_decomposition* parts, int rank, nearfar_box* box);
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_decomposition_team(const nearfar_decomposition* parts);
/** Extents, process grid and this rank's box, in a line. Local. */
NEARFAR_API const char* nearfar_decomposition_describe(nearfar_decomposition* parts);

/* ---- Sides: who owns what, and how a rank's part lies in the array of a field ---- */

/** Who owns what, and how a rank's part lies in the array of a field. The axis that memory_order names last is
 * contiguous. Zeros but for `parts` are the defaults. */
typedef struct nearfar_transpose_side {
  const nearfar_decomposition* parts; /**< who owns what; lives at least as long as the side is used */
  const int* memory_order; /**< axes from slowest to fastest; NULL: 0, 1, 2 …, so that the last axis is contiguous */
  const int (*padding)[2]; /**< {below, above} per axis: elements that are in the array and never touched; NULL: none */
  int64_t field_stride; /**< elements from one field to the next in one array; 0: each field has an array of its own */
} nearfar_transpose_side;

/** The array of one field on this rank: own part and padding. A rank that owns nothing has no elements. */
typedef struct nearfar_array_shape {
  nearfar_box held;                        /**< global indices, padding included */
  int64_t strides[NEARFAR_MAX_DIMENSIONS]; /**< in elements, per axis */
  int64_t elements;                        /**< of the whole array; 0 on a rank that owns nothing */
} nearfar_array_shape;
/** Local. */
NEARFAR_API nearfar_status nearfar_transpose_shape(const nearfar_transpose_side* side, nearfar_array_shape* shape);

/* ---- Near memory: what near ranks read where it is ---- */

typedef struct nearfar_transpose_array nearfar_transpose_array; /**< Arrays of fields in near memory */

/** Zeroed arrays for `fields` fields, large enough for each of `count` sides (several where a plan works in place).
 * Collective. */
NEARFAR_API nearfar_status nearfar_transpose_array_create(int count, const nearfar_transpose_side* sides,
                                                          int64_t fields, size_t element_bytes,
                                                          nearfar_transpose_array** array);
/** The array of a field, numbered from 0; NULL where this rank owns nothing. Local. */
NEARFAR_API void* nearfar_transpose_array_data(const nearfar_transpose_array* array, int64_t field);
/** Elements of the array of a field (of all where the side has a field_stride); -1 for a NULL array. Local. */
NEARFAR_API int64_t nearfar_transpose_array_elements(const nearfar_transpose_array* array);
/** Local; plans may not be run on it any more. Sets *array to NULL. */
NEARFAR_API nearfar_status nearfar_transpose_array_free(nearfar_transpose_array** array);

/* ---- Plans ---- */

/** Moves each element from its place on one side to its place on the other. */
typedef struct nearfar_transpose_plan nearfar_transpose_plan;

/** How a transposition is planned; the same on all ranks. All zero is the default. */
typedef struct nearfar_transpose_options {
  size_t size;           /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const char* name;      /**< as in nearfar_plan_options, and the next four */
  const char* method;    /**< as in nearfar_plan_options */
  const char* without;   /**< as in nearfar_plan_options */
  double budget_s;       /**< as in nearfar_plan_options */
  const char* type_name; /**< as in nearfar_plan_options */
  int64_t fields;        /**< that move together, in one message per peer; 0: 1 */
  /** Tuning counts the time in which `in` is taken back from the caches of ranks that have read it: what a program pays
   * that writes `in` anew before each operation. On by default; off: `in` stays as it is between operations. */
  nearfar_switch counts_rewriting;
} nearfar_transpose_options;

/** A plan for arrays of one field, or of fields one after the other as the sides' field_stride says, with the
 * elements that each array has: more than are needed will do, fewer are refused. It is made and tuned on these very
 * arrays; `out` has its contents back afterwards. The same address for both is in place: that costs a copy of the
 * part. Ranks that own nothing may pass NULL. `options` may be NULL. Collective over the team, plans in one order on
 * all ranks. Errors, on every rank: sides, orders, fields or sizes that are wrong or differ between ranks, arrays
 * that are too short or overlap, unknown methods. */
NEARFAR_API nearfar_status nearfar_transpose_plan_create(const nearfar_transpose_side* from,
                                                         const nearfar_transpose_side* to, size_t element_bytes,
                                                         const void* in, int64_t in_elements, void* out,
                                                         int64_t out_elements, const nearfar_transpose_options* options,
                                                         nearfar_transpose_plan** plan);
/** The same with `in_count` and `out_count` arrays: one per field, or one for all on a side that has a field_stride. */
NEARFAR_API nearfar_status nearfar_transpose_plan_create_each(
    const nearfar_transpose_side* from, const nearfar_transpose_side* to, size_t element_bytes, int64_t in_count,
    const void* const* in, const int64_t* in_elements, int64_t out_count, void* const* out, const int64_t* out_elements,
    const nearfar_transpose_options* options, nearfar_transpose_plan** plan);
/** Collective over the team. Sets *plan to NULL. */
NEARFAR_API nearfar_status nearfar_transpose_plan_free(nearfar_transpose_plan** plan);

/** Starts to move the elements of the plan's arrays: those it was made with, or last started on. Until finish, `in`
 * must not be written and `out` not be touched. Collective; errors are this rank's own. */
NEARFAR_API nearfar_status nearfar_transpose_plan_start(nearfar_transpose_plan* plan);
/** The same on these arrays: near memory if the plan was made on some, else any. */
NEARFAR_API nearfar_status nearfar_transpose_plan_start_on(nearfar_transpose_plan* plan, const void* in,
                                                           int64_t in_elements, void* out, int64_t out_elements);
/** The same with lists of arrays, one per field (one for all on a side that has a field_stride), as the plan was
 * made with. */
NEARFAR_API nearfar_status nearfar_transpose_plan_start_on_each(nearfar_transpose_plan* plan, const void* const* in,
                                                                const int64_t* in_elements, void* const* out,
                                                                const int64_t* out_elements);
NEARFAR_API nearfar_status nearfar_transpose_plan_test(nearfar_transpose_plan* plan,
                                                       int* done); /**< done: finish would not wait */
/** Waits until `out` is complete and both arrays are the caller's again. Errors are this rank's own. */
NEARFAR_API nearfar_status nearfar_transpose_plan_finish(nearfar_transpose_plan* plan);
/** start and finish */
NEARFAR_API nearfar_status nearfar_transpose_plan_run(nearfar_transpose_plan* plan);
/** Start_on and finish. */
NEARFAR_API nearfar_status nearfar_transpose_plan_run_on(nearfar_transpose_plan* plan, const void* in,
                                                         int64_t in_elements, void* out, int64_t out_elements);

/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_transpose_plan_team(const nearfar_transpose_plan* plan);
NEARFAR_API const char* nearfar_transpose_plan_method(nearfar_transpose_plan* plan); /**< what was chosen */
/** Sides, bytes, method, times, fraction of the speed of memcpy (measured now, some milliseconds). */
NEARFAR_API const char* nearfar_transpose_plan_describe(nearfar_transpose_plan* plan);
/** What was tried and chosen, as JSON (C++'s describe_json()). Local. */
NEARFAR_API const char* nearfar_transpose_plan_describe_json(nearfar_transpose_plan* plan);
NEARFAR_API double nearfar_transpose_plan_tuned_seconds(
    const nearfar_transpose_plan* plan); /**< of one run; 0 if unknown */

/* ---- For bindings of other languages ---- */

/** The array of `team` whose first field begins at `data`, or whose handle `data` is. Local. */
NEARFAR_API nearfar_status nearfar_team_find_array(const nearfar_team* team, const void* data,
                                                   nearfar_transpose_array** array);

#ifdef __cplusplus
}
#endif
#endif
