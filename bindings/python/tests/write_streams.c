// SPDX-License-Identifier: BSD-3-Clause
// Streams for the tests of the Python package: write_streams FOLDER. "two" has arrays p (float32) and b (int64),
// written by one node; "one" has p alone, written by each node its part; those named after a format are as "two" in
// that format, "varying" is hdf5 with another number of rows in each step, "grid" is of unstructured cells; "constant_"
// and a format has h too, which is as b in step 0 and the same in all. Element `place` of step s is 1000 s + place.
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <string.h>

enum { nz = 6, ny = 5, nx = 8, steps = 4, most_rows = 20 };

static const char* folder = ".";

static int has_format(const char* name) {
  int count = 0;
  const nearfar_output_format* list = nearfar_output_formats(&count);
  for (int i = 0; i < count; ++i)
    if (strcmp(list[i].name, name) == 0) return 1;
  return 0;
}

static nearfar_output* stream_of(nearfar_team* team, const char* name, int count, const nearfar_output_array* arrays,
                                 const nearfar_output_options* options) {
  char path[1000];
  nearfar_output* out = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const nearfar_status status = nearfar_output_create(team, path, count, arrays, options, &out);
  /* A codec that this build has not is one that is not tested. */
  if (status != NEARFAR_OK && strstr(nearfar_last_error(), "not in this build")) return NULL;
  NEARFAR_TRY(status);
  return out;
}

static void end_stream(nearfar_output* out) {
  NEARFAR_TRY(nearfar_output_close(out));
  NEARFAR_TRY(nearfar_output_free(&out));
}

static void write_stream(nearfar_team* team, const char* name, int arrays, const nearfar_output_options* options) {
  const int64_t extents[3] = {nz, ny, nx}, rank = nearfar_team_rank(team), ranks = nearfar_team_size(team);
  const int64_t first = nz * rank / ranks, last = nz * (rank + 1) / ranks;
  const nearfar_output_attribute spacings[2] = {{"d1", "0.004"}, {"unit1", "s"}};
  /* p before b: not the order of the alphabet. */
  const nearfar_output_array list[3] = {{.name = "p",
                                         .type = NEARFAR_ELEMENT_FLOAT32,
                                         .dimensions = 3,
                                         .extents = extents,
                                         .own = {{first, 0, 0}, {last, ny, nx}},
                                         .attribute_count = 2,
                                         .attributes = spacings},
                                        {.name = "b",
                                         .type = NEARFAR_ELEMENT_INT64,
                                         .dimensions = 1,
                                         .extents = extents,
                                         .own = {{first}, {last}},
                                         .part = NEARFAR_OUTPUT_PART_FIELD_DATA,
                                         .dimension_names = (const char* const[1]){"layer"}},
                                        {.name = "h",
                                         .type = NEARFAR_ELEMENT_INT64,
                                         .dimensions = 1,
                                         .extents = extents,
                                         .own = {{first}, {last}},
                                         .dimension_names = (const char* const[1]){"z"},
                                         .is_constant = 1}};
  float p[nz * ny * nx];
  int64_t b[nz];
  nearfar_output* out = stream_of(team, name, arrays, list, options);
  for (int s = 0; out && s < steps; ++s) {
    for (int64_t i = 0; i < (last - first) * ny * nx; ++i) p[i] = (float)(1000 * s + first * ny * nx + i);
    for (int64_t i = 0; i < last - first; ++i) b[i] = 1000 * s + first + i;
    NEARFAR_TRY(nearfar_output_begin_step(out, 0.25 * s, NULL));
    NEARFAR_TRY(nearfar_output_put(out, "p", p));
    if (arrays > 1) NEARFAR_TRY(nearfar_output_put(out, "b", b));
    if (arrays > 2 && s == 0) NEARFAR_TRY(nearfar_output_put(out, "h", b));
    NEARFAR_TRY(nearfar_output_end_step(out));
  }
  if (out) end_stream(out);
}

static void write_formats(nearfar_team* team) {
  const double heights[nz] = {10, 12, 14, 16, 18, 20};
  const nearfar_output_axis z = {.name = "z", .count = nz, .values = heights};
  const nearfar_output_options zarr = {
      .size = sizeof(nearfar_output_options), .format = "zarr", .axis_count = 1, .axes = &z};
  nearfar_output_options packed = zarr, table = zarr;
  write_stream(team, "zarr", 2, &zarr);
  write_stream(team, "constant_zarr", 3, &zarr);
  packed.compression = "zstd", write_stream(team, "zarr_zstd", 2, &packed);
  packed.compression = "blosc", write_stream(team, "zarr_blosc", 2, &packed);
  packed.compression = "zfp:abs=0.01", write_stream(team, "zarr_zfp", 1, &packed);
  if (!has_format("netcdf")) return;
  table.format = "netcdf", write_stream(team, "netcdf_steps", 2, &table);
  table.expected_steps = steps + 3, write_stream(team, "netcdf", 2, &table);
  write_stream(team, "constant_netcdf", 3, &table);
  table.format = "hdf5", write_stream(team, "hdf5", 2, &table);
  table.expected_steps = 0, write_stream(team, "hdf5_steps", 2, &table);
  table.format = "vtkhdf", write_stream(team, "vtkhdf", 2, &table);
}

/* "flat_" and a format: an array with an extent of 1; "none_" and a format: the same, closed with no step. */
static void write_flat(nearfar_team* team, const char* format, int count) {
  static const int64_t extents[3] = {3, 1, 2};
  const int64_t rank = nearfar_team_rank(team), ranks = nearfar_team_size(team);
  const int64_t first = 3 * rank / ranks, last = 3 * (rank + 1) / ranks;
  const nearfar_output_attribute units = {"units", "m"};
  const nearfar_output_array p = {.name = "p",
                                  .type = NEARFAR_ELEMENT_FLOAT64,
                                  .dimensions = 3,
                                  .extents = extents,
                                  .own = {{first, 0, 0}, {last, 1, 2}},
                                  .attribute_count = 1,
                                  .attributes = &units};
  char name[64];
  double values[6];
  snprintf(name, sizeof name, "%s_%s", count ? "flat" : "none", format);
  nearfar_output* out = stream_of(team, name, 1, &p, &NEARFAR_OPTIONS(nearfar_output_options, .format = format));
  for (int s = 0; s < count; ++s) {
    for (int64_t i = 0; i < 2 * (last - first); ++i) values[i] = (double)(1000 * s + 2 * first + i);
    NEARFAR_TRY(nearfar_output_begin_step(out, 0.25 * s, NULL));
    NEARFAR_TRY(nearfar_output_put(out, "p", values));
    NEARFAR_TRY(nearfar_output_end_step(out));
  }
  end_stream(out);
}

static int64_t rows_of(int step, int rank) { return rank == 0 ? 2 + step : step % 2; }

static void write_varying(nearfar_team* team) {
  const int64_t extents[2] = {0, 3}, rank = nearfar_team_rank(team);
  const nearfar_output_array v = {.name = "v",
                                  .type = NEARFAR_ELEMENT_INT64,
                                  .dimensions = 2,
                                  .extents = extents,
                                  .own = {{0, 0}, {most_rows, 3}},
                                  .is_varying = 1};
  nearfar_output* out = stream_of(team, "varying", 1, &v, &NEARFAR_OPTIONS(nearfar_output_options, .format = "hdf5"));
  for (int s = 0; s < steps; ++s) {
    int64_t values[3 * most_rows];
    const int64_t rows = rows_of(s, (int)rank), before = rank == 0 ? 0 : rows_of(s, 0);
    for (int64_t i = 0; i < 3 * rows; ++i) values[i] = 1000 * s + 3 * before + i;
    NEARFAR_TRY(nearfar_output_begin_varying_step(out, 0.25 * s, 1, &rows, NULL));
    NEARFAR_TRY(nearfar_output_put(out, "v", values));
    NEARFAR_TRY(nearfar_output_end_step(out));
  }
  end_stream(out);
}

/* Step s has s + 1 points on each rank, each a cell of its own (VTK_VERTEX, 1). */
static void write_grid(nearfar_team* team) {
  static const int64_t any[2] = {0, 3};
  const nearfar_box capacity = {{0, 0}, {most_rows, 3}};
  const nearfar_output_array list[5] = {
      {"points", NEARFAR_ELEMENT_FLOAT64, 2, any, capacity, .is_varying = 1, .part = NEARFAR_OUTPUT_PART_POINTS},
      {"corners", NEARFAR_ELEMENT_INT64, 1, any, capacity, .is_varying = 1, .part = NEARFAR_OUTPUT_PART_CONNECTIVITY},
      {"ends", NEARFAR_ELEMENT_INT64, 1, any, capacity, .is_varying = 1, .part = NEARFAR_OUTPUT_PART_OFFSETS},
      {"kinds", NEARFAR_ELEMENT_INT8, 1, any, capacity, .is_varying = 1, .part = NEARFAR_OUTPUT_PART_TYPES},
      {"c", NEARFAR_ELEMENT_INT64, 1, any, capacity, .is_varying = 1, .part = NEARFAR_OUTPUT_PART_CELL_DATA}};
  nearfar_output* out = stream_of(team, "grid", 5, list, &NEARFAR_OPTIONS(nearfar_output_options, .format = "vtkhdf"));
  for (int s = 0; s < steps; ++s) {
    const int64_t n = s + 1, rows[5] = {n, n, n + 1, n, n};
    double points[3 * most_rows];
    int64_t numbers[most_rows], c[most_rows];
    int8_t kinds[most_rows];
    for (int64_t i = 0; i < 3 * n; ++i) points[i] = (double)i;
    for (int64_t i = 0; i <= n; ++i) numbers[i] = i, kinds[i] = 1, c[i] = 1000 * s + n * nearfar_team_rank(team) + i;
    NEARFAR_TRY(nearfar_output_begin_varying_step(out, 0.25 * s, 5, rows, NULL));
    NEARFAR_TRY(nearfar_output_put(out, "points", points));
    NEARFAR_TRY(nearfar_output_put(out, "corners", numbers));
    NEARFAR_TRY(nearfar_output_put(out, "ends", numbers));
    NEARFAR_TRY(nearfar_output_put(out, "kinds", kinds));
    NEARFAR_TRY(nearfar_output_put(out, "c", c));
    NEARFAR_TRY(nearfar_output_end_step(out));
  }
  end_stream(out);
}

int main(int argc, char** argv) {
  nearfar_team *node, *apart;
  MPI_Init(&argc, &argv);
  if (argc > 1) folder = argv[1];
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &node));
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, &NEARFAR_OPTIONS(nearfar_team_options, .node_size = 1), &apart));
  write_stream(node, "two", 2, NULL);
  write_stream(node, "constant_rsf", 3, NULL);
  write_stream(apart, "one", 1, NULL);
  write_formats(apart);
  const char* const formats[] = {"rsf", "zarr", "netcdf", "hdf5", "vtkhdf"};
  for (int f = 0; f < 5; ++f)
    if (has_format(formats[f])) write_flat(apart, formats[f], steps), write_flat(apart, formats[f], 0);
  if (has_format("vtkhdf")) write_varying(apart), write_grid(node);
  NEARFAR_TRY(nearfar_team_free(&apart));
  NEARFAR_TRY(nearfar_team_free(&node));
  MPI_Finalize();
}
