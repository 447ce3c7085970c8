/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the ranks of a team whose bits do not depend on how many ranks there are; part of nearfar.h. */
#ifndef NEARFAR_REPRODUCIBLE_H
#define NEARFAR_REPRODUCIBLE_H

#include <nearfar/nearfar.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `type` is NEARFAR_ELEMENT_FLOAT32 or NEARFAR_ELEMENT_FLOAT64 everywhere here; it is that of the arrays and of the
 * results. What is wrong with an argument is a usage error on this rank alone, before anything is communicated. */

/** *sum = the sum of all elements of the arrays of all ranks: exact, rounded once to nearest, ties to even. The same
 * bits for any number of ranks and any distribution and order of the elements. Counts may differ between ranks.
 * Collective. Cost: a pass over the array and one allreduce of 568 bytes. */
NEARFAR_API nearfar_status nearfar_reproducible_sum(nearfar_team* team, const void* local, int64_t count,
                                                    nearfar_element_type type, void* sum);
/** The same for the sum of a[i] b[i]; one allreduce of 1096 bytes. */
NEARFAR_API nearfar_status nearfar_reproducible_dot(nearfar_team* team, const void* a, const void* b, int64_t count,
                                                    nearfar_element_type type, void* dot);
/** Each of `count` values becomes the sum of those of all ranks, exact and rounded once. Collective, one count for
 * all ranks. Cost: messages as of a reduce-scatter and an allgather. */
NEARFAR_API nearfar_status nearfar_reproducible_allreduce(nearfar_team* team, void* values, int64_t count,
                                                          nearfar_element_type type);

/* ---- Accumulators: for threads (one each, then merged), and for several sums in one message ---- */

typedef struct nearfar_exact_sum nearfar_exact_sum; /**< the exact sum of the numbers added; local */
typedef struct nearfar_exact_dot nearfar_exact_dot; /**< the exact sum of the products added; local */

NEARFAR_API nearfar_status nearfar_exact_sum_create(nearfar_exact_sum** sum); /**< zero */
NEARFAR_API nearfar_status nearfar_exact_sum_free(nearfar_exact_sum** sum);   /**< sets *sum to NULL */
/** Adds `count` numbers. Local, one thread at a time. */
NEARFAR_API nearfar_status nearfar_exact_sum_add(nearfar_exact_sum* sum, const void* values, int64_t count,
                                                 nearfar_element_type type);
/** Adds the sum of `other`, which stays. Local. */
NEARFAR_API nearfar_status nearfar_exact_sum_merge(nearfar_exact_sum* sum, const nearfar_exact_sum* other);
/** *value = all that was added, rounded once. Local. */
NEARFAR_API nearfar_status nearfar_exact_sum_value(const nearfar_exact_sum* sum, nearfar_element_type type,
                                                   void* value);

NEARFAR_API nearfar_status nearfar_exact_dot_create(nearfar_exact_dot** dot); /**< zero */
NEARFAR_API nearfar_status nearfar_exact_dot_free(nearfar_exact_dot** dot);   /**< sets *dot to NULL */
/** Adds a[i] b[i], `count` exact products. Local, one thread at a time. */
NEARFAR_API nearfar_status nearfar_exact_dot_add(nearfar_exact_dot* dot, const void* a, const void* b, int64_t count,
                                                 nearfar_element_type type);
/** Adds the sum of `other`, which stays. Local. */
NEARFAR_API nearfar_status nearfar_exact_dot_merge(nearfar_exact_dot* dot, const nearfar_exact_dot* other);
/** *value = all that was added, rounded once. Local. */
NEARFAR_API nearfar_status nearfar_exact_dot_value(const nearfar_exact_dot* dot, nearfar_element_type type,
                                                   void* value);

/** sums[k] = what locals[k] of all ranks come to together; the accumulators stay as they are. Collective. */
NEARFAR_API nearfar_status nearfar_reproducible_sums(nearfar_team* team, int number,
                                                     const nearfar_exact_sum* const* locals, nearfar_element_type type,
                                                     void* sums);
/** The same for dot products. Collective. */
NEARFAR_API nearfar_status nearfar_reproducible_dots(nearfar_team* team, int number,
                                                     const nearfar_exact_dot* const* locals, nearfar_element_type type,
                                                     void* dots);

/* ---- For bindings of other languages ---- */

/** Returns a usage error whose message is `complaint`. Local. */
NEARFAR_API nearfar_status nearfar_refuse(const char* complaint);

#ifdef __cplusplus
}
#endif
#endif
