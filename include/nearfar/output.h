/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of time steps behind computing, C interface: streams of steps that are whole on disk or absent; included by
 * nearfar.h. */
#include <nearfar/nearfar.h> /* before the guard, as in transpose.h */
#ifndef NEARFAR_OUTPUT_H
#define NEARFAR_OUTPUT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Ranks that write, and the team of those that compute ---- */

typedef struct nearfar_output_writers nearfar_output_writers; /**< Who of a team writes, and the team of the others */

/** Where the writers are. */
typedef enum nearfar_output_placement {
  NEARFAR_OUTPUT_PLACEMENT_NEAR =
      0,                       /**< the last rank of each node that has ranks to spare; takes steps from near memory */
  NEARFAR_OUTPUT_PLACEMENT_FAR /**< the last ranks of the team, on nodes of their own as a rule; get steps by messages
                                */
} nearfar_output_placement;

/** All zero is the default. */
typedef struct nearfar_output_writers_options {
  size_t size;                        /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  nearfar_output_placement placement; /**< where the writers are */
  int ranks_to_spare; /**< near: ranks that a node must have for its last one to become a writer; 0: 2 */
  int far_writers;    /**< far: how many; 0: 1 */
} nearfar_output_writers_options;

/** Writers call serve(), the others make streams over computing() with nearfar_output_options::writers. `options` may
 * be NULL. Collective over `all`. */
NEARFAR_API nearfar_status nearfar_output_writers_create(nearfar_team* all,
                                                         const nearfar_output_writers_options* options,
                                                         nearfar_output_writers** writers);
/* Local. -1 for NULL. */
/** 1 on a rank that calls serve, 0 on one that computes, -1 for NULL. Local, as the next one. */
NEARFAR_API int nearfar_output_writers_is_writer(const nearfar_output_writers* writers);
NEARFAR_API int nearfar_output_writers_count(const nearfar_output_writers* writers); /**< in `all` */
/** The ranks that compute, as a team that is freed with these writers and not before; NULL, with an error, on a writer.
 * Local. */
NEARFAR_API nearfar_team* nearfar_output_writers_computing(nearfar_output_writers* writers);
/** On a writer: writes until the computing ranks (near: of the node) have freed their writers object and streams, or
 * died. A near writer makes no MPI calls. Errors go to the ranks whose stream it is. */
NEARFAR_API nearfar_status nearfar_output_writers_serve(nearfar_output_writers* writers);
/** Frees the computing team and all that was made from it; lets serve() return when the last computing rank of the
 * node does. Local; streams should be closed before. Sets *writers to NULL. */
NEARFAR_API nearfar_status nearfar_output_writers_free(nearfar_output_writers** writers);

/* ---- Streams ---- */

typedef struct nearfar_output nearfar_output; /**< A stream of time steps on disk, each of them whole or absent */

/** Who writes. With all of them the same bytes are written. */
typedef enum nearfar_output_policy {
  NEARFAR_OUTPUT_POLICY_AUTOMATIC =
      0, /**< whichever takes the least time per step among the first steps of the program */
  NEARFAR_OUTPUT_POLICY_SYNCHRONOUS, /**< the first rank of the node, in end_step(), while the others wait */
  NEARFAR_OUTPUT_POLICY_THREAD,      /**< a thread of that rank; it makes no MPI calls (MPI_THREAD_FUNNELED suffices) */
  NEARFAR_OUTPUT_POLICY_WRITER       /**< a rank that does nothing else: needs writers */
} nearfar_output_policy;

/** What end_step promises once the step has been written. */
typedef enum nearfar_output_durability {
  NEARFAR_OUTPUT_DURABILITY_STEP =
      0, /**< survives the end of the machine, too: each step is synchronised to the disk before it counts */
  NEARFAR_OUTPUT_DURABILITY_NONE /**< survives the end of the program, killed or not; flush and close synchronise */
} nearfar_output_durability;

/** What a stream does with what is at its path already. */
typedef enum nearfar_output_opening {
  NEARFAR_OUTPUT_OPENING_CREATE = 0, /**< replaces what is there */
  NEARFAR_OUTPUT_OPENING_APPEND,     /**< goes on after the last whole step of what is there */
  NEARFAR_OUTPUT_OPENING_TAKE_TURNS  /**< checkpoints: replaces that one of two streams, path-a and path-b, which is not
                                the  newest whole one;  readers of `path` take the newest */
} nearfar_output_opening;

/** A word about an array, an axis or the whole stream. */
typedef struct nearfar_output_attribute {
  const char *key, *value; /**< "units", "m/s"; words that are a number, or "38, 42", are written as such */
} nearfar_output_attribute;

/** What an array is of a grid, in formats that know grids ("vtkhdf"). */
typedef enum nearfar_output_part {
  NEARFAR_OUTPUT_PART_POINT_DATA = 0, /**< values at points, which are the elements of images */
  NEARFAR_OUTPUT_PART_CELL_DATA,      /**< values of cells; images have one cell less than points in each dimension */
  NEARFAR_OUTPUT_PART_FIELD_DATA,     /**< values of the whole: one dimension */
  NEARFAR_OUTPUT_PART_POINTS,         /**< of an unstructured grid: float32 or float64, {points, 3} */
  NEARFAR_OUTPUT_PART_CONNECTIVITY,   /**< int64: the points of the cells, by numbers from 0 on within each rank */
  NEARFAR_OUTPUT_PART_OFFSETS, /**< int64: where each cell begins in the rank's connectivity, and where the last one
                               ends; a rank without cells has none */
  NEARFAR_OUTPUT_PART_TYPES    /**< int8: VTK's numbers of the kinds of cells */
} nearfar_output_part;

/** One of the arrays that each step consists of. What is zero is the default. */
typedef struct nearfar_output_array {
  const char* name;          /**< letters, digits, `_` and `-`: part of the file's name */
  nearfar_element_type type; /**< of its elements */
  int dimensions;            /**< 1 to 4 */
  const int64_t* extents;    /**< of the global array, slowest first */
  nearfar_box own;           /**< of this rank; zeros: none. The boxes of all ranks cover the array exactly once */
  const int (*padding)[2]; /**< {low, high} per dimension, around the own box in the arrays given to put; NULL: none */
  int attribute_count;     /**< how many attributes */
  const nearfar_output_attribute* attributes; /**< may be NULL where there are none */
  const char* const* dimension_names;         /**< slowest first; NULL: ..., "z", "y", "x" */
  const char* compression;                    /**< as in the options, where it is to be another; NULL or "": theirs */
  /** 1: the first extent is another one in each step, and nearfar_output_begin_varying_step() says how many rows
   * this rank has, which lie behind those of the ranks before. `own` is then from 0 to the most that this rank may
   * have; extents[0] counts for nothing. For "hdf5" and "vtkhdf" with a file per step. */
  int is_varying;
  nearfar_output_part part; /**< what "vtkhdf" takes it for; other formats do not look at it */
  /** 1: the same in all steps, put with the stream's first step only; no dimension of time. "rsf", "zarr"; "netcdf"
   * and "hdf5" with expected_steps. */
  int is_constant;
} nearfar_output_array;

/** Where the elements of a dimension are; one value of a name that no dimension has makes a scalar. */
typedef struct nearfar_output_axis {
  const char* name;                           /**< of a dimension */
  int64_t count;                              /**< how many values */
  const double* values;                       /**< one per element */
  int attribute_count;                        /**< how many attributes */
  const nearfar_output_attribute* attributes; /**< of the axis; may be NULL where there are none */
} nearfar_output_axis;

/** A format of this build. */
typedef struct nearfar_output_format {
  const char *name, *description; /**< what options call it, and a line of words about it */
} nearfar_output_format;
/** The formats of this build; the table lives as long as the program. */
NEARFAR_API const nearfar_output_format* nearfar_output_formats(int* count);

/** All zero is the default. */
typedef struct nearfar_output_options {
  size_t size;                          /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  nearfar_output_policy policy;         /**< who writes */
  int depth;                            /**< steps that may be under way; 0: 2 */
  int64_t most_bytes;                   /**< of all frames of a ring; 0: no limit */
  int writers_per_node;                 /**< 0: 1, or what the automatic policy finds best of 1, 2, 4, 8 */
  nearfar_output_durability durability; /**< what is safe when a step has been written */
  nearfar_output_opening opening;       /**< what becomes of what is there */
  int64_t
      expected_steps; /**< room for so many is reserved at once, so that a full disk is an error of create; 0: none */
  nearfar_switch direct; /**< past the page cache where the file system can and parts are in one piece; on by default */
  nearfar_switch checksum;     /**< CRC-32C of the data in the journal; on by default */
  double throttle_bytes_per_s; /**< for tests and measurements: a slower disk; 0: none */
  double linger_s;             /**< that free without close waits for what is under way; 0: 10, negative: not at all */
  nearfar_output_writers* writers; /**< whose computing() is the team; needed for NEARFAR_OUTPUT_POLICY_WRITER */
  const char* format;              /**< one of nearfar_output_formats(); NULL or "": "rsf" */
  int attribute_count;             /**< of all: "title", "Conventions" */
  const nearfar_output_attribute* attributes; /**< may be NULL where there are none */
  int axis_count;                             /**< how many axes */
  const nearfar_output_axis* axes; /**< positions along dimensions, and scalars; may be NULL where there are none */
  /** Of all arrays, by who writes, in the format "zarr": "zstd", "zstd:9", "blosc" ("blosc:zstd"), each lossless, or
   * "zfp:1e-3", off by up to that fraction of the largest value that the writer has of the array in the step
   * ("zfp:abs=0.01": by up to that). NULL or "": none. */
  const char* compression;
  /** NEARFAR_OUTPUT_OPENING_APPEND: steps of this time or later are forgotten, as when a program begins again from an
   * earlier state; NULL: none. */
  const double* append_before;
  int verify; /**< 1: NEARFAR_OUTPUT_OPENING_APPEND forgets steps from the first one on whose data has not the journal's
                 sums */
  int is_pinned; /**< 1: frames are locked in memory from the start, for a GPU that copies into slots; put does so by
                    itself */
  const char*
      kept; /**< NEARFAR_OUTPUT_OPENING_TAKE_TURNS: a stream that is not replaced though it is the older one; NULL or
               "": none */
} nearfar_output_options;

/** A stream in files that begin with `path` (docs/output.md). `options` may be NULL. Collective over the team.
 * Errors, on every rank: arrays, boxes or options that cannot be, files that cannot be made or are being written by
 * another program, a full disk, no memory for one frame. */
NEARFAR_API nearfar_status nearfar_output_create(nearfar_team* team, const char* path, int count,
                                                 const nearfar_output_array* arrays,
                                                 const nearfar_output_options* options, nearfar_output** stream);
/** Waits until a frame is free. *step (`step` may be NULL): its number, from 0. Collective; errors of steps before
 * are told here, on all ranks, with step and file. */
NEARFAR_API nearfar_status nearfar_output_begin_step(nearfar_output* stream, double time, int64_t* step);
/** The same for a stream with varying arrays: this rank's rows of each of them, `count` in all, in their order.
 * Errors, on every rank: another number of arrays, more rows than `own` had room for, fewer than 0, or a grid that
 * cannot be; no step has begun then. Costs an allgather and a message of the root's more. */
NEARFAR_API nearfar_status nearfar_output_begin_varying_step(nearfar_output* stream, double time, int count,
                                                             const int64_t* rows, int64_t* step);
/** Copies the own box out of an array with `padding` around it, in C order; `data` is the first element, padding
 * included. The caller may overwrite the array when it returns. Local. */
NEARFAR_API nearfar_status nearfar_output_put(nearfar_output* stream, const char* name, const void* data);
/** The same from an array of any strides; `data` is the first element of the own box. Local. */
NEARFAR_API nearfar_status nearfar_output_put_strided(nearfar_output* stream, const char* name, const void* data,
                                                      const int64_t strides_bytes[NEARFAR_MAX_DIMENSIONS]);

/** Where this rank's box lies in the frame of the step under way. */
typedef struct nearfar_output_slot {
  void* data;                                    /**< the first element of the box; NULL for an empty box */
  int64_t strides_bytes[NEARFAR_MAX_DIMENSIONS]; /**< between neighbours along each dimension */
} nearfar_output_slot;
/** The memory that the step is written from: fill it instead of calling put. Valid until end_step. An array's part of a
 * frame begins at a multiple of 64 bytes, other ranks' boxes in it are aligned for the type. Local. */
NEARFAR_API nearfar_status nearfar_output_slot_of(nearfar_output* stream, const char* name, nearfar_output_slot* slot);
/** Hands the step over. Local, but for NEARFAR_OUTPUT_POLICY_SYNCHRONOUS, which waits until it is written. */
NEARFAR_API nearfar_status nearfar_output_end_step(nearfar_output* stream);
/** Returns when all steps are durable. Collective. */
NEARFAR_API nearfar_status nearfar_output_flush(nearfar_output* stream);
/** Flush, and the end of the stream; a second call does nothing. Collective. */
NEARFAR_API nearfar_status nearfar_output_close(nearfar_output* stream);
/** Local, makes no MPI calls (but for a far writer, point to point). Of a stream that was not closed, what is whole
 * is written for up to `linger_s`. Sets *stream to NULL. */
NEARFAR_API nearfar_status nearfar_output_free(nearfar_output** stream);

/* Local. -1 for a NULL stream. */
NEARFAR_API int64_t nearfar_output_steps(const nearfar_output* stream); /**< that end_step accepted, or append found */
NEARFAR_API int64_t
nearfar_output_written_steps(const nearfar_output* stream); /**< of these in the journal, by this rank's writer */
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_output_team(const nearfar_output* stream);
/** Policy and why, depth, bytes, waiting and copying per step, throughput. Local. */
NEARFAR_API const char* nearfar_output_describe(nearfar_output* stream);

/* ---- What is in the files ---- */

/** A step that a journal says is whole. */
typedef struct nearfar_output_step {
  int64_t step; /**< its number, from 0 */
  double time;  /**< as begin_step was given */
} nearfar_output_step;
/** The steps that the journal at `path` says are whole, also of a stream that was killed: *count is their number,
 * and the first `capacity` of them are stored in `steps`, which may be NULL for 0. Changes nothing. Local. */
NEARFAR_API nearfar_status nearfar_output_steps_at(const char* path, int64_t capacity, nearfar_output_step* steps,
                                                   int64_t* count);

/** What comparing a step with its sums says: all bytes are as they were written; some are not, or are missing;
 * nothing to compare with. */
typedef enum nearfar_output_soundness {
  NEARFAR_OUTPUT_SOUNDNESS_SOUND,
  NEARFAR_OUTPUT_SOUNDNESS_DAMAGED,
  NEARFAR_OUTPUT_SOUNDNESS_UNKNOWN /**< no sums were made, or there is nothing to compare with: arrays that vary, BP5 */
} nearfar_output_soundness;
/** What reading the data of a step has shown. */
typedef struct nearfar_output_report {
  int64_t step;                   /**< its number, from 0 */
  double time;                    /**< as begin_step was given */
  nearfar_output_soundness state; /**< the verdict */
  char reason[256]; /**< why it is not sound: the writer or the file; empty if it is; cut where it is longer */
} nearfar_output_report;
/** The same steps, with what comparing all their data with the journal's sums says of each. Changes nothing. Local.
 * NEARFAR_IO_ERROR: there is no journal, or what says which writer wrote what cannot be understood. */
NEARFAR_API nearfar_status nearfar_output_verify(const char* path, int64_t capacity, nearfar_output_report* reports,
                                                 int64_t* count);

#ifdef __cplusplus
}
#endif
#endif
