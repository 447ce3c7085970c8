/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo plans of the C interface; included by nearfar.h. */
#ifndef NEARFAR_HALO_H
#define NEARFAR_HALO_H

#include <nearfar/nearfar.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Halo plans: filling the ghost cells from the ranks that own those cells ---- */

/** Fills ghost cells, made once and run many times; several may be in flight at once. */
typedef struct nearfar_halo_plan nearfar_halo_plan;
/** Which ghost cells are filled: those across faces, edges and corners (box), or across faces alone (star). */
typedef enum nearfar_stencil { NEARFAR_STENCIL_BOX = 0, NEARFAR_STENCIL_STAR = 1 } nearfar_stencil;

/** How a halo plan is made; the same on all ranks. All zero is the default. */
typedef struct nearfar_halo_options {
  size_t size;             /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const char* name;        /**< as in nearfar_plan_options, and the next four */
  const char* method;      /**< as in nearfar_plan_options */
  const char* without;     /**< as in nearfar_plan_options */
  double budget_s;         /**< as in nearfar_plan_options */
  const char* type_name;   /**< as in nearfar_plan_options */
  nearfar_stencil stencil; /**< which ghost cells are filled */
} nearfar_halo_options;

/** The caller's own array: dimensions as its grid's, ghost cells included. */
typedef struct nearfar_array {
  void* data;                   /**< the first element; NULL only on a rank without cells */
  size_t element_bytes;         /**< bytes of one element, which is copied as it is */
  const int64_t* extents;       /**< elements per dimension */
  const int64_t* strides_bytes; /**< NULL: contiguous, last dimension fastest */
} nearfar_array;

/** A plan for all ghost cells of `count` fields, tuned; `options` may be NULL. Collective over their team, in one order
 * on all ranks. */
NEARFAR_API nearfar_status nearfar_halo_plan_create(int count, nearfar_field* const* fields,
                                                    const nearfar_halo_options* options, nearfar_halo_plan** halo);

/** The same in steps: begin (local), add … (local), commit (collective). `options` may be NULL; commit checks them. */
NEARFAR_API nearfar_status nearfar_halo_plan_begin(nearfar_team* team, const nearfar_halo_options* options,
                                                   nearfar_halo_plan** halo);
/** Adds a field; `fill` ({low, high} per dimension, at most its ghosts; NULL: all) are the layers to fill.
 * What is wrong with an argument is remembered and returned by commit, on every rank. */
NEARFAR_API nearfar_status nearfar_halo_plan_add_field(nearfar_halo_plan* halo, const nearfar_field* field,
                                                       const int (*fill)[2]);
/** Adds an array of the caller's that has `ghosts` around this rank's tile; near ranks pay a copy for it. */
NEARFAR_API nearfar_status nearfar_halo_plan_add_array(nearfar_halo_plan* halo, const nearfar_grid* grid,
                                                       const nearfar_array* array, const int (*ghosts)[2],
                                                       const int (*fill)[2]);
/** Makes and tunes the plan. Collective over the team. */
NEARFAR_API nearfar_status nearfar_halo_plan_commit(nearfar_halo_plan* halo);
/** Collective over the team. Sets *halo to NULL. */
NEARFAR_API nearfar_status nearfar_halo_plan_free(nearfar_halo_plan** halo);

/** Starts to fill the ghost cells; until finish, own cells next to them must not be written, ghosts not read. */
NEARFAR_API nearfar_status nearfar_halo_plan_start(nearfar_halo_plan* halo);
/** The same on other arrays of the same extents and strides, one per part: where each begins. They must be near memory,
 * or GPU memory, where the plan's were. The plan keeps to them; the caller keeps them alive. */
NEARFAR_API nearfar_status nearfar_halo_plan_start_on(nearfar_halo_plan* halo, int count, void* const* data);
NEARFAR_API nearfar_status nearfar_halo_plan_test(nearfar_halo_plan* halo,
                                                  int* done); /**< done: finish would not wait */
/** Waits until all ghosts are filled and the arrays are the caller's again. Errors are this rank's own. */
NEARFAR_API nearfar_status nearfar_halo_plan_finish(nearfar_halo_plan* halo);
NEARFAR_API nearfar_status nearfar_halo_plan_run(nearfar_halo_plan* halo); /**< start and finish */
/** Start_on and finish. */
NEARFAR_API nearfar_status nearfar_halo_plan_run_on(nearfar_halo_plan* halo, int count, void* const* data);

/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_halo_plan_team(const nearfar_halo_plan* halo);
NEARFAR_API const char* nearfar_halo_plan_method(nearfar_halo_plan* halo); /**< what was chosen */
/** What was tried and chosen, bytes, messages, times. Local. */
NEARFAR_API const char* nearfar_halo_plan_describe(nearfar_halo_plan* halo);
/** What was tried and chosen, as JSON (C++'s describe_json()). Local. */
NEARFAR_API const char* nearfar_halo_plan_describe_json(nearfar_halo_plan* halo);
NEARFAR_API double nearfar_halo_plan_tuned_seconds(const nearfar_halo_plan* halo); /**< of one exchange; 0 if unknown */

/* ---- For bindings of other languages ---- */

/** Remembers `complaint` for commit, as the add functions do. Local. */
NEARFAR_API nearfar_status nearfar_halo_plan_refuse(nearfar_halo_plan* halo, const char* complaint);
/** What the elements of the part that was added last are, in words, which is not empty. Said of each part, it is the
 * option `type_name` of the plan. Local. */
NEARFAR_API nearfar_status nearfar_halo_plan_name_type(nearfar_halo_plan* halo, const char* type_name);

#ifdef __cplusplus
}
#endif
#endif
