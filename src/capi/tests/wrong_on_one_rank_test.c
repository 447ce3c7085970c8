// SPDX-License-Identifier: BSD-3-Clause
// Makers of objects whose arguments are wrong on the last rank: the same error on all ranks, and things go on. The
// calls are written from the headers (wrong_arguments.py); here are the right arguments, by the names that parameters
// have.
#include <nearfar/nearfar.h>
#include <stdlib.h>
#include <unistd.h>

#include "checks.h"

enum { MOST = 16 };

static int rank, ranks, is_guilty;
static nearfar_team* team;

/* ---- what comes of a call ---- */

static int is_same_message(void) {
  char first[4096] = "";
  strncpy(first, nearfar_last_error(), sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, verdicts);
  return strncmp(first, nearfar_last_error(), sizeof first - 1) == 0;
}

static void check_wrong(const char* function, const char* argument, nearfar_status status, int is_null) {
  char what[200];
  snprintf(what, sizeof what, "%s with a wrong '%s' on one rank gave %d", function, argument, (int)status);
  check_at(__LINE__, status == NEARFAR_USAGE_ERROR, what);
  snprintf(what, sizeof what, "%s with a wrong '%s' on one rank: the same words, and no object", function, argument);
  check_at(__LINE__, is_same_message() && is_null, what);
  snprintf(what, sizeof what, "things go on after %s with a wrong '%s' on one rank", function, argument);
  check_at(__LINE__, nearfar_barrier(team) == NEARFAR_OK, what);
}

#define RIGHT(function, call, free)                \
  check_at(__LINE__, (call) == NEARFAR_OK, #call); \
  check_at(__LINE__, (free) == NEARFAR_OK, #free)
#define WRONG_HERE(function, argument, call, made)                          \
  do {                                                                      \
    const nearfar_status status = (call);                                   \
    check_wrong(function, argument, status, status == NEARFAR_OK || !made); \
  } while (0)

/* ---- right arguments ---- */

static const int dimensions = 2, components = 1, cut_axis = 0, whole_axis = 1, threads = 2;
static const int periodic[2] = {0, 0};
static const int64_t count = 4, send_count = 4, receive_count = 4, bytes = 100, elements = 10, own_elements = 3;
static const int64_t first_elements = 2, block_elements = 2, reference_count = 3, owned_count = 2;
static const int64_t physical_count = 1, spectral_count = 1, in_count = 1, out_count = 1;
static const size_t element_bytes = 8;
static const nearfar_element_type precision = NEARFAR_ELEMENT_FLOAT64;
static int64_t extents[2], lower[2], upper[2], indices[3], owned[2], counts[MOST], displs[MOST], byte_displs[MOST];
static int32_t indices_i32[3];
static int process_grid[2], root;
static nearfar_box own;
static const int64_t *const send_counts = counts, *const send_displs = displs, *const receive_counts = counts,
                            *const receive_displs = displs;
static MPI_Datatype types[MOST], type, send_type, receive_type;
static const MPI_Datatype *const send_types = types, *const receive_types = types;
static MPI_Op op;
static double in[64 * MOST], out[64 * MOST], data[64 * MOST];
static const void* in_list[1];
static void *out_list[1], *physical_list[1], *spectral_list[1];
static int64_t lengths[1];
static nearfar_call the_call;
static const nearfar_call* const call = &the_call;
static char path[64];
static nearfar_output_array arrays[1];

static nearfar_grid* grid;
static nearfar_field *fields[2], *broken_fields[2];
static nearfar_distribution* distribution;
static nearfar_irregular_plan* irregular_plan;
static nearfar_decomposition *rows, *columns;
static nearfar_transpose_side sides[2];
static const nearfar_transpose_side *const from = &sides[0], *const to = &sides[1];
static nearfar_fft_shape the_shape;
static const nearfar_fft_shape* const shape = &the_shape;
static nearfar_fft_layout* layout;

static const size_t odd_size = 3; /* what options begin with */
static const nearfar_plan_options good_nearfar_plan_options = {.size = sizeof(nearfar_plan_options),
                                                               .budget_s = NEARFAR_NO_TUNING};
static const nearfar_team_options good_nearfar_team_options = {.size = sizeof(nearfar_team_options)};
static const nearfar_halo_options good_nearfar_halo_options = {.size = sizeof(nearfar_halo_options),
                                                               .budget_s = NEARFAR_NO_TUNING};
static const nearfar_grid_options good_nearfar_grid_options = {.size = sizeof(nearfar_grid_options)};
static const nearfar_field_options good_nearfar_field_options = {.size = sizeof(nearfar_field_options)};
static const nearfar_irregular_options good_nearfar_irregular_options = {.size = sizeof(nearfar_irregular_options),
                                                                         .budget_s = NEARFAR_NO_TUNING};
static const nearfar_transpose_options good_nearfar_transpose_options = {.size = sizeof(nearfar_transpose_options),
                                                                         .budget_s = NEARFAR_NO_TUNING};
static const nearfar_fft_layout_options good_nearfar_fft_layout_options = {.size = sizeof(nearfar_fft_layout_options)};
static const nearfar_fft_options good_nearfar_fft_options = {.size = sizeof(nearfar_fft_options),
                                                             .budget_s = NEARFAR_NO_TUNING};
static const nearfar_output_writers_options good_nearfar_output_writers_options = {
    .size = sizeof(nearfar_output_writers_options)};
static const nearfar_output_options good_nearfar_output_options = {.size = sizeof(nearfar_output_options)};
static const nearfar_output_reader_options good_nearfar_output_reader_options = {
    .size = sizeof(nearfar_output_reader_options)};

/* Elements 0, 1, 2 … are the ranks' in turn. */
static int locate(void* context, int64_t n, const int64_t* wanted, int* owners, int64_t* offsets) {
  (void)context;
  for (int64_t i = 0; i < n; ++i) owners[i] = (int)(wanted[i] % ranks), offsets[i] = wanted[i] / ranks;
  return 0;
}
static int globals(void* context, int of, int64_t n, const int64_t* offsets, int64_t* found) {
  (void)context;
  for (int64_t i = 0; i < n; ++i) found[i] = offsets[i] * ranks + of;
  return 0;
}
static nearfar_distribution_rule the_rule;
static const nearfar_distribution_rule* const rule = &the_rule;

static void set_numbers(void) {
  is_guilty = rank == ranks - 1;
  root = ranks - 1; /* where both sides matter */
  extents[0] = 4 * ranks, extents[1] = 6;
  lower[0] = 4 * rank, lower[1] = 0, upper[0] = lower[0] + 4, upper[1] = 6;
  own = (nearfar_box){{lower[0], lower[1]}, {upper[0], upper[1]}};
  process_grid[0] = ranks, process_grid[1] = 1;
  for (int i = 0; i < 3; ++i) indices[i] = indices_i32[i] = 3 * i;
  for (int i = 0; i < 2; ++i) owned[i] = 2 * rank + i;
  for (int r = 0; r < ranks; ++r) counts[r] = 4, displs[r] = 4 * r, byte_displs[r] = 32 * r, types[r] = MPI_DOUBLE;
  type = send_type = receive_type = MPI_DOUBLE, op = MPI_SUM;
  in_list[0] = in, physical_list[0] = in, out_list[0] = spectral_list[0] = out, lengths[0] = 64 * MOST;
  the_call = (nearfar_call){.kind = 1, .root = root, .op = MPI_OP_NULL, .send = {.type = MPI_DATATYPE_NULL}};
  the_call.receive = (nearfar_side){.data = data, .count = 4, .capacity = -1, .scale = 1, .type = MPI_DOUBLE};
  the_rule =
      (nearfar_distribution_rule){.elements = 4 * ranks, .own_elements = 4, .locate = locate, .globals = globals};
  arrays[0] = (nearfar_output_array){
      .name = "p", .type = NEARFAR_ELEMENT_FLOAT64, .dimensions = 2, .extents = extents, .own = own};
}

/* A stream with a step, for its readers. */
static void write_stream(void) {
  int id = getpid();
  nearfar_output* stream = NULL;
  MPI_Bcast(&id, 1, MPI_INT, 0, verdicts);
  snprintf(path, sizeof path, "wrong_on_one_rank.%d.%d", id, ranks);
  OK(nearfar_output_create(team, path, 1, arrays, NULL, &stream));
  OK(nearfar_output_begin_step(stream, 0.0, NULL));
  OK(nearfar_output_put(stream, "p", data));
  OK(nearfar_output_end_step(stream));
  OK(nearfar_output_free(&stream));
}

static void make_objects(void) {
  OK(nearfar_grid_create(team, dimensions, extents, NULL, &grid));
  for (int f = 0; f < 2; ++f)
    OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1),
                            &fields[f]));
  broken_fields[0] = fields[0], broken_fields[1] = NULL;
  OK(nearfar_distribution_block(team, elements, &distribution));
  OK(nearfar_irregular_plan_create(distribution, reference_count, indices, &good_nearfar_irregular_options,
                                   &irregular_plan));
  OK(nearfar_decomposition_slab(team, dimensions, extents, 0, &rows));
  OK(nearfar_decomposition_slab(team, dimensions, extents, 1, &columns));
  sides[0] = (nearfar_transpose_side){.parts = rows}, sides[1] = (nearfar_transpose_side){.parts = columns};
  the_shape = (nearfar_fft_shape){.dimensions = dimensions, .extents = extents};
  OK(nearfar_fft_layout_create(team, shape, NULL, &layout));
  write_stream();
}

static void remove_stream(void) {
  char command[200];
  MPI_Barrier(verdicts);
  snprintf(command, sizeof command, "rm -rf %s %s.*", path, path);
  if (rank == 0 && system(command) != 0) fputs("the test's files are left\n", stderr);
}

#include "one_rank_calls.inc"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    set_numbers();
    make_objects();
    for (size_t i = 0; i < sizeof all_makers / sizeof *all_makers; ++i) all_makers[i]();
    remove_stream();
  }
  return end_checks();
}
