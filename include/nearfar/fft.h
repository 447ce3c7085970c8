/* SPDX-License-Identifier: BSD-3-Clause */
/* Fourier, cosine and sine transforms of distributed grids in C; included by nearfar.h. */
#ifndef NEARFAR_FFT_H
#define NEARFAR_FFT_H

#include <nearfar/transpose.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is done along one axis. Definitions are FFTW's, unnormalised; forward has exp(-2 pi i jk/n). */
typedef enum nearfar_fft_kind {
  NEARFAR_FFT_NONE = 0, /**< the axis is not transformed */
  NEARFAR_FFT_C2C,      /**< complex to complex */
  NEARFAR_FFT_R2C,      /**< real to n/2 + 1 coefficients; at most one axis */
  NEARFAR_FFT_DCT1,     /**< REDFT00 (backward: itself) */
  NEARFAR_FFT_DCT2,     /**< REDFT10 (backward: dct3) */
  NEARFAR_FFT_DCT3,     /**< REDFT01 (backward: dct2) */
  NEARFAR_FFT_DCT4,     /**< REDFT11 (backward: itself) */
  NEARFAR_FFT_DST1,     /**< RODFT00 (backward: itself) */
  NEARFAR_FFT_DST2,     /**< RODFT10 (backward: dst3) */
  NEARFAR_FFT_DST3,     /**< RODFT01 (backward: dst2) */
  NEARFAR_FFT_DST4      /**< RODFT11 (backward: itself) */
} nearfar_fft_kind;

/** Who divides by the roundtrip factor. */
typedef enum nearfar_fft_scaling {
  NEARFAR_FFT_SCALING_NONE = 0, /**< nobody: forward then backward multiplies by it */
  NEARFAR_FFT_SCALING_FORWARD,
  NEARFAR_FFT_SCALING_BACKWARD,
  NEARFAR_FFT_SCALING_ORTHONORMAL /**< both, by its square root */
} nearfar_fft_scaling;

/** The mode m/2 of an axis that keeps an even number m of fewer than all modes. */
typedef enum nearfar_fft_nyquist { NEARFAR_FFT_NYQUIST_SHARED = 0, NEARFAR_FFT_NYQUIST_ZERO } nearfar_fft_nyquist;

/** The physical grid, slowest axis first. Where modes[d] is smaller than extents[d], only so many modes of the axis
 * exist on the spectral side: forward drops the others, backward takes them for zero; neither moves nor stores them.
 * include/nearfar/fft.hpp says which. */
typedef struct nearfar_fft_shape {
  int dimensions;                /**< 1 to 4 */
  const int64_t* extents;        /**< of the physical grid */
  const nearfar_fft_kind* kinds; /**< NULL: c2c along all axes */
  const int64_t* modes;          /**< NULL, or 0 for an axis: all of them */
} nearfar_fft_shape;

/* Local. */
/** Extents of the spectral grid, one per axis: the modes, m/2 + 1 of them along an axis of kind r2c. Local. */
NEARFAR_API nearfar_status nearfar_fft_spectral_extents(const nearfar_fft_shape* shape, int64_t* extents);
/** What forward followed by backward multiplies by where nothing is scaled; 0 after an error. */
NEARFAR_API double nearfar_fft_roundtrip_factor(const nearfar_fft_shape* shape);
/** The grid of `factor` (>= 1) times as many points with the modes of the given one: 1.5 is the 3/2 rule. */
NEARFAR_API nearfar_status nearfar_fft_padded(const nearfar_fft_shape* shape, double factor, int64_t* extents,
                                              int64_t* modes);
/** The same grid with `factor` (in (0, 1]) times as many modes: 2.0 / 3 is the 2/3 rule. */
NEARFAR_API nearfar_status nearfar_fft_truncated(const nearfar_fft_shape* shape, double factor, int64_t* modes);

/* ---- Layouts: where the elements of both grids lie ---- */

/** Where the elements of both grids lie; plans are made on one. */
typedef struct nearfar_fft_layout nearfar_fft_layout;

/** What a layout is told about its sides. All zero is the default: both are chosen. */
typedef struct nearfar_fft_layout_options {
  size_t size;                                       /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const nearfar_transpose_side *physical, *spectral; /**< any sides of these extents; NULL: chosen */
  const int* process_grid; /**< parts of the axes that a chosen physical side cuts; NULL: chosen */
  int process_grid_count;  /**< 1: slabs, 2: pencils */
} nearfar_fft_layout_options;

/** `options` may be NULL. Collective over the team; what is wrong is an error on every rank. */
NEARFAR_API nearfar_status nearfar_fft_layout_create(nearfar_team* team, const nearfar_fft_shape* shape,
                                                     const nearfar_fft_layout_options* options,
                                                     nearfar_fft_layout** layout);
/** Local; plans keep working, sides of it do not. Sets *layout to NULL. */
NEARFAR_API nearfar_status nearfar_fft_layout_free(nearfar_fft_layout** layout);

/* Local; NULL or -1 for a NULL layout. What the sides refer to lives as long as the layout. */
/** The side of the physical grid, NULL for a NULL layout; what it refers to lives as long as the layout. Local. */
NEARFAR_API const nearfar_transpose_side* nearfar_fft_layout_physical(const nearfar_fft_layout* layout);
/** The side of the coefficients, likewise. Local. */
NEARFAR_API const nearfar_transpose_side* nearfar_fft_layout_spectral(const nearfar_fft_layout* layout);
/** 1: pairs of reals, 0: reals, -1 for a NULL layout. Local. */
NEARFAR_API int nearfar_fft_layout_is_physical_complex(const nearfar_fft_layout* layout);
/** 1: pairs of reals, 0: reals, -1 for a NULL layout. Local. */
NEARFAR_API int nearfar_fft_layout_is_spectral_complex(const nearfar_fft_layout* layout);
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_fft_layout_team(const nearfar_fft_layout* layout);
/** Both sides, the axes that each cuts, the steps between them. Local. */
NEARFAR_API const char* nearfar_fft_layout_describe(nearfar_fft_layout* layout);

/* ---- Plans ---- */

typedef struct nearfar_fft_plan nearfar_fft_plan; /**< Transforms forward and backward of the arrays of both sides */

/** Whether a transposition and the transforms after it are one stage, which reads near ranks' memory straight into the
 * transforms. */
typedef enum nearfar_fft_fusion {
  NEARFAR_FFT_FUSION_RACED = 0, /**< where that is faster than one after the other on these arrays */
  NEARFAR_FFT_FUSION_NEVER,     /**< one after the other */
  NEARFAR_FFT_FUSION_ALWAYS     /**< wherever that is possible */
} nearfar_fft_fusion;

/** How a plan of transforms is made; the same on all ranks. All zero is the default. */
typedef struct nearfar_fft_options {
  size_t size;                 /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const char* name;            /**< as in nearfar_plan_options, and the next four */
  const char* method;          /**< as in nearfar_plan_options */
  const char* without;         /**< as in nearfar_plan_options */
  double budget_s;             /**< as in nearfar_plan_options */
  const char* type_name;       /**< as in nearfar_plan_options */
  int64_t fields;              /**< that are transformed together; 0: 1 */
  nearfar_fft_scaling scaling; /**< who divides by the roundtrip factor */
  nearfar_fft_nyquist nyquist; /**< what becomes of the mode m/2 where modes are left out */
  const char* engines;         /**< serial engines to choose from, with commas; NULL: NEARFAR_FFT_ENGINES or "own" */
  nearfar_fft_fusion fusion;   /**< transpositions and transforms in one pass, or one after the other */
} nearfar_fft_options;

/** Transforms in NEARFAR_ELEMENT_FLOAT32 or NEARFAR_ELEMENT_FLOAT64 (`precision`); elements are real or pairs of reals,
 * as the layout says. Made and tuned on these very arrays, whose contents stay: one per side, or fields one after the
 * other as its field_stride says, with the elements that each has (fewer than are needed are refused). The same address
 * for both is in place; any other input is preserved. Ranks that own nothing may pass NULL. Where all ranks pass NULL
 * and 0 elements for both sides, the plan makes its arrays: near memory, all zero, one per field, which
 * nearfar_fft_plan_physical and _spectral give. Collective over the team. */
NEARFAR_API nearfar_status nearfar_fft_plan_create(const nearfar_fft_layout* layout, nearfar_element_type precision,
                                                   void* physical, int64_t physical_elements, void* spectral,
                                                   int64_t spectral_elements, const nearfar_fft_options* options,
                                                   nearfar_fft_plan** plan);
/** The same with lists of arrays: one per field, or one for all on a side that has a field_stride. For arrays of the
 * plan's own they are lists of one NULL and one 0. */
NEARFAR_API nearfar_status nearfar_fft_plan_create_each(const nearfar_fft_layout* layout,
                                                        nearfar_element_type precision, int64_t physical_count,
                                                        void* const* physical, const int64_t* physical_elements,
                                                        int64_t spectral_count, void* const* spectral,
                                                        const int64_t* spectral_elements,
                                                        const nearfar_fft_options* options, nearfar_fft_plan** plan);
/** Collective over the team; frees the plan's own arrays, too. Sets *plan to NULL. */
NEARFAR_API nearfar_status nearfar_fft_plan_free(nearfar_fft_plan** plan);

/** Where a field's array on the physical side begins that the plan has made; NULL after an error, as for plans that
 * were made on the caller's arrays, and on a rank that owns nothing. A field: 0 … fields - 1 (0 alone on a side that
 * has a field_stride). Lives as long as the plan. Local. */
NEARFAR_API void* nearfar_fft_plan_physical(const nearfar_fft_plan* plan, int64_t field);
/** The same for the coefficients. Local. */
NEARFAR_API void* nearfar_fft_plan_spectral(const nearfar_fft_plan* plan, int64_t field);
/** The plan's own arrays of the physical side as an object, which keeps their memory until it is freed, too. Local. */
NEARFAR_API nearfar_status nearfar_fft_plan_physical_array(const nearfar_fft_plan* plan,
                                                           nearfar_transpose_array** array);
/** The same for the coefficients. Local. */
NEARFAR_API nearfar_status nearfar_fft_plan_spectral_array(const nearfar_fft_plan* plan,
                                                           nearfar_transpose_array** array);
/** Where the elements of both grids lie: a layout that belongs to the plan and is freed with it; NULL after an error.
 * Local. */
NEARFAR_API const nearfar_fft_layout* nearfar_fft_plan_layout(nearfar_fft_plan* plan);

/** Forward: from the physical grid to coefficients; backward: from coefficients to the physical grid. */
typedef enum nearfar_fft_direction { NEARFAR_FFT_FORWARD = 0, NEARFAR_FFT_BACKWARD = 1 } nearfar_fft_direction;

/** Starts a transform of the plan's arrays: those it was made with, or last started on. Until finish, the input must
 * not be written and the output not be touched. Collective; errors are this rank's own. */
NEARFAR_API nearfar_status nearfar_fft_plan_start(nearfar_fft_plan* plan, nearfar_fft_direction direction);
/** The same on these arrays, in place if the plan was made in place; the input first, whichever side it is. */
NEARFAR_API nearfar_status nearfar_fft_plan_start_on(nearfar_fft_plan* plan, nearfar_fft_direction direction,
                                                     const void* in, int64_t in_elements, void* out,
                                                     int64_t out_elements);
/** The same with lists of arrays, one per field (one for all on a side that has a field_stride), as the plan was
 * made with. */
NEARFAR_API nearfar_status nearfar_fft_plan_start_on_each(nearfar_fft_plan* plan, nearfar_fft_direction direction,
                                                          const void* const* in, const int64_t* in_elements,
                                                          void* const* out, const int64_t* out_elements);
NEARFAR_API nearfar_status nearfar_fft_plan_test(nearfar_fft_plan* plan, int* done); /**< makes progress */
/** Waits until the output is complete and both arrays are the caller's again. Errors are this rank's own. */
NEARFAR_API nearfar_status nearfar_fft_plan_finish(nearfar_fft_plan* plan);
/** start and finish */
NEARFAR_API nearfar_status nearfar_fft_plan_run(nearfar_fft_plan* plan, nearfar_fft_direction direction);
/** Start_on and finish. */
NEARFAR_API nearfar_status nearfar_fft_plan_run_on(nearfar_fft_plan* plan, nearfar_fft_direction direction,
                                                   const void* in, int64_t in_elements, void* out,
                                                   int64_t out_elements);

/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_fft_plan_team(const nearfar_fft_plan* plan);
NEARFAR_API const char* nearfar_fft_plan_method(nearfar_fft_plan* plan); /**< of the moves of a forward transform */
NEARFAR_API double nearfar_fft_plan_tuned_seconds(const nearfar_fft_plan* plan); /**< of these moves; 0 if unknown */
NEARFAR_API int64_t
nearfar_fft_plan_work_bytes(const nearfar_fft_plan* plan); /**< of work arrays on this rank; -1 for NULL */
NEARFAR_API const char* nearfar_fft_plan_describe(
    nearfar_fft_plan* plan); /**< stages, engines, methods, times; local */
/** What was tried and chosen, as JSON (C++'s describe_json()). Local. */
NEARFAR_API const char* nearfar_fft_plan_describe_json(nearfar_fft_plan* plan);

#ifdef __cplusplus
}
#endif
#endif
