/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of output streams read back onto any decomposition, C interface; included by nearfar.h. */
#include <nearfar/nearfar.h> /* before the guard, as in transpose.h */
#ifndef NEARFAR_OUTPUT_READER_H
#define NEARFAR_OUTPUT_READER_H

#include <nearfar/output.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nearfar_output_reader nearfar_output_reader; /**< Reads the steps of a stream, ahead of the program */

/** All zero is the default. */
typedef struct nearfar_output_reader_options {
  size_t size; /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  /** After step s the program will ask for s + stride, s + 2 stride and so on, -1: backwards; 0: 1 */
  int64_t stride;
  nearfar_switch reads_ahead; /**< on by default; off: each step is read when it is asked for */
  int depth;                  /**< steps that are in memory at most, the one that the program has among them; 0: 2 */
  int64_t most_bytes;         /**< of all these steps on this rank; lessens the depth; 0: no limit */
  nearfar_switch checksum;    /**< the data are compared with the journal's sums; on by default */
} nearfar_output_reader_options;

/** What this rank wants of an array in each step. */
typedef struct nearfar_output_selection {
  const char* name;        /**< of the array, as it was written */
  nearfar_box wanted;      /**< global indices, any box inside the array; zeros: none */
  const int (*padding)[2]; /**< {low, high} per dimension, around the box in the arrays given to get; NULL: none */
} nearfar_output_selection;

/** A reader of the steps that the journal at `path` says are whole, written by whatever number of ranks; of all
 * formats but "adios2", of arrays that do not vary. `options` may be NULL. Takes no memory for data yet. Collective
 * over the team. Errors, on every rank: no journal, descriptions that cannot be understood, a stream that cannot be
 * read back. */
NEARFAR_API nearfar_status nearfar_output_reader_create(nearfar_team* team, const char* path,
                                                        const nearfar_output_reader_options* options,
                                                        nearfar_output_reader** reader);
/** The steps, numbered from 0: as nearfar_output_steps_at(). Local. */
NEARFAR_API nearfar_status nearfar_output_reader_steps(nearfar_output_reader* reader, int64_t capacity,
                                                       nearfar_output_step* steps, int64_t* count);
NEARFAR_API int nearfar_output_reader_arrays(const nearfar_output_reader* reader); /**< how many; -1: NULL. Local */
/** Array number `number` as it was written; `own` is empty, and what is pointed to lives as long as the reader.
 * Local. */
NEARFAR_API nearfar_status nearfar_output_reader_array(nearfar_output_reader* reader, int number,
                                                       nearfar_output_array* array);
/** What begin_step reads from now on: `count` boxes, each of another array; ranks may want different ones. Takes the
 * memory for them, `depth` times, and reads the arrays that are constant. Collective, between steps. Errors, on
 * every rank: unknown names, boxes outside of their arrays, no memory, damage. */
NEARFAR_API nearfar_status nearfar_output_reader_select(nearfar_output_reader* reader, int count,
                                                        const nearfar_output_selection* selections);
/** Waits until the boxes of the step are here; the same step on all ranks. *time (`time` may be NULL): its time.
 * Collective. NEARFAR_IO_ERROR, on every rank: a file of the step is damaged, missing or too short; the message
 * names both, and no step is under way. */
NEARFAR_API nearfar_status nearfar_output_reader_begin_step(nearfar_output_reader* reader, int64_t step, double* time);
/** Copies the box into an array with `padding` around it, in C order; `data` is the first element, padding included.
 * Local. */
NEARFAR_API nearfar_status nearfar_output_reader_get(nearfar_output_reader* reader, const char* name, void* data);
/** The same into an array of any strides; `data` is the first element of the box. Local. */
NEARFAR_API nearfar_status nearfar_output_reader_get_strided(nearfar_output_reader* reader, const char* name,
                                                             void* data,
                                                             const int64_t strides_bytes[NEARFAR_MAX_DIMENSIONS]);
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_output_reader_team(const nearfar_output_reader* reader);
/** The box in the reader's buffer, instead of a copy. Valid until end_step. Local. */
NEARFAR_API nearfar_status nearfar_output_reader_slot_of(nearfar_output_reader* reader, const char* name,
                                                         nearfar_output_slot* slot);
NEARFAR_API nearfar_status nearfar_output_reader_end_step(nearfar_output_reader* reader); /**< local */
NEARFAR_API const char* nearfar_output_reader_describe(nearfar_output_reader* reader);    /**< local */
NEARFAR_API nearfar_status nearfar_output_reader_free(nearfar_output_reader** reader);    /**< local; *reader: NULL */

#ifdef __cplusplus
}
#endif
#endif
