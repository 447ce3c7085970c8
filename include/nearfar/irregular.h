/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions and irregular gather and scatter of the C interface; included by nearfar.h. */
#ifndef NEARFAR_GATHER_H
#define NEARFAR_GATHER_H

#include <nearfar/nearfar.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Distributions: which rank owns each element of a global array. Global indices are 64-bit, from 0. ---- */

/** Which rank owns which element, and at which offset among its own. */
typedef struct nearfar_distribution nearfar_distribution;

/* All are collective over the team; what is wrong is an error on every rank. A rank may own nothing. */

/** Contiguous blocks in rank order; the first elements % ranks ranks have one element more. */
NEARFAR_API nearfar_status nearfar_distribution_block(nearfar_team* team, int64_t elements,
                                                      nearfar_distribution** distribution);
/** Contiguous blocks in rank order, of the sizes that the ranks name. */
NEARFAR_API nearfar_status nearfar_distribution_block_sizes(nearfar_team* team, int64_t own_elements,
                                                            nearfar_distribution** distribution);
/** Element g belongs to rank g % ranks. */
NEARFAR_API nearfar_status nearfar_distribution_cyclic(nearfar_team* team, int64_t elements,
                                                       nearfar_distribution** distribution);
/** Blocks of `block_elements` elements, dealt out in turn. */
NEARFAR_API nearfar_status nearfar_distribution_block_cyclic(nearfar_team* team, int64_t elements,
                                                             int64_t block_elements,
                                                             nearfar_distribution** distribution);
/** Elements [0, first_elements) and the others, each in blocks: rank r has block r of both, the first part's lower. */
NEARFAR_API nearfar_status nearfar_distribution_two_block(nearfar_team* team, int64_t elements, int64_t first_elements,
                                                          nearfar_distribution** distribution);
/** The same with the second part's blocks in reverse order of ranks. */
NEARFAR_API nearfar_status nearfar_distribution_reversed_two_block(nearfar_team* team, int64_t elements,
                                                                   int64_t first_elements,
                                                                   nearfar_distribution** distribution);
/** Each rank lists the `count` indices that it owns, in the order of its offsets; together 0 … N-1, each once. */
NEARFAR_API nearfar_status nearfar_distribution_from_owned(nearfar_team* team, int64_t count, const int64_t* owned,
                                                           nearfar_distribution** distribution);

/** A program's own way of distributing: functions that are called in bulk, with `context`, by one thread at a time.
 * They must not communicate, and stay valid until the distribution and its plans are freed. They return 0, or
 * anything else for a failure, which becomes a usage error. Each rank's elements have the offsets 0, 1, 2 … there. */
typedef struct nearfar_distribution_rule {
  int64_t elements;     /**< of the whole array; the same on every rank */
  int64_t own_elements; /**< of this rank */
  /** owners[i], offsets[i] = place of the element indices[i]; indices in any order, with repetitions. */
  int (*locate)(void* context, int64_t count, const int64_t* indices, int* owners, int64_t* offsets);
  /** indices[i] = the element at offsets[i] of `rank`. */
  int (*globals)(void* context, int rank, int64_t count, const int64_t* offsets, int64_t* indices);
  void* context;                  /**< handed to the functions as it is */
  void (*release)(void* context); /**< called when nothing needs the rule any more; NULL: nothing to do */
} nearfar_distribution_rule;
/** The program's own distribution; the rule is copied, its context lives until it is released. Collective. */
NEARFAR_API nearfar_status nearfar_distribution_from_rule(nearfar_team* team, const nearfar_distribution_rule* rule,
                                                          nearfar_distribution** distribution);

/** Local; plans made with it keep working. Sets *distribution to NULL. */
NEARFAR_API nearfar_status nearfar_distribution_free(nearfar_distribution** distribution);

/* Local. -1 for a NULL distribution. */
/** Of the whole array. */
NEARFAR_API int64_t nearfar_distribution_elements(const nearfar_distribution* distribution);
NEARFAR_API int64_t nearfar_distribution_owned(const nearfar_distribution* distribution); /**< elements of this rank */
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_distribution_team(const nearfar_distribution* distribution);
/** One line: kind, elements, elements here. */
NEARFAR_API const char* nearfar_distribution_describe(nearfar_distribution* distribution);
/** owners[i], offsets[i] = place of the element indices[i]. Local; of nearfar_distribution_from_owned() collective. */
NEARFAR_API nearfar_status nearfar_distribution_locate(const nearfar_distribution* distribution, int64_t count,
                                                       const int64_t* indices, int* owners, int64_t* offsets);
/** indices[i] = the element at offsets[i] of this rank. Local. */
NEARFAR_API nearfar_status nearfar_distribution_globals(const nearfar_distribution* distribution, int64_t count,
                                                        const int64_t* offsets, int64_t* indices);
/** Tests that sizes add up, and that own elements (at most `sample`; 0: all) are located where they are. Collective. */
NEARFAR_API nearfar_status nearfar_distribution_check(const nearfar_distribution* distribution, int64_t sample);

/* ---- Plans: made from the global indices that each rank refers to, run many times on arrays of any type. ---- */

/** Gather, scatter and assemble on the references that it was made from; one operation is in flight at a time. */
typedef struct nearfar_irregular_plan nearfar_irregular_plan;

/** How contributions to one element are combined: sum, product, min and max of types of 4 and 8 bytes (of complex types
 * sum alone), those of bits of integers, replace of any type. Those of truth values are of no scatter. */
typedef enum nearfar_reduce_op {
  NEARFAR_REDUCE_SUM = 0,
  NEARFAR_REDUCE_PRODUCT,
  NEARFAR_REDUCE_MIN,
  NEARFAR_REDUCE_MAX,
  NEARFAR_REDUCE_LOGICAL_AND,
  NEARFAR_REDUCE_LOGICAL_OR,
  NEARFAR_REDUCE_LOGICAL_XOR,
  NEARFAR_REDUCE_BIT_AND,
  NEARFAR_REDUCE_BIT_OR,
  NEARFAR_REDUCE_BIT_XOR,
  NEARFAR_REDUCE_REPLACE /**< the last one in the plan's order */
} nearfar_reduce_op;

/** In which order they are combined, whatever arrives first. */
typedef enum nearfar_scatter_order {
  NEARFAR_SCATTER_ORDER_PLAN = 0,     /**< repeatable for a given number of ranks */
  NEARFAR_SCATTER_ORDER_CANONICAL = 1 /**< the order of a serial loop over all references; more travels */
} nearfar_scatter_order;

/** How an irregular plan is made; the same on all ranks, but for `threads`. All zero is the default. */
typedef struct nearfar_irregular_options {
  size_t size;                 /**< sizeof this struct, as NEARFAR_OPTIONS sets it */
  const char* name;            /**< as in nearfar_plan_options, and the next four */
  const char* method;          /**< as in nearfar_plan_options */
  const char* without;         /**< as in nearfar_plan_options */
  double budget_s;             /**< as in nearfar_plan_options */
  const char* type_name;       /**< as in nearfar_plan_options */
  nearfar_scatter_order order; /**< of contributions to one element */
  size_t element_bytes;        /**< what the tuning is for; 0: 8 */
  int threads;                 /**< OpenMP threads of this rank for loops over references and ghosts; 0: 1 */
} nearfar_irregular_options;

/** Inspects `count` references. Collective over the team; fails on every rank or on none. `options` may be NULL. */
NEARFAR_API nearfar_status nearfar_irregular_plan_create(const nearfar_distribution* distribution, int64_t count,
                                                         const int64_t* indices,
                                                         const nearfar_irregular_options* options,
                                                         nearfar_irregular_plan** plan);
/** The same for 32-bit indices. */
NEARFAR_API nearfar_status nearfar_irregular_plan_create_i32(const nearfar_distribution* distribution, int64_t count,
                                                             const int32_t* indices,
                                                             const nearfar_irregular_options* options,
                                                             nearfar_irregular_plan** plan);
/** The same for other references, and another distribution unless that is NULL: what a new plan would be, but shared
 * memory, signals and decisions are kept. Collective; after an error the plan is as it was. */
NEARFAR_API nearfar_status nearfar_irregular_plan_update(nearfar_irregular_plan* plan,
                                                         const nearfar_distribution* distribution, int64_t count,
                                                         const int64_t* indices);
/** The same for 32-bit indices. */
NEARFAR_API nearfar_status nearfar_irregular_plan_update_i32(nearfar_irregular_plan* plan,
                                                             const nearfar_distribution* distribution, int64_t count,
                                                             const int32_t* indices);
/** Collective; finishes what is in flight. Sets *plan to NULL. */
NEARFAR_API nearfar_status nearfar_irregular_plan_free(nearfar_irregular_plan** plan);

/* Local. -1 for a NULL plan. An array called x has an element per own element of the distribution, then one per
 * ghost. */
/** Own elements of the distribution on this rank; -1 for a NULL plan. Local, as the next four. */
NEARFAR_API int64_t nearfar_irregular_plan_owned(const nearfar_irregular_plan* plan);
NEARFAR_API int64_t
nearfar_irregular_plan_ghosts(const nearfar_irregular_plan* plan); /**< remote elements referred to */
/** Number of indices that this rank gave. */
NEARFAR_API int64_t nearfar_irregular_plan_references(const nearfar_irregular_plan* plan);
/** out[k] = x[local_indices[k]] after nearfar_irregular_plan_gather_ghosts(). Valid until update or free. */
NEARFAR_API const int32_t* nearfar_irregular_plan_local_indices(const nearfar_irregular_plan* plan);
/** indices[i] = global index of ghost i. */
NEARFAR_API nearfar_status nearfar_irregular_plan_ghost_indices(const nearfar_irregular_plan* plan, int64_t* indices);
/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_irregular_plan_team(const nearfar_irregular_plan* plan);
NEARFAR_API const char* nearfar_irregular_plan_method(nearfar_irregular_plan* plan); /**< what is in use now */
/** Sizes, traffic, what was tried and chosen; local. */
NEARFAR_API const char* nearfar_irregular_plan_describe(nearfar_irregular_plan* plan);
/** What was tried and chosen, as JSON (C++'s describe_json()). Local. */
NEARFAR_API const char* nearfar_irregular_plan_describe_json(nearfar_irregular_plan* plan);
NEARFAR_API double nearfar_irregular_plan_tuned_seconds(const nearfar_irregular_plan* plan); /**< 0 if unknown */

/** Zeroed near memory for own elements and ghosts: near ranks read it in place. Free it with nearfar_free().
 * Collective. */
NEARFAR_API nearfar_status nearfar_irregular_plan_allocate(nearfar_irregular_plan* plan, nearfar_element_type type,
                                                           int components, void** x);

/* Operations are collective over the team, in one order and with elements of one size on all ranks. Elements are
 * `components` values of `type`, together. `x_elements` is the length of x: own elements and ghosts, or (gather and
 * scatter) own elements alone; any other length is an error on this rank alone: the others wait for it. `out`, `in`
 * and `values` have an element per reference, and the type of x. */

/** The ghosts of x = the owners' elements. */
NEARFAR_API nearfar_status nearfar_irregular_plan_gather_ghosts(nearfar_irregular_plan* plan, void* x,
                                                                int64_t x_elements, nearfar_element_type type,
                                                                int components);
/** Own elements of x = op(own element, the ghost of each rank that has one). */
NEARFAR_API nearfar_status nearfar_irregular_plan_scatter_ghosts(nearfar_irregular_plan* plan, void* x,
                                                                 int64_t x_elements, nearfar_element_type type,
                                                                 int components, nearfar_reduce_op op);
/** scatter_ghosts, then gather_ghosts: the same bits in every copy. */
NEARFAR_API nearfar_status nearfar_irregular_plan_assemble_ghosts(nearfar_irregular_plan* plan, void* x,
                                                                  int64_t x_elements, nearfar_element_type type,
                                                                  int components, nearfar_reduce_op op);
/** out[k] = x[indices[k]]. Ghosts of x, if it has any, are filled as well. */
NEARFAR_API nearfar_status nearfar_irregular_plan_gather(nearfar_irregular_plan* plan, void* x, int64_t x_elements,
                                                         void* out, nearfar_element_type type, int components);
/** The same for an x that is only read: its ghosts, if it has any, stay as they are. */
NEARFAR_API nearfar_status nearfar_irregular_plan_gather_const(nearfar_irregular_plan* plan, const void* x,
                                                               int64_t x_elements, void* out, nearfar_element_type type,
                                                               int components);
/** x[indices[k]] = op(x[indices[k]], in[k]) for all references of all ranks. Ghosts of x, if it has any, are
 * scratch. */
NEARFAR_API nearfar_status nearfar_irregular_plan_scatter(nearfar_irregular_plan* plan, const void* in, void* x,
                                                          int64_t x_elements, nearfar_element_type type, int components,
                                                          nearfar_reduce_op op);
/** values[k] = op over the values of all references to the same element, the same bits wherever it is referred to. */
NEARFAR_API nearfar_status nearfar_irregular_plan_assemble(nearfar_irregular_plan* plan, void* values,
                                                           nearfar_element_type type, int components,
                                                           nearfar_reduce_op op);

/* ---- Any operation, on up to 16 arrays at once, with types and operations of the caller's, started and finished ----
 */

/** The operations, and which arrays they use. */
typedef enum nearfar_irregular_kind {
  NEARFAR_IRREGULAR_GATHER_GHOSTS = 0, /**< of x */
  NEARFAR_IRREGULAR_SCATTER_GHOSTS,    /**< of x */
  NEARFAR_IRREGULAR_ASSEMBLE_GHOSTS,   /**< of x */
  NEARFAR_IRREGULAR_GATHER,            /**< x to values */
  NEARFAR_IRREGULAR_SCATTER,           /**< values to x */
  NEARFAR_IRREGULAR_ASSEMBLE           /**< of values */
} nearfar_irregular_kind;

/** An array by address and length: `elements` of `components` values each, which lie together. */
typedef struct nearfar_irregular_array {
  void* data;       /**< where the first element begins */
  int64_t elements; /**< on this rank */
  int components;   /**< 0: 1 */
  nearfar_element_type
      type;           /**< 0: anything of value_bytes bytes, for gather, NEARFAR_REDUCE_REPLACE and custom operations */
  size_t value_bytes; /**< where type is 0 */
  /** Not 0: `data` is not written (only its pointer's type says otherwise). An operation that writes there is refused,
   * and NEARFAR_IRREGULAR_GATHER keeps the ghosts of such an x in the plan. */
  int is_const;
} nearfar_irregular_array;

/** to[i] = to[i] op from[i], `values` of them; with the identity as `to` the result is `from`, bit for bit. It need
 * not commute: the order of application is the plan's. */
typedef struct nearfar_custom_op {
  size_t value_bytes;   /**< of one value */
  const void* identity; /**< one value, with which `combine` gives `from` unchanged */
  /** Called in bulk, by several threads at once where the plan has threads; must not communicate. */
  void (*combine)(void* context, void* to, const void* from, int64_t values);
  void* context; /**< handed to combine as it is */
} nearfar_custom_op;

/** One operation on one or more arrays. Zeros are the defaults. */
typedef struct nearfar_irregular_call {
  nearfar_irregular_kind kind; /**< which operation */
  nearfar_reduce_op op;        /**< of scatter and assemble */
  const nearfar_custom_op*
      custom; /**< instead of op; NULL: none. It and its identity live until the call is finished. */
  int count;  /**< of arrays in x and values, whichever the kind needs */
  const nearfar_irregular_array *x, *values; /**< `count` of each; NULL where the kind does not use it */
} nearfar_irregular_call;

/** Start and finish. Collective over the team. */
NEARFAR_API nearfar_status nearfar_irregular_plan_run(nearfar_irregular_plan* plan, const nearfar_irregular_call* call);
/** Until nearfar_irregular_plan_finish() the arrays must not be touched, and no other call of this plan be made. */
NEARFAR_API nearfar_status nearfar_irregular_plan_start(nearfar_irregular_plan* plan,
                                                        const nearfar_irregular_call* call);
NEARFAR_API nearfar_status nearfar_irregular_plan_test(nearfar_irregular_plan* plan,
                                                       int* done); /**< done: finish would not wait */
/** Waits until all arrays are the caller's again. */
NEARFAR_API nearfar_status nearfar_irregular_plan_finish(nearfar_irregular_plan* plan);

#ifdef __cplusplus
}
#endif
#endif
