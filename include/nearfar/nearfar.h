/* SPDX-License-Identifier: BSD-3-Clause */
/* All of the C interface: teams, grids, fields, halo plans, (collective.h) collective calls, (irregular.h) gather
 * plans, (transpose.h) transpositions, (fft.h) transforms and (output.h) output as opaque handles; every call
 * returns a status. */
#ifndef NEARFAR_H
#define NEARFAR_H

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <nearfar/built_with.h> /* looks at what <mpi.h> defines */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NEARFAR_API __attribute__((visibility("default")))
#else
#define NEARFAR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Dimensions that a grid, an array or a box has at most. */
#define NEARFAR_MAX_DIMENSIONS 4
#define NEARFAR_MAX_BOXES 8 /**< boxes that nearfar_field_core() and nearfar_field_edge() give at most */

/** What a call came to. Makers return one value on all ranks, but where what knows the ranks (team, grid) is NULL. */
typedef enum nearfar_status {
  NEARFAR_OK = 0,
  NEARFAR_USAGE_ERROR = 1,     /**< asked for something that cannot be */
  NEARFAR_RESOURCE_ERROR = 2,  /**< memory or other resources do not suffice */
  NEARFAR_TRANSPORT_ERROR = 3, /**< MPI or a peer failed */
  NEARFAR_IO_ERROR = 4         /**< reading or writing a file failed */
} nearfar_status;

/** Types of elements, which are moved and stored as the machine has them. */
typedef enum nearfar_element_type {
  NEARFAR_ELEMENT_INT8 = 1,
  NEARFAR_ELEMENT_INT16,
  NEARFAR_ELEMENT_INT32,
  NEARFAR_ELEMENT_INT64,
  NEARFAR_ELEMENT_FLOAT32,
  NEARFAR_ELEMENT_FLOAT64,
  NEARFAR_ELEMENT_COMPLEX64,  /**< two 32-bit floats */
  NEARFAR_ELEMENT_COMPLEX128, /**< two 64-bit floats */
  NEARFAR_ELEMENT_UINT32,     /**< of irregular plans alone, as the next one */
  NEARFAR_ELEMENT_UINT64
} nearfar_element_type;

/** Which rank gets which tile: in rank order as MPI_Cart_create does, or a compact block of tiles per node, so that
 * fewer faces are far. */
typedef enum nearfar_placement { NEARFAR_PLACEMENT_RANK_ORDER = 0, NEARFAR_PLACEMENT_NODE_TILES = 1 } nearfar_placement;

/** The ranks of a communicator, sorted into nodes; made by nearfar_team_create(). One thread at a time calls what
 * belongs to one team, and one that may call MPI at the level of thread support that the program asked for; several
 * threads at once take a team each, and MPI_THREAD_MULTIPLE. */
typedef struct nearfar_team nearfar_team;
/** A box of cells cut into a tile per rank; made by nearfar_grid_create(). */
typedef struct nearfar_grid nearfar_grid;
/** One element per cell, with ghost cells, in near memory; made by nearfar_field_create(). */
typedef struct nearfar_field nearfar_field;

/** Cells lower[d] <= i < upper[d], global indices from 0, slowest dimension first. */
typedef struct nearfar_box {
  /** First cell, and the one behind the last, along each dimension. */
  int64_t lower[NEARFAR_MAX_DIMENSIONS], upper[NEARFAR_MAX_DIMENSIONS];
} nearfar_box;

/** Why the last failing call of this thread failed; "" if none did. Valid until the next failing call. */
NEARFAR_API const char* nearfar_last_error(void);

/** Ends all ranks of MPI_COMM_WORLD with MPI_Abort, half a second after C's streams are flushed, so that the launcher
 * passes on what this rank has printed. Local; does not return. Without MPI it ends this process alone. */
NEARFAR_API void nearfar_end_job(int code);

/** Where in the program this thread's plans are made from now on: messages name it; NULL: unknown. NEARFAR_TRY says it
 * for its call. `file` is not copied. Local. */
NEARFAR_API void nearfar_set_place(const char* file, int line);

/** Prints the failed call, this rank and nearfar_last_error(), then ends all ranks: nearfar_end_job(). */
NEARFAR_API void nearfar_abort(const char* file, int line, const char* call, nearfar_status status);

/** For programs that do not handle errors: carries on if `call` succeeds, else nearfar_abort(). */
#define NEARFAR_TRY(call)                                                                   \
  do {                                                                                      \
    nearfar_set_place(__FILE__, __LINE__);                                                  \
    const nearfar_status nearfar_try_ = (call);                                             \
    nearfar_set_place(NULL, 0);                                                             \
    if (nearfar_try_ != NEARFAR_OK) nearfar_abort(__FILE__, __LINE__, #call, nearfar_try_); \
  } while (0)

/* ---- Teams: who is near (same node) and who is far ---- */

/** How a team looks at its machine. All zero is the default. */
typedef struct nearfar_team_options {
  size_t size;   /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  int node_size; /**< nodes are cut into pretend nodes of so many ranks; 0: NEARFAR_NODE_SIZE, or the real nodes */
} nearfar_team_options;
/** Collective over `comm`, which is duplicated. `options` may be NULL. */
NEARFAR_API nearfar_status nearfar_team_create(MPI_Comm comm, const nearfar_team_options* options, nearfar_team** team);
/** Frees the team and every grid, field and halo made from it; their handles may only be freed after that.
 * Collective; sets *team to NULL. All free functions accept NULL handles. */
NEARFAR_API nearfar_status nearfar_team_free(nearfar_team** team);

/* Local. -1 for a NULL team. */
/** This rank, from 0; -1 for a NULL team. Local, as the next five. */
NEARFAR_API int nearfar_team_rank(const nearfar_team* team);
NEARFAR_API int nearfar_team_size(const nearfar_team* team);      /**< ranks in the team */
NEARFAR_API int nearfar_team_node(const nearfar_team* team);      /**< number of this rank's node, from 0 */
NEARFAR_API int nearfar_team_nodes(const nearfar_team* team);     /**< nodes in the team */
NEARFAR_API int nearfar_team_near_rank(const nearfar_team* team); /**< this rank among those of its node, from 0 */
NEARFAR_API int nearfar_team_near_size(const nearfar_team* team); /**< ranks on this node */

/** A line per fact. Text from the describe functions is valid until the next call on the same object; local.
 * All functions that return a pointer return NULL after an error. */
NEARFAR_API const char* nearfar_team_describe(nearfar_team* team);

/* ---- Grids: a box of cells, cut into one tile per rank. Dimensions are listed slowest first. ---- */

/** How a grid is cut; the same on all ranks. All zero is the default. */
typedef struct nearfar_grid_options {
  size_t size;                        /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const int* periodic;                /**< a flag per dimension; NULL: none is */
  const int* process_grid;            /**< ranks per dimension, 0: chosen, 1: not cut; NULL: all chosen */
  const int64_t* const* tile_extents; /**< sizes of the tiles per dimension, for uneven cuts; NULL entries: even */
  const int* tile_counts;             /**< how many tile_extents each dimension has */
  nearfar_placement placement;        /**< which rank gets which tile */
  int allow_idle;                     /**< allow more ranks than cells: some ranks then own none */
} nearfar_grid_options;

/** Cuts `extents` (1 to 4 dimensions, slowest first) into tiles as equal as possible, or as the options say, which may
 * be NULL. Collective over the team, the same arguments on all ranks. Errors, on every rank: extents below 1, a process
 * grid that does not multiply to the ranks, more ranks than cells unless allow_idle. */
NEARFAR_API nearfar_status nearfar_grid_create(nearfar_team* team, int dimensions, const int64_t* extents,
                                               const nearfar_grid_options* options, nearfar_grid** grid);
/** A grid whose tiles are given by their ranks: they must cover `extents` without overlap. Collective. */
NEARFAR_API nearfar_status nearfar_grid_from_tiles(nearfar_team* team, int dimensions, const int64_t* extents,
                                                   const int64_t* lower, const int64_t* upper, const int* periodic,
                                                   nearfar_grid** grid);
/** Frees the grid and its fields. Local. Halos made from them keep working. Sets *grid to NULL. */
NEARFAR_API nearfar_status nearfar_grid_free(nearfar_grid** grid);

/* Local. This rank's own cells: lower[d] <= i < upper[d]. The pointers live as long as the grid. */
/** 1 to 4; -1 for a NULL grid. Local, as the next four. */
NEARFAR_API int nearfar_grid_dimensions(const nearfar_grid* grid);
/** Cells of the whole grid per dimension, slowest first. */
NEARFAR_API const int64_t* nearfar_grid_extents(const nearfar_grid* grid);
/** First own cell per dimension; 0 where this rank owns none. */
NEARFAR_API const int64_t* nearfar_grid_lower(const nearfar_grid* grid);
/** Behind the last own cell per dimension; 0 where this rank owns none. */
NEARFAR_API const int64_t* nearfar_grid_upper(const nearfar_grid* grid);
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_grid_team(const nearfar_grid* grid);
/** Tiles, process grid, placement and far faces. */
NEARFAR_API const char* nearfar_grid_describe(nearfar_grid* grid);

/* ---- Fields: one element per cell, with ghost cells around each tile, in memory that near ranks share ---- */

/** How a field is laid out in memory. */
typedef struct nearfar_field_options {
  size_t size;             /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  int width;               /**< ghost layers on all sides, where `ghosts` is NULL */
  const int (*ghosts)[2];  /**< {low, high} layers per dimension; NULL: `width` on all sides */
  const int* memory_order; /**< dimensions from slowest to fastest; NULL: C order */
  size_t element_bytes;    /**< of elements of no type (0): 1 to 65536 */
} nearfar_field_options;

/** Allocates (own cells + ghosts) elements and sets them to zero. `type` 0: of any type of options->element_bytes.
 * `options` may be NULL: no ghosts, the last dimension contiguous. Collective. Errors, on every rank:
 * NEARFAR_USAGE_ERROR for negative ghosts and for sizes that cannot be or are not the type's, NEARFAR_RESOURCE_ERROR
 * with the bytes asked for where memory does not suffice. */
NEARFAR_API nearfar_status nearfar_field_create(nearfar_grid* grid, nearfar_element_type type,
                                                const nearfar_field_options* options, nearfar_field** field);
/** Local; the memory stays until the last halo that uses it is freed too. Sets *field to NULL. */
NEARFAR_API nearfar_status nearfar_field_free(nearfar_field** field);

/** First element, ghost cells included; NULL on a rank without cells. Element i, j, k of global indices lies
 * (i - lower[0]) strides[0] + (j - lower[1]) strides[1] + … bytes behind it: nearfar_field_lower(), _strides(). Local.
 * The typed forms return NULL if the field has another element type. */
NEARFAR_API void* nearfar_field_data(const nearfar_field* field);
/** NULL unless the elements are NEARFAR_ELEMENT_INT32. */
NEARFAR_API int32_t* nearfar_field_data_i32(const nearfar_field* field);
/** NULL unless the elements are NEARFAR_ELEMENT_INT64. */
NEARFAR_API int64_t* nearfar_field_data_i64(const nearfar_field* field);
/** NULL unless the elements are NEARFAR_ELEMENT_FLOAT32. */
NEARFAR_API float* nearfar_field_data_f32(const nearfar_field* field);
/** NULL unless the elements are NEARFAR_ELEMENT_FLOAT64. */
NEARFAR_API double* nearfar_field_data_f64(const nearfar_field* field);

/** Bytes of one element; 0 for a NULL field. */
NEARFAR_API size_t nearfar_field_element_bytes(const nearfar_field* field);
NEARFAR_API const int64_t* nearfar_field_lower(const nearfar_field* field);   /**< global index of the first element */
NEARFAR_API const int64_t* nearfar_field_extents(const nearfar_field* field); /**< elements, ghost cells included */
NEARFAR_API const int64_t* nearfar_field_strides(const nearfar_field* field); /**< bytes between neighbours */

/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_field_team(const nearfar_field* field);
/** The grid that it was made on; NULL after an error. Local. */
NEARFAR_API const nearfar_grid* nearfar_field_grid(const nearfar_field* field);

/** Own cells that need no ghost (core) and the others (edge), as disjoint boxes. Local. */
NEARFAR_API nearfar_status nearfar_field_core(const nearfar_field* field, nearfar_box boxes[NEARFAR_MAX_BOXES],
                                              int* count);
/** The other own cells. Local. */
NEARFAR_API nearfar_status nearfar_field_edge(const nearfar_field* field, nearfar_box boxes[NEARFAR_MAX_BOXES],
                                              int* count);

/** The field of `team` whose memory begins at `data`, or whose handle `data` is. Local. */
NEARFAR_API nearfar_status nearfar_team_find_field(const nearfar_team* team, const void* data, nearfar_field** field);

/* ---- What every plan can be told ---- */

/** Structs of options begin with their size, so that later versions can add to their end. All other members may be
 * left out: zeros are the defaults. nearfar_halo_options o = {.size = sizeof o, .name = "winds"}; or, as an
 * argument, &NEARFAR_OPTIONS(nearfar_halo_options, .name = "winds") */
#define NEARFAR_OPTIONS(type, ...) ((type){.size = sizeof(type), __VA_ARGS__})

/** Yes or no, of an option whose zero is its default. */
typedef enum nearfar_switch {
  NEARFAR_SWITCH_DEFAULT = 0, /**< as the option says */
  NEARFAR_SWITCH_ON = 1,
  NEARFAR_SWITCH_OFF = -1
} nearfar_switch;

/** For budget_s: nothing is measured, what is known of methods and machines decides. */
#define NEARFAR_NO_TUNING (-1.0)

/** The options of all plans begin with these, with the same meaning; collective plans take no others. */
typedef struct nearfar_plan_options {
  size_t size;         /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const char* name;    /**< shown in reports and errors, compared across ranks; NULL: the front's or the kind's */
  const char* method;  /**< NULL or "": NEARFAR_METHOD, or tuned; else one of nearfar_methods(), or NEAR+FAR */
  const char* without; /**< methods that the tuner leaves out, with commas; NULL: none */
  double budget_s;     /**< seconds for tuning; 0: NEARFAR_BUDGET or 0.1; negative: NEARFAR_NO_TUNING */
  /** What the elements are, in words ("float64"), where a plan sees bytes: compared across the ranks that say it. NULL
   * or "": unknown. */
  const char* type_name;
} nearfar_plan_options;

/** A named way to carry out what a front does. */
typedef struct nearfar_method_info {
  const char *name, *description; /**< what `method` and NEARFAR_METHOD call it, and a line of words about it */
  int near, far;                  /**< which kind of peer it can serve */
  int is_candidate;               /**< tried by the tuner; others must be asked for, or are taken for what they need */
} nearfar_method_info;
/** The methods of a front: "halo", "transpose", "fft", "irregular", "collective.KIND". The table lives as long as the
 * program; NULL, with an error, where there is no such front. Local. */
NEARFAR_API const nearfar_method_info* nearfar_methods(const char* front, int* count);

/* ---- For bindings of other languages ---- */

/** nearfar_team_create() for a communicator as Fortran has it. Collective. */
NEARFAR_API nearfar_status nearfar_team_create_fint(MPI_Fint comm, const nearfar_team_options* options,
                                                    nearfar_team** team);
/** Text as nearfar_last_error() or a describe function has returned it, with axes numbered from 1, fastest first, in
 * place of from 0, slowest first; as long valid; "" for NULL. Local. */
NEARFAR_API const char* nearfar_from_one(const char* text);
/** Fails on every rank if `complaint` is not NULL or empty on any. Collective. */
NEARFAR_API nearfar_status nearfar_agree(nearfar_team* team, const char* complaint);

#ifdef __cplusplus
}
#endif

#include <nearfar/collective.h>
#include <nearfar/fft.h>
#include <nearfar/halo.h>
#include <nearfar/irregular.h>
#include <nearfar/output.h>
#include <nearfar/output_reader.h>
#include <nearfar/reproducible.h>
#include <nearfar/thread_team.h>
#include <nearfar/transpose.h>
#endif
