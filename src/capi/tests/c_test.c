// SPDX-License-Identifier: BSD-3-Clause
// Every call of the C interface from C, right and wrong; verdicts are collective.
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"

enum { nx = 5, rows = 4 };
static int world_rank, world_size;
static nearfar_team* team;
static nearfar_grid* grid; /* rows * ranks by nx, periodic, cut along the first dimension */
static const nearfar_halo_options quick = {.size = sizeof(nearfar_halo_options), .budget_s = 0.01};

/* ---- Numbered cells: each own cell holds its place in the whole grid ---- */

static double number(int64_t i, int64_t j) {
  const int64_t height = (int64_t)rows * world_size;
  return (double)(1000 * ((i + height) % height) + (j + nx) % nx + 1);
}

static double* cell(const nearfar_field* field, int64_t i, int64_t j) {
  const int64_t *lower = nearfar_field_lower(field), *strides = nearfar_field_strides(field);
  return (double*)((char*)nearfar_field_data(field) + (i - lower[0]) * strides[0] + (j - lower[1]) * strides[1]);
}

static void number_own_cells(const nearfar_field* field) {
  const int64_t *lower = nearfar_field_lower(field), *extents = nearfar_field_extents(field);
  for (int64_t i = lower[0]; i < lower[0] + extents[0]; ++i)
    for (int64_t j = lower[1]; j < lower[1] + extents[1]; ++j) *cell(field, i, j) = -1;
  for (int64_t i = nearfar_grid_lower(grid)[0]; i < nearfar_grid_upper(grid)[0]; ++i)
    for (int64_t j = 0; j < nx; ++j) *cell(field, i, j) = number(i, j);
}

static int wrong_cells(const nearfar_field* field) {
  const int64_t *lower = nearfar_field_lower(field), *extents = nearfar_field_extents(field);
  int wrong = 0;
  for (int64_t i = lower[0]; i < lower[0] + extents[0]; ++i)
    for (int64_t j = lower[1]; j < lower[1] + extents[1]; ++j)
      if (*cell(field, i, j) != number(i, j)) ++wrong;
  return wrong;
}

/* ---- Teams and grids ---- */

static void test_team(void) {
  nearfar_team* other;
  CHECK(nearfar_team_rank(team) == world_rank && nearfar_team_size(team) == world_size);
  CHECK(nearfar_team_node(team) < nearfar_team_nodes(team));
  CHECK(nearfar_team_near_rank(team) < nearfar_team_near_size(team));
  CHECK(strlen(nearfar_team_describe(team)) > 0);
  OK(nearfar_team_create(everyone, &NEARFAR_OPTIONS(nearfar_team_options, .node_size = 1), &other));
  CHECK(nearfar_team_nodes(other) == world_size && nearfar_team_near_size(other) == 1);
  OK(nearfar_team_free(&other));
  CHECK(other == NULL && nearfar_team_rank(other) == -1 && nearfar_team_describe(other) == NULL);
  OK(nearfar_team_free(&other));
  WRONG(nearfar_team_create(everyone, &NEARFAR_OPTIONS(nearfar_team_options, .node_size = -3), &other), "-3");
  WRONG(nearfar_team_create(MPI_COMM_NULL, NULL, &other), "");
  WRONG(nearfar_team_create(everyone, NULL, NULL), "'team', is NULL");
  OK(nearfar_team_create_fint(MPI_Comm_c2f(everyone), NULL, &other));
  OK(nearfar_team_free(&other));
}

static void test_grid(void) {
  nearfar_grid* other;
  const int64_t height = (int64_t)rows * world_size;
  CHECK(nearfar_grid_dimensions(grid) == 2 && nearfar_grid_extents(grid)[0] == height);
  CHECK(nearfar_grid_lower(grid)[0] == rows * world_rank && nearfar_grid_lower(grid)[1] == 0);
  CHECK(nearfar_grid_upper(grid)[0] == rows * (world_rank + 1) && nearfar_grid_upper(grid)[1] == nx);
  CHECK(strlen(nearfar_grid_describe(grid)) > 0 && nearfar_grid_team(grid) == team);

  OK(nearfar_grid_create(team, 3, (int64_t[]){4, 8, 8},
                         &NEARFAR_OPTIONS(nearfar_grid_options, .periodic = (int[]){0, 1, 1}), &other));
  CHECK(nearfar_grid_dimensions(other) == 3);
  OK(nearfar_grid_free(&other));
  CHECK(other == NULL && nearfar_grid_lower(other) == NULL && nearfar_grid_dimensions(other) == -1);

  const int64_t sizes[] = {3, 2, 2, 2, 2, 2};
  const nearfar_grid_options uneven = {.size = sizeof(nearfar_grid_options),
                                       .process_grid = (int[]){0, 1},
                                       .tile_extents = (const int64_t*[]){sizes, NULL},
                                       .tile_counts = (int[]){world_size, 0},
                                       .placement = NEARFAR_PLACEMENT_RANK_ORDER};
  OK(nearfar_grid_create(team, 2, (int64_t[]){2 * world_size + 1, 4}, &uneven, &other));
  CHECK(nearfar_grid_upper(other)[0] - nearfar_grid_lower(other)[0] == (world_rank == 0 ? 3 : 2));
  OK(nearfar_grid_free(&other));

  const int64_t mine = world_size - 1 - world_rank; /* tiles in reverse order of ranks */
  OK(nearfar_grid_from_tiles(team, 1, &height, (int64_t[]){mine * rows}, (int64_t[]){(mine + 1) * rows}, NULL, &other));
  CHECK(nearfar_grid_lower(other)[0] == mine * rows);
  OK(nearfar_grid_free(&other));
}

static void test_bad_grids(void) {
  nearfar_grid* other;
  WRONG(nearfar_grid_create(NULL, 1, (int64_t[]){4}, NULL, &other), "team is NULL");
  WRONG(nearfar_grid_create(team, 5, (int64_t[]){4, 4, 4, 4, 4}, NULL, &other), "not 5");
  WRONG(nearfar_grid_create(team, 2, (int64_t[]){64, -4}, NULL, &other), "-4");
  CHECK(other == NULL);
  /* wrong on one rank alone: an error on all */
  WRONG(nearfar_grid_create(team, 1, world_rank == world_size - 1 ? NULL : (int64_t[]){64}, NULL, &other), "NULL");
  WRONG(nearfar_grid_create(team, 1, (int64_t[]){64}, NULL, NULL), "'grid', is NULL");
  const nearfar_grid_options lost = {.size = sizeof(nearfar_grid_options),
                                     .tile_extents = (const int64_t*[]){(int64_t[]){64}}};
  WRONG(nearfar_grid_create(team, 1, (int64_t[]){64}, &lost, &other), "tile_counts");
  const nearfar_grid_options odd = {.size = sizeof(nearfar_grid_options), .placement = 9};
  WRONG(nearfar_grid_create(team, 1, (int64_t[]){64}, &odd, &other), "placement 9");
  WRONG(nearfar_grid_from_tiles(team, 1, (int64_t[]){64}, NULL, NULL, NULL, &other), "bounds");
}

/* ---- Fields ---- */

static void test_field_types(void) {
  nearfar_field* field;
  static const size_t bytes[] = {1, 2, 4, 8, 4, 8, 8, 16};
  for (int type = NEARFAR_ELEMENT_INT8; type <= NEARFAR_ELEMENT_COMPLEX128; ++type) {
    OK(nearfar_field_create(grid, (nearfar_element_type)type, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1),
                            &field));
    CHECK(nearfar_field_element_bytes(field) == bytes[type - NEARFAR_ELEMENT_INT8]);
    CHECK((nearfar_field_data_i32(field) != NULL) == (type == NEARFAR_ELEMENT_INT32));
    CHECK((nearfar_field_data_i64(field) != NULL) == (type == NEARFAR_ELEMENT_INT64));
    CHECK((nearfar_field_data_f32(field) != NULL) == (type == NEARFAR_ELEMENT_FLOAT32));
    CHECK((nearfar_field_data_f64(field) != NULL) == (type == NEARFAR_ELEMENT_FLOAT64));
    OK(nearfar_field_free(&field));
  }
  CHECK(field == NULL && nearfar_field_data(field) == NULL && nearfar_field_lower(field) == NULL);
}

static void test_field_shape(void) {
  nearfar_field *field, *found;
  const nearfar_field_options options = {.size = sizeof(nearfar_field_options),
                                         .ghosts = (const int[][2]){{1, 2}, {0, 3}},
                                         .memory_order = (int[]){1, 0},
                                         .element_bytes = 8};
  OK(nearfar_field_create(grid, 0, &options, &field));
  CHECK(nearfar_field_lower(field)[0] == rows * world_rank - 1 && nearfar_field_lower(field)[1] == 0);
  CHECK(nearfar_field_extents(field)[0] == rows + 3 && nearfar_field_extents(field)[1] == nx + 3);
  CHECK(nearfar_field_strides(field)[0] == 8 && nearfar_field_strides(field)[1] == 8 * (rows + 3));
  CHECK(nearfar_field_data_f64(field) != NULL && nearfar_field_data_f32(field) == NULL);
  CHECK(nearfar_field_grid(field) == grid);
  OK(nearfar_team_find_field(team, nearfar_field_data(field), &found));
  CHECK(found == field);
  WRONG(nearfar_team_find_field(team, &found, &found), "no field");
  OK(nearfar_field_free(&field));
}

static int64_t cells_in(const nearfar_box* boxes, int count) {
  int64_t cells = 0;
  for (int b = 0; b < count; ++b)
    cells += (boxes[b].upper[0] - boxes[b].lower[0]) * (boxes[b].upper[1] - boxes[b].lower[1]);
  return cells;
}

static void test_core_and_edge(void) {
  nearfar_field* field;
  nearfar_box boxes[NEARFAR_MAX_BOXES];
  int count = -1;
  OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1), &field));
  OK(nearfar_field_core(field, boxes, &count));
  CHECK(count == 1 && cells_in(boxes, count) == (rows - 2) * (nx - 2));
  CHECK(boxes[0].lower[0] == rows * world_rank + 1 && boxes[0].upper[1] == nx - 1);
  OK(nearfar_field_edge(field, boxes, &count));
  CHECK(cells_in(boxes, count) == rows * nx - (rows - 2) * (nx - 2));
  WRONG(nearfar_field_core(field, NULL, &count), "'boxes', is NULL");
  OK(nearfar_field_free(&field));
}

static void test_bad_fields(void) {
  nearfar_field* field;
  WRONG(nearfar_field_create(NULL, NEARFAR_ELEMENT_INT8, NULL, &field), "grid is NULL");
  WRONG(nearfar_field_create(grid, (nearfar_element_type)77, NULL, &field), "type 77");
  WRONG(nearfar_field_create(grid, NEARFAR_ELEMENT_INT8,
                             &NEARFAR_OPTIONS(nearfar_field_options, .width = world_rank == 0 ? -6 : 1), &field),
        "-6");
  WRONG(nearfar_field_create(grid, 0, NULL, &field), "0");
  const nearfar_field_options narrow = {.size = sizeof(nearfar_field_options), .element_bytes = 4};
  WRONG(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &narrow, &field), "element_bytes is 4");
  const nearfar_field_options twice = {.size = sizeof(nearfar_field_options), .memory_order = (int[]){1, 1}};
  WRONG(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &twice, &field), "1");
  CHECK(field == NULL);
}

/* ---- Halo plans ---- */

static void test_fields_together(void) {
  nearfar_field* fields[3];
  nearfar_halo_plan* halo;
  int done = -1;
  for (int f = 0; f < 3; ++f) {
    OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = f),
                            &fields[f]));
    number_own_cells(fields[f]);
  }
  OK(nearfar_halo_plan_create(3, fields, NULL, &halo));
  OK(nearfar_halo_plan_start(halo));
  OK(nearfar_halo_plan_test(halo, &done));
  CHECK(done == 0 || done == 1);
  WRONG(nearfar_halo_plan_test(halo, NULL), "'done', is NULL");
  OK(nearfar_halo_plan_finish(halo));
  CHECK(wrong_cells(fields[1]) == 0 && wrong_cells(fields[2]) == 0);
  CHECK(strlen(nearfar_halo_plan_method(halo)) > 0 && strlen(nearfar_halo_plan_describe(halo)) > 0);
  CHECK(strncmp(nearfar_halo_plan_describe_json(halo), "{\"plan\":\"halo\",", 15) == 0);
  CHECK(nearfar_halo_plan_tuned_seconds(halo) >= 0);
  nearfar_field* others[3];
  void* places[3];
  for (int f = 0; f < 3; ++f) {
    OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = f),
                            &others[f]));
    number_own_cells(others[f]);
    places[f] = nearfar_field_data(others[f]);
  }
  WRONG(nearfar_halo_plan_run_on(halo, 2, places), "3 parts, not 2");
  WRONG(nearfar_halo_plan_run_on(halo, 3, NULL), "NULL");
  OK(nearfar_halo_plan_run_on(halo, 3, places));
  CHECK(wrong_cells(others[1]) == 0 && wrong_cells(others[2]) == 0);
  for (int f = 0; f < 3; ++f) OK(nearfar_field_free(&others[f]));
  for (int f = 0; f < 3; ++f) OK(nearfar_field_free(&fields[f]));
  OK(nearfar_halo_plan_run(halo)); /* a plan keeps the memory of its fields */
  OK(nearfar_halo_plan_free(&halo));
  CHECK(halo == NULL && nearfar_halo_plan_describe(halo) == NULL && nearfar_halo_plan_method(halo) == NULL);
}

static void test_one_side(void) {
  nearfar_field* field;
  nearfar_halo_plan* halo;
  const int64_t first = rows * world_rank;
  nearfar_halo_options options = quick;
  options.name = "one-side";
  options.method = "isend";
  options.stencil = NEARFAR_STENCIL_STAR;
  OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 2), &field));
  number_own_cells(field);
  OK(nearfar_halo_plan_begin(team, &options, &halo));
  OK(nearfar_halo_plan_add_field(halo, field, (const int[][2]){{1, 0}, {0, 0}}));
  OK(nearfar_halo_plan_commit(halo));
  OK(nearfar_halo_plan_run(halo));
  CHECK(*cell(field, first - 1, 0) == number(first - 1, 0));
  CHECK(*cell(field, first - 2, 0) == -1 && *cell(field, first + rows, 0) == -1 && *cell(field, first, -1) == -1);
  CHECK(strstr(nearfar_halo_plan_method(halo), "isend") && strstr(nearfar_halo_plan_describe(halo), "one-side"));
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_field_free(&field));
}

static void test_own_array(void) {
  nearfar_halo_plan* halo;
  float memory[rows + 2][nx + 2][2]; /* every other element: the second ones are not the field's */
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < nx + 2; ++j) {
      memory[i][j][0] = i >= 1 && i <= rows && j >= 1 && j <= nx ? 7 : 0;
      memory[i][j][1] = 9;
    }
  const nearfar_array array = {memory, sizeof(float), (int64_t[]){rows + 2, nx + 2},
                               (int64_t[]){sizeof memory[0], sizeof memory[0][0]}};
  const int ghosts[][2] = {{1, 1}, {1, 1}};
  OK(nearfar_halo_plan_begin(team, &quick, &halo));
  OK(nearfar_halo_plan_add_array(halo, grid, &array, ghosts, NULL));
  OK(nearfar_halo_plan_commit(halo));
  OK(nearfar_halo_plan_run(halo));
  int right = 1;
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < nx + 2; ++j) right = right && memory[i][j][0] == 7 && memory[i][j][1] == 9;
  CHECK(right);
  OK(nearfar_halo_plan_free(&halo));
}

/* What add finds wrong, on one rank even, is what commit returns on all. */
static void test_bad_parts(void) {
  nearfar_halo_plan* halo;
  nearfar_field* field;
  float memory[4] = {0};
  const int none[][2] = {{0, 0}, {0, 0}};
  const nearfar_array small = {memory, sizeof(float), (int64_t[]){2, 2}, NULL};
  OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1), &field));
  OK(nearfar_halo_plan_begin(team, NULL, &halo));
  OK(nearfar_halo_plan_add_field(halo, field, NULL));
  OK(nearfar_halo_plan_add_array(halo, grid, &small, world_rank == 0 ? NULL : none, NULL));
  WRONG(nearfar_halo_plan_commit(halo), "part 1: the array's ghost widths are NULL");
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_halo_plan_begin(team, NULL, &halo));
  OK(nearfar_halo_plan_add_array(halo, grid, &small, none, NULL));
  WRONG(nearfar_halo_plan_commit(halo), "4"); /* the tile has rows = 4 rows */
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_halo_plan_begin(team, &NEARFAR_OPTIONS(nearfar_halo_options, .stencil = (nearfar_stencil)5), &halo));
  OK(nearfar_halo_plan_add_field(halo, field, NULL));
  WRONG(nearfar_halo_plan_commit(halo), "stencil 5");
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_halo_plan_begin(team, NULL, &halo));
  if (world_rank == world_size - 1) failures += nearfar_halo_plan_refuse(halo, "not today") != NEARFAR_OK;
  WRONG(nearfar_halo_plan_commit(halo), "not today");
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_halo_plan_begin(team, NULL, &halo));
  if (world_rank != world_size - 1) failures += nearfar_halo_plan_add_field(halo, field, NULL) != NEARFAR_OK;
  WRONG(nearfar_halo_plan_commit(halo), "has no parts on some rank");
  OK(nearfar_halo_plan_free(&halo));
  WRONG(nearfar_halo_plan_create(0, &field, NULL, &halo), "not 0");
  WRONG(nearfar_halo_plan_create(1, (nearfar_field*[]){NULL}, NULL, &halo), "field is NULL");
  OK(nearfar_field_free(&field));
}

/* Options of a later version: what it adds may be left alone, and nothing else. */
static void test_later_options(void) {
  nearfar_halo_plan* halo;
  struct {
    nearfar_halo_options known;
    int64_t added;
  } later = {.known = {.size = sizeof later}};
  OK(nearfar_halo_plan_begin(team, &later.known, &halo));
  OK(nearfar_halo_plan_free(&halo));
  later.added = 1;
  OK(nearfar_halo_plan_begin(team, &later.known, &halo));
  WRONG(nearfar_halo_plan_commit(halo), "say more than this version");
  OK(nearfar_halo_plan_free(&halo));
}

static void test_bad_order(void) {
  nearfar_halo_plan* halo = NULL;
  nearfar_field* field;
  WRONG(nearfar_halo_plan_start(halo), "NULL");
  WRONG(nearfar_halo_plan_commit(halo), "nearfar_halo_plan_begin");
  OK(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1), &field));
  OK(nearfar_halo_plan_begin(team, &quick, &halo));
  WRONG(nearfar_halo_plan_start(halo), "not committed");
  OK(nearfar_halo_plan_add_field(halo, field, NULL));
  OK(nearfar_halo_plan_commit(halo));
  WRONG(nearfar_halo_plan_commit(halo), "is committed");
  WRONG(nearfar_halo_plan_add_field(halo, field, NULL), "is committed");
  OK(nearfar_halo_plan_start(halo));
  WRONG(nearfar_halo_plan_start(halo), "");
  OK(nearfar_halo_plan_finish(halo));
  WRONG(nearfar_halo_plan_finish(halo), "");
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_field_free(&field));
}

static void test_methods(void) {
  int count = 0, found = 0;
  const nearfar_method_info* methods = nearfar_methods("halo", &count);
  for (int m = 0; m < count; ++m)
    if (strcmp(methods[m].name, "isend") == 0) found = methods[m].near && methods[m].far && methods[m].description[0];
  CHECK(found);
  CHECK(nearfar_methods("telepathy", &count) == NULL && strstr(nearfar_last_error(), "telepathy"));
}

static void test_agree(void) {
  OK(nearfar_agree(team, NULL));
  OK(nearfar_agree(team, ""));
  WRONG(nearfar_agree(team, world_rank == world_size - 1 ? "the last one says no" : ""), "the last one says no");
}

/* Freeing the team empties the handles of what was made from it; they are errors then, and can be freed. */
static void test_free_everything(void) {
  nearfar_team* short_lived;
  nearfar_grid* cells;
  nearfar_field *kept, *dropped;
  nearfar_halo_plan* halo;
  OK(nearfar_team_create(everyone, NULL, &short_lived));
  OK(nearfar_grid_create(short_lived, 1, (int64_t[]){4 * world_size}, NULL, &cells));
  OK(nearfar_field_create(cells, NEARFAR_ELEMENT_FLOAT32, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1), &kept));
  OK(nearfar_field_create(cells, NEARFAR_ELEMENT_FLOAT32, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1),
                          &dropped));
  OK(nearfar_halo_plan_create(1, &kept, NULL, &halo));
  OK(nearfar_grid_free(&cells));
  CHECK(nearfar_field_data(dropped) == NULL && strstr(nearfar_last_error(), "freed with its grid"));
  OK(nearfar_halo_plan_run(halo));
  OK(nearfar_team_free(&short_lived));
  WRONG(nearfar_halo_plan_start(halo), "freed with its team");
  OK(nearfar_halo_plan_free(&halo));
  OK(nearfar_field_free(&kept));
  OK(nearfar_field_free(&dropped));
}

static int abort_by_try(void) {
  nearfar_grid* other;
  NEARFAR_TRY(nearfar_grid_create(team, 1, (int64_t[]){-4}, NULL, &other));
  return 0;
}

static void run_all(void) {
  const nearfar_grid_options options = {
      .size = sizeof(nearfar_grid_options), .periodic = (int[]){1, 1}, .process_grid = (int[]){0, 1}};
  static int has_run;
  CHECK(has_run || strcmp(nearfar_last_error(), "") == 0);
  has_run = 1;
  OK(nearfar_grid_create(team, 2, (int64_t[]){(int64_t)rows * world_size, nx}, &options, &grid));
  test_team();
  test_grid();
  test_bad_grids();
  test_field_types();
  test_field_shape();
  test_core_and_edge();
  test_bad_fields();
  test_fields_together();
  test_one_side();
  test_own_array();
  test_bad_parts();
  test_later_options();
  test_bad_order();
  test_methods();
  test_agree();
  test_free_everything();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &world_rank, &world_size)) {
    if (argc > 1) return abort_by_try();
    run_all();
  }
  return end_checks();
}
