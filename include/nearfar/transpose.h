/* SPDX-License-Identifier: BSD-3-Clause */
/* Transpositions of the C interface: a global grid moves from one distribution and memory order to another; included by nearfar.h. */
#include <nearfar/nearfar.h> /* before the guard: fft.h, which it includes, needs what is declared here */
#ifndef NEARFAR_TRANSPOSE_H
#define NEARFAR_TRANSPOSE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Decompositions: which rank owns which box of a global grid of 1 to 4 axes, listed slowest first ---- */

typedef struct nearfar_decomposition nearfar_decomposition;

/* All are collective over the team; what is wrong is an error on every rank. Axes are cut into blocks as equal as possible, the larger
 * ones first; where an axis is shorter than it has parts, the last ranks own nothing and take part all the same. */

/** process_grid[d] parts along axis d, ranks numbered along the last axis first. */
NEARFAR_API nearfar_status nearfar_decomposition_blocks(nearfar_team* team, int dimensions, const int64_t* extents,
                                                        const int* process_grid, nearfar_decomposition** parts);
/** One axis cut over all ranks. */
NEARFAR_API nearfar_status nearfar_decomposition_slab(nearfar_team* team, int dimensions, const int64_t* extents,
                                                      int cut_axis, nearfar_decomposition** parts);
/** One axis whole; the others, in their order, are cut as process_grid (dimensions - 1 numbers) says; NULL: as square as can be. */
NEARFAR_API nearfar_status nearfar_decomposition_pencil(nearfar_team* team, int dimensions, const int64_t* extents,
                                                        int whole_axis, const int* process_grid,
                                                        nearfar_decomposition** parts);
/** The box lower[d] <= i < upper[d] on this rank, which may be empty; together each element must have exactly one owner. */
NEARFAR_API nearfar_status nearfar_decomposition_from_boxes(nearfar_team* team, int dimensions, const int64_t* extents,
                                                            const nearfar_box* own, nearfar_decomposition** parts);
/** Local; plans and arrays made with it keep working. Sets *parts to NULL. */
NEARFAR_API nearfar_status nearfar_decomposition_free(nearfar_decomposition** parts);

/* Local. -1 or NULL for a NULL decomposition. */
NEARFAR_API int nearfar_decomposition_dimensions(const nearfar_decomposition* parts);
NEARFAR_API const int64_t* nearfar_decomposition_extents(const nearfar_decomposition* parts);
/** Parts per axis; NULL for nearfar_decomposition_from_boxes(). */
NEARFAR_API const int* nearfar_decomposition_process_grid(const nearfar_decomposition* parts);
/** The box of any rank; all zero if it owns nothing. */
NEARFAR_API nearfar_status nearfar_decomposition_box(const nearfar_decomposition* parts, int rank, nearfar_box* box);
NEARFAR_API const char* nearfar_decomposition_describe(nearfar_decomposition* parts);

/* ---- Sides: who owns what, and how a rank's part lies in the array of a field ---- */

typedef struct nearfar_transpose_side {
  const nearfar_decomposition* parts;
  const int* memory_order; /**< axes from slowest to fastest; NULL: 0, 1, 2 …, so that the last axis is contiguous */
  const int (*padding)[2]; /**< {below, above} per axis: elements that are in the array and never touched; NULL: none */
  int64_t field_stride; /**< elements from one field to the next in one array; 0: each field has an array of its own */
} nearfar_transpose_side;

/** The array of one field on this rank: own part and padding. A rank that owns nothing has no elements. */
typedef struct nearfar_array_shape {
  nearfar_box held;                        /**< global indices, padding included */
  int64_t strides[NEARFAR_MAX_DIMENSIONS]; /**< in elements, per axis */
  int64_t elements;
} nearfar_array_shape;
/** Local. */
NEARFAR_API nearfar_status nearfar_transpose_shape(const nearfar_transpose_side* side, nearfar_array_shape* shape);

/* ---- Near memory: what near ranks read where it is ---- */

typedef struct nearfar_transpose_array nearfar_transpose_array;

/** Zeroed arrays for `fields` fields, large enough for each of `count` sides (several where a plan works in place). Collective. */
NEARFAR_API nearfar_status nearfar_transpose_array_create(int count, const nearfar_transpose_side* sides,
                                                          int64_t fields, size_t element_bytes,
                                                          nearfar_transpose_array** array);
/** The array of a field, numbered from 0; NULL where this rank owns nothing. Local. */
NEARFAR_API void* nearfar_transpose_array_data(const nearfar_transpose_array* array, int64_t field);
/** Local; plans may not be run on it any more. Sets *array to NULL. */
NEARFAR_API nearfar_status nearfar_transpose_array_free(nearfar_transpose_array** array);

/* ---- Plans ---- */

typedef struct nearfar_transpose nearfar_transpose;

typedef struct nearfar_transpose_options {
  const char* name;           /**< shown in reports and errors; NULL: "transpose" */
  const char* method;         /**< NULL or "": tuned; else the name of one of nearfar_methods() */
  const char* const* without; /**< methods that the tuner leaves out */
  int without_count;
  double budget_s; /**< seconds for tuning; 0: the library's choice, negative: none */
  int64_t fields;  /**< that move together, in one message per peer; 0: 1 */
} nearfar_transpose_options;

/** A plan for arrays of one field, or of fields one after the other as the sides' field_stride says. It is made and tuned on these very
 * arrays; `out` has its contents back afterwards. The same address for both is in place: that costs a copy of the part. Ranks that own
 * nothing may pass NULL. `options` may be NULL. Collective over the team, plans in one order on all ranks.
 * Errors, on every rank: sides, orders, fields or sizes that are wrong or differ between ranks, arrays that overlap, unknown methods. */
NEARFAR_API nearfar_status nearfar_transpose_create(const nearfar_transpose_side* from,
                                                    const nearfar_transpose_side* to, size_t element_bytes,
                                                    const void* in, void* out, const nearfar_transpose_options* options,
                                                    nearfar_transpose** plan);
/** The same with `in_count` and `out_count` arrays: one per field, or one for all on a side that has a field_stride. */
NEARFAR_API nearfar_status nearfar_transpose_create_each(const nearfar_transpose_side* from,
                                                         const nearfar_transpose_side* to, size_t element_bytes,
                                                         int64_t in_count, const void* const* in, int64_t out_count,
                                                         void* const* out, const nearfar_transpose_options* options,
                                                         nearfar_transpose** plan);
/** Collective over the team. Sets *plan to NULL. */
NEARFAR_API nearfar_status nearfar_transpose_free(nearfar_transpose** plan);

/** Starts to move the elements of these arrays, which may be others than those before: near memory if the plan was made on some, else
 * any. Until finish, `in` must not be written and `out` not be touched. Collective; errors are this rank's own. */
NEARFAR_API nearfar_status nearfar_transpose_start(nearfar_transpose* plan, const void* in, void* out);
NEARFAR_API nearfar_status nearfar_transpose_start_each(nearfar_transpose* plan, const void* const* in,
                                                        void* const* out);
NEARFAR_API nearfar_status
nearfar_transpose_start_again(nearfar_transpose* plan); /**< on the arrays of the last time */
NEARFAR_API nearfar_status nearfar_transpose_test(nearfar_transpose* plan,
                                                  int* done); /**< done: finish would not wait */
NEARFAR_API nearfar_status nearfar_transpose_finish(nearfar_transpose* plan);
NEARFAR_API nearfar_status nearfar_transpose_run(nearfar_transpose* plan, const void* in, void* out); /**< both */

NEARFAR_API const char* nearfar_transpose_method(nearfar_transpose* plan); /**< what was chosen */
/** Sides, bytes, method, times, fraction of the speed of memcpy (measured now, some milliseconds). */
NEARFAR_API const char* nearfar_transpose_describe(nearfar_transpose* plan);
NEARFAR_API double nearfar_transpose_tuned_seconds(const nearfar_transpose* plan); /**< of one run; 0 if unknown */

/* ---- For bindings of other languages ---- */

NEARFAR_API nearfar_team* nearfar_decomposition_team(const nearfar_decomposition* parts);
NEARFAR_API nearfar_team* nearfar_transpose_team(const nearfar_transpose* plan);
/** The array of `team` whose first field begins at `data`, or whose handle `data` is. Local. */
NEARFAR_API nearfar_status nearfar_team_find_array(const nearfar_team* team, const void* data,
                                                   nearfar_transpose_array** array);

#ifdef __cplusplus
}
#endif
#endif
