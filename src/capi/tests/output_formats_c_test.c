// SPDX-License-Identifier: BSD-3-Clause
// Output from C in the formats that other programs read: axes, attributes, names, compression, parts and extents that
// vary, read back by the readers that are not ours which the C++ side is tested with too. Verdicts are collective.
#include <nearfar/nearfar.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

enum { nz = 13, ny = 17, nx = 29, not_installed = 77, most_cells = 3000 };

static int rank, ranks;
static nearfar_team* team;
static char path[200];

static int has_format(const char* name) {
  int count = 0;
  const nearfar_output_format* list = nearfar_output_formats(&count);
  for (int i = 0; i < count; ++i)
    if (strcmp(list[i].name, name) == 0) return 1;
  return 0;
}

/* By the root, after all have written; others wait. */
static void read_back(const char* reader, const char* what) {
  const char* python = getenv("NEARFAR_READER_PYTHON");
  char command[1000];
  int code = 0;
  MPI_Barrier(verdicts);
  if (rank == 0) {
    snprintf(command, sizeof command, "%s %s/%s", python ? python : NEARFAR_READER_PYTHON, NEARFAR_READERS, reader);
    snprintf(command + strlen(command), sizeof command - strlen(command), " %s", what);
    const int status = system(command);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == not_installed) printf("not read back by all of %s, since not all is installed\n", what);
    if (code != 0 && code != not_installed) fprintf(stderr, "%s\n", command);
  }
  CHECK(code == 0 || code == not_installed);
}

/* ---- p and q, whose elements are numbered as read_back.py knows ---- */

static const int64_t extents[3] = {nz, ny, nx};
static const nearfar_output_attribute of_p[] = {{"units", "Pa"}, {"standard_name", "air_pressure"}, {"level", "2.5"}};
static const nearfar_output_attribute of_all[] = {{"Conventions", "CF-1.8"}, {"title", "numbers"}};
static const nearfar_output_attribute of_time[] = {{"units", "seconds since 2000-01-01"}};
static const nearfar_output_attribute of_height[] = {{"units", "m"}, {"axis", "Z"}};

/* Slabs of equal thickness, the last excepted, as compressed parts must be. */
static nearfar_box slab(void) {
  const int64_t planes = (nz + ranks - 1) / ranks, first = planes * rank, end = first + planes;
  const nearfar_box own = {{first < nz ? first : nz, 0, 0}, {end < nz ? end : nz, ny, nx}};
  return own;
}

static double number(int64_t step, int which, int64_t place) { return (double)((step * 8 + which) * 1000000 + place); }

static void put_numbers(nearfar_output* stream, int64_t step) {
  const nearfar_box own = slab();
  const int64_t first = own.lower[0] * ny * nx, count = (own.upper[0] - own.lower[0]) * ny * nx;
  float* p = malloc((size_t)(count + 1) * sizeof(float));
  double* q = malloc((size_t)(count + 1) * sizeof(double));
  for (int64_t i = 0; i < count; ++i) p[i] = (float)number(step, 0, first + i), q[i] = number(step, 1, first + i);
  OK(nearfar_output_begin_step(stream, 0.25 * (double)step, NULL));
  OK(nearfar_output_put(stream, "p", p));
  OK(nearfar_output_put(stream, "q", q));
  OK(nearfar_output_end_step(stream));
  free(p), free(q);
}

/* 0: the build has no such compression. */
static int write_numbers(nearfar_output_options options, const char* compression_of_p, int64_t steps) {
  static const char* const names[3] = {"z", "y", "x"};
  double heights[nz];
  for (int z = 0; z < nz; ++z) heights[z] = 0.5 * z;
  const nearfar_output_axis axes[2] = {{"time", 0, NULL, 1, of_time}, {"z", nz, heights, 2, of_height}};
  nearfar_output_array arrays[2] = {
      {.name = "p", .type = NEARFAR_ELEMENT_FLOAT32, .dimensions = 3, .extents = extents, .own = slab()},
      {.name = "q", .type = NEARFAR_ELEMENT_FLOAT64, .dimensions = 3, .extents = extents, .own = slab()}};
  nearfar_output* stream = NULL;
  arrays[0].attribute_count = 3, arrays[0].attributes = of_p;
  arrays[0].dimension_names = names, arrays[0].compression = compression_of_p;
  options.attribute_count = 2, options.attributes = of_all;
  options.axis_count = 2, options.axes = axes;
  const nearfar_status status = nearfar_output_create(team, path, 2, arrays, &options, &stream);
  if (status != NEARFAR_OK && options.compression && strstr(nearfar_last_error(), "is not in this build")) return 0;
  CHECK(status == NEARFAR_OK);
  for (int64_t s = nearfar_output_steps(stream); s < steps; ++s) put_numbers(stream, s);
  OK(nearfar_output_close(stream));
  OK(nearfar_output_free(&stream));
  return 1;
}

static void test_axes_and_attributes(void) {
  char what[400];
  if (!has_format("netcdf")) return;
  write_numbers(NEARFAR_OPTIONS(nearfar_output_options, .format = "netcdf", .expected_steps = 3), NULL, 3);
  snprintf(what, sizeof what, "netCDF4 %s.nc 3 p:f4:13x17x29 q:f8:13x17x29", path);
  read_back("read_back.py", what);
}

static void test_compression(void) {
  const nearfar_output_options zarr = {
      .size = sizeof(nearfar_output_options), .format = "zarr", .compression = "zstd:3"};
  char what[400], header[240];
  for (int is_lossy = 0; is_lossy < 2; ++is_lossy) {
    if (!write_numbers(zarr, is_lossy ? "zfp:1e-4" : NULL, 3)) continue;
    snprintf(header, sizeof header, "%s.zarr/p/zarr.json", path);
    CHECK(file_has(header, is_lossy ? "zfpy" : "\"zstd\""));
    /* Of numbers up to 17 million a ten thousandth. */
    snprintf(what, sizeof what, "json,zarr %s.zarr 3 p:f4:13x17x29:%d q:f8:13x17x29", path, is_lossy ? 1700 : 0);
    read_back("read_back.py", what);
  }
}

static void test_append_before(void) {
  const double before = 0.5;
  const nearfar_output_options again = {.size = sizeof(nearfar_output_options),
                                        .format = "zarr",
                                        .opening = NEARFAR_OUTPUT_OPENING_APPEND,
                                        .append_before = &before};
  const nearfar_output_array q = {
      .name = "q", .type = NEARFAR_ELEMENT_FLOAT64, .dimensions = 3, .extents = extents, .own = slab()};
  nearfar_output* stream = NULL;
  OK(nearfar_output_create(team, path, 1, &q, &NEARFAR_OPTIONS(nearfar_output_options, .format = "zarr"), &stream));
  for (int s = 0; s < 4; ++s) {
    nearfar_output_slot slot;
    OK(nearfar_output_begin_step(stream, 0.25 * s, NULL));
    OK(nearfar_output_slot_of(stream, "q", &slot));
    OK(nearfar_output_end_step(stream));
  }
  OK(nearfar_output_close(stream));
  OK(nearfar_output_free(&stream));
  OK(nearfar_output_create(team, path, 1, &q, &again, &stream));
  CHECK(nearfar_output_steps(stream) == 2);
  OK(nearfar_output_free(&stream));
}

/* ---- a grid that changes, as read_varying.py knows it ---- */

/* Lines from point to point, two points each. */
static int64_t cells_of(int64_t step, int r) { return (step + r) % 3 == 0 ? 0 : 100 * (step + 2) + r; }

enum {
  points,
  connectivity,
  offsets,
  types,
  point_values,
  cell_values,
  varying_arrays,
  whole = varying_arrays,
  grid_arrays
};

static void describe_grid(nearfar_output_array arrays[grid_arrays]) {
  static const int64_t any_rows[2] = {0, 3}, two[1] = {2};
  const struct {
    const char* name;
    nearfar_element_type type;
    nearfar_output_part part;
    int64_t most;
  } list[varying_arrays] = {{"points", NEARFAR_ELEMENT_FLOAT64, NEARFAR_OUTPUT_PART_POINTS, 2 * most_cells},
                            {"connectivity", NEARFAR_ELEMENT_INT64, NEARFAR_OUTPUT_PART_CONNECTIVITY, 2 * most_cells},
                            {"offsets", NEARFAR_ELEMENT_INT64, NEARFAR_OUTPUT_PART_OFFSETS, most_cells + 1},
                            {"types", NEARFAR_ELEMENT_INT8, NEARFAR_OUTPUT_PART_TYPES, most_cells},
                            {"p", NEARFAR_ELEMENT_FLOAT32, NEARFAR_OUTPUT_PART_POINT_DATA, 2 * most_cells},
                            {"c", NEARFAR_ELEMENT_INT64, NEARFAR_OUTPUT_PART_CELL_DATA, most_cells}};
  for (int a = 0; a < varying_arrays; ++a) {
    arrays[a] = (nearfar_output_array){.name = list[a].name, .type = list[a].type, .extents = any_rows};
    arrays[a].part = list[a].part, arrays[a].is_varying = 1;
    arrays[a].dimensions = a == points ? 2 : 1;
    arrays[a].own.upper[0] = list[a].most, arrays[a].own.upper[1] = a == points ? 3 : 0;
  }
  arrays[whole] = (nearfar_output_array){.name = "number",
                                         .type = NEARFAR_ELEMENT_INT64,
                                         .dimensions = 1,
                                         .extents = two,
                                         .part = NEARFAR_OUTPUT_PART_FIELD_DATA};
  if (rank == 0) arrays[whole].own.upper[0] = 2;
}

static double xyz[2 * most_cells][3];
static int64_t corners[2 * most_cells], ends[most_cells + 1], of_cells[most_cells];
static int8_t kinds[most_cells];
static float of_points[2 * most_cells];

/* Values are numbers of points and cells in the file, and thousands of the step. */
static void fill_grid(int64_t step) {
  const int64_t cells = cells_of(step, rank);
  int64_t before = 0;
  for (int r = 0; r < rank; ++r) before += cells_of(step, r);
  for (int64_t i = 0; i < 2 * cells; ++i) {
    xyz[i][0] = (double)(2 * before + i), xyz[i][1] = (double)step, xyz[i][2] = 0;
    of_points[i] = (float)(2 * before + i + 100000 * step);
    corners[i] = i;
  }
  for (int64_t i = 0; i < cells; ++i) of_cells[i] = before + i + 100000 * step, kinds[i] = 3; /* VTK_LINE */
  for (int64_t i = 0; i <= cells; ++i) ends[i] = 2 * i;
}

static void put_grid(nearfar_output* stream, int64_t step) {
  static const char* const names[varying_arrays] = {"points", "connectivity", "offsets", "types", "p", "c"};
  const void* const data[varying_arrays] = {xyz, corners, ends, kinds, of_points, of_cells};
  const int64_t cells = cells_of(step, rank), numbers[2] = {step, 7};
  const int64_t rows[varying_arrays] = {2 * cells, 2 * cells, cells > 0 ? cells + 1 : 0, cells, 2 * cells, cells};
  int64_t begun = -1;
  fill_grid(step);
  OK(nearfar_output_begin_varying_step(stream, 0.5 * (double)step, varying_arrays, rows, &begun));
  CHECK(begun == step);
  for (int a = 0; a < varying_arrays; ++a) OK(nearfar_output_put(stream, names[a], data[a]));
  OK(nearfar_output_put(stream, "number", numbers));
  OK(nearfar_output_end_step(stream));
}

static void test_varying_grid(void) {
  nearfar_output_array arrays[grid_arrays];
  nearfar_output* stream = NULL;
  const int64_t none[2] = {0};
  char what[400];
  if (!has_format("vtkhdf")) return;
  describe_grid(arrays);
  WRONG(nearfar_output_create(team, path, grid_arrays, arrays, NULL, &stream), "hdf5 and vtkhdf have it");
  OK(nearfar_output_create(team, path, grid_arrays, arrays,
                           &NEARFAR_OPTIONS(nearfar_output_options, .format = "vtkhdf"), &stream));
  WRONG(nearfar_output_begin_varying_step(stream, 0, 2, none, NULL), "the rows of 2 arrays; those that vary are 6");
  WRONG(nearfar_output_begin_varying_step(stream, 0, 6, NULL, NULL), "the rows of 0 arrays; those that vary are 6");
  for (int64_t s = 0; s < 3; ++s) put_grid(stream, s);
  OK(nearfar_output_close(stream));
  OK(nearfar_output_free(&stream));
  snprintf(what, sizeof what, "vtkhdf %s 3 %d", path, ranks);
  read_back("read_varying.py", what);
  arrays[points].part = (nearfar_output_part)7;
  WRONG(nearfar_output_create(team, path, grid_arrays, arrays, NULL, &stream), "no part 7 of a grid, as array points");
}

static void remove_files(void) {
  char command[240];
  snprintf(command, sizeof command, "rm -r %s.*", path);
  MPI_Barrier(verdicts);
  CHECK(rank != 0 || system(command) == 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    int id = (int)getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, verdicts);
    snprintf(path, sizeof path, "%s/nearfar_formats_c.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", id);
    test_axes_and_attributes();
    test_compression();
    test_append_before();
    test_varying_grid();
    remove_files();
  }
  return end_checks();
}
