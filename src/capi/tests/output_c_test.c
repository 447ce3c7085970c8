// SPDX-License-Identifier: BSD-3-Clause
// Output from C: every element of every step must be in the file where its global index says; verdicts are collective.
#include <nearfar/nearfar.h>
#include <stdlib.h>
#include <unistd.h>

#include "checks.h"

enum { nz = 5, ny = 6, nx = 7, cells = nz * ny * nx };

static int rank, ranks;
static nearfar_team* team;
static char path[200];
static const int64_t extents[3] = {nz, ny, nx};
static const int padding[3][2] = {{1, 0}, {0, 2}, {1, 1}};
static const nearfar_output_attribute spacing = {"d1", "12.5"};

static double number(int64_t step, int64_t z, int64_t y, int64_t x) {
  return (double)(step * 10000 + (z * ny + y) * nx + x);
}

/* Planes of `t`, shared out; with more ranks than planes the first ones have none. */
static nearfar_box own_of(nearfar_team* t) {
  const int r = nearfar_team_rank(t), n = nearfar_team_size(t);
  const nearfar_box own = {{nz * r / n, 0, 0}, {nz * (r + 1) / n, ny, nx}};
  const nearfar_box none = {{0}, {0}};
  return own.upper[0] > own.lower[0] ? own : none;
}

/* p: doubles with padding around; q: floats that lie in memory the other way round; f: filled in place. */
static void describe_arrays(nearfar_team* t, nearfar_output_array arrays[3]) {
  const nearfar_element_type types[3] = {NEARFAR_ELEMENT_FLOAT64, NEARFAR_ELEMENT_FLOAT32, NEARFAR_ELEMENT_INT32};
  const char* const names[3] = {"p", "q", "f"};
  for (int a = 0; a < 3; ++a)
    arrays[a] = (nearfar_output_array){
        .name = names[a], .type = types[a], .dimensions = 3, .extents = extents, .own = own_of(t)};
  arrays[0].padding = padding;
  arrays[0].attribute_count = 1, arrays[0].attributes = &spacing;
}

static nearfar_status put_step(nearfar_output* stream, nearfar_box own, int64_t step) {
  const int64_t planes = own.upper[0] - own.lower[0], wide_y = ny + 2, wide_x = nx + 2;
  double* p = malloc((size_t)((planes + 1) * wide_y * wide_x) * sizeof(double));
  float* q = malloc((size_t)(planes * ny * nx + 1) * sizeof(float)); /* q[x][y][z] */
  nearfar_output_slot f;
  nearfar_status status = nearfar_output_slot_of(stream, "f", &f);
  for (int64_t i = 0; i < (planes + 1) * wide_y * wide_x; ++i) p[i] = -1;
  for (int64_t z = 0; z < planes && status == NEARFAR_OK; ++z)
    for (int64_t y = 0; y < ny; ++y)
      for (int64_t x = 0; x < nx; ++x) {
        const double n = number(step, own.lower[0] + z, y, x);
        char* in_frame = (char*)f.data + z * f.strides_bytes[0] + y * f.strides_bytes[1] + x * f.strides_bytes[2];
        p[((z + 1) * wide_y + y) * wide_x + x + 1] = n;
        q[(x * ny + y) * planes + z] = (float)n;
        *(int32_t*)in_frame = (int32_t)n;
      }
  const int64_t strides[NEARFAR_MAX_DIMENSIONS] = {4, 4 * planes, 4 * planes * ny};
  if (status == NEARFAR_OK) status = nearfar_output_put(stream, "p", p);
  if (status == NEARFAR_OK) status = nearfar_output_put_strided(stream, "q", q, strides);
  free(p), free(q);
  return status;
}

static void write_steps(nearfar_team* t, const nearfar_output_options* options, int64_t first, int64_t last) {
  nearfar_output_array arrays[3];
  nearfar_output* stream = NULL;
  nearfar_status status = NEARFAR_OK;
  int64_t step = -1;
  describe_arrays(t, arrays);
  status = nearfar_output_create(t, path, 3, arrays, options, &stream);
  for (int64_t s = first; s < last && status == NEARFAR_OK; ++s) {
    status = nearfar_output_begin_step(stream, 0.5 * (double)s, &step);
    if (status == NEARFAR_OK) status = put_step(stream, own_of(t), s);
    if (status == NEARFAR_OK) status = nearfar_output_end_step(stream);
    if (status == NEARFAR_OK && step != s) status = NEARFAR_USAGE_ERROR;
  }
  if (status == NEARFAR_OK) status = nearfar_output_flush(stream);
  if (status == NEARFAR_OK && (nearfar_output_steps(stream) != last || nearfar_output_written_steps(stream) != last ||
                               nearfar_output_team(stream) != t || !strstr(nearfar_output_describe(stream), path)))
    status = NEARFAR_IO_ERROR;
  if (status == NEARFAR_OK) status = nearfar_output_close(stream);
  if (status != NEARFAR_OK) fprintf(stderr, "[rank %d] writing: %s\n", rank, nearfar_last_error());
  failures += status != NEARFAR_OK;
  nearfar_output_free(&stream);
}

static void* read_all(const char* array, size_t element_bytes, int64_t steps) {
  char name[240];
  char* data = calloc((size_t)(steps * cells) + 1, element_bytes);
  snprintf(name, sizeof name, "%s.%s.raw", path, array);
  FILE* file = fopen(name, "rb");
  const size_t whole = (size_t)(steps * cells);
  /* One element more than there should be: the file must end there. */
  const int is_whole = file && fread(data, element_bytes, whole + 1, file) == whole;
  if (file) fclose(file);
  if (is_whole) return data;
  free(data);
  return NULL;
}

static int faults_in_files(int64_t steps, nearfar_output_soundness state) {
  double* p = read_all("p", sizeof(double), steps);
  float* q = read_all("q", sizeof(float), steps);
  int32_t* f = read_all("f", sizeof(int32_t), steps);
  int faults = p == NULL || q == NULL || f == NULL;
  for (int64_t i = 0; faults == 0 && i < steps * cells; ++i) {
    const double n = number(i / cells, 0, 0, i % cells);
    faults += p[i] != n || q[i] != (float)n || f[i] != (int32_t)n;
  }
  free(p), free(q), free(f);
  nearfar_output_step found[2] = {{-1, -1}, {-1, -1}};
  int64_t count = 0;
  faults += nearfar_output_steps_at(path, 2, found, &count) != NEARFAR_OK;
  nearfar_output_report reports[2] = {{-1, -1, NEARFAR_OUTPUT_SOUNDNESS_UNKNOWN, "?"},
                                      {-1, -1, NEARFAR_OUTPUT_SOUNDNESS_UNKNOWN, "?"}};
  int64_t compared = 0;
  faults += nearfar_output_verify(path, 2, reports, &compared) != NEARFAR_OK || compared != count;
  faults += reports[1].step != 1 || reports[1].time != 0.5 || reports[1].state != state ||
            (reports[1].reason[0] == '\0') != (state == NEARFAR_OUTPUT_SOUNDNESS_SOUND);
  return faults + (count != steps || found[1].step != 1 || found[1].time != 0.5);
}

static void check_files(int64_t steps, nearfar_output_soundness state) {
  MPI_Barrier(verdicts);
  CHECK(rank != 0 || faults_in_files(steps, state) == 0);
}

/* Columns along y, which the writers did not have; the last rank has a part of another's besides. */
static nearfar_box column_of(void) {
  const nearfar_box own = {{0, ny * rank / ranks - (rank > 0 && rank == ranks - 1), 1},
                           {nz, ny * (rank + 1) / ranks, nx}};
  return own;
}

/* p with padding, q turned around, f in the buffer. */
static int faults_in_step(nearfar_output_reader* reader, int64_t step) {
  const nearfar_box b = column_of();
  const int64_t planes = b.upper[0] - b.lower[0], rows = b.upper[1] - b.lower[1], columns = b.upper[2] - b.lower[2];
  const int64_t wide_y = rows + 2, wide_x = columns + 2;
  const int64_t strides[NEARFAR_MAX_DIMENSIONS] = {4, 4 * planes, 4 * planes * rows};
  double* p = calloc((size_t)((planes + 1) * wide_y * wide_x), sizeof(double));
  float* q = calloc((size_t)(planes * rows * columns + 1), sizeof(float));
  nearfar_output_slot f;
  int faults = nearfar_output_reader_get(reader, "p", p) != NEARFAR_OK;
  faults += nearfar_output_reader_get_strided(reader, "q", q, strides) != NEARFAR_OK;
  faults += nearfar_output_reader_slot_of(reader, "f", &f) != NEARFAR_OK;
  for (int64_t z = 0; z < planes && faults == 0; ++z)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x) {
        const double n = number(step, b.lower[0] + z, b.lower[1] + y, b.lower[2] + x);
        const char* in_buffer =
            (char*)f.data + z * f.strides_bytes[0] + y * f.strides_bytes[1] + x * f.strides_bytes[2];
        faults += p[((z + 1) * wide_y + y) * wide_x + x + 1] != n || q[(x * rows + y) * planes + z] != (float)n;
        faults += *(const int32_t*)in_buffer != (int32_t)n;
      }
  free(p), free(q);
  return faults;
}

static void select_columns(nearfar_output_reader* reader) {
  const nearfar_output_selection wanted[3] = {
      {.name = "f", .wanted = column_of()}, {"p", column_of(), padding}, {.name = "q", .wanted = column_of()}};
  OK(nearfar_output_reader_select(reader, 3, wanted));
}

static void test_reading(int64_t steps) {
  const nearfar_output_reader_options backwards = {
      .size = sizeof(nearfar_output_reader_options), .stride = -1, .depth = 3, .most_bytes = 1 << 20};
  const nearfar_output_reader_options at_once = {
      .size = sizeof(nearfar_output_reader_options), .reads_ahead = NEARFAR_SWITCH_OFF, .checksum = NEARFAR_SWITCH_OFF};
  for (int is_backwards = 0; is_backwards < 2; ++is_backwards) {
    nearfar_output_reader* reader;
    nearfar_output_array array;
    nearfar_output_step found[2];
    int64_t count = 0;
    double time = -1;
    OK(nearfar_output_reader_create(team, path, is_backwards ? &backwards : &at_once, &reader));
    OK(nearfar_output_reader_steps(reader, 2, found, &count));
    CHECK(count == steps && found[1].step == 1 && found[1].time == 0.5);
    CHECK(nearfar_output_reader_arrays(reader) == 3 && nearfar_output_reader_team(reader) == team);
    OK(nearfar_output_reader_array(reader, 0, &array));
    CHECK(strcmp(array.name, "p") == 0 && array.type == NEARFAR_ELEMENT_FLOAT64 && array.dimensions == 3);
    CHECK(memcmp(array.extents, extents, sizeof extents) == 0 && array.attribute_count == 1);
    CHECK(strcmp(array.attributes[0].key, "d1") == 0 && strcmp(array.attributes[0].value, "12.5") == 0);
    select_columns(reader);
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t step = is_backwards ? steps - 1 - i : i;
      OK(nearfar_output_reader_begin_step(reader, step, &time));
      CHECK(time == 0.5 * (double)step && faults_in_step(reader, step) == 0);
      OK(nearfar_output_reader_end_step(reader));
    }
    CHECK(strstr(nearfar_output_reader_describe(reader), path) != NULL);
    OK(nearfar_output_reader_free(&reader));
    CHECK(reader == NULL);
  }
}

static void test_no_step(void) {
  nearfar_output_reader* reader;
  nearfar_output_step found[1];
  int64_t count = -1;
  write_steps(team, NULL, 0, 0);
  OK(nearfar_output_reader_create(team, path, NULL, &reader));
  OK(nearfar_output_reader_steps(reader, 1, found, &count));
  CHECK(count == 0 && nearfar_output_reader_arrays(reader) == 3);
  OK(nearfar_output_reader_free(&reader));
}

/* The fourth step is damaged: it alone is not handed out. */
static void test_reading_damage(void) {
  nearfar_output_reader* reader;
  OK(nearfar_output_reader_create(team, path, NULL, &reader));
  select_columns(reader);
  FAILS(nearfar_output_reader_begin_step(reader, 3, NULL), NEARFAR_IO_ERROR, "step 3 of ");
  FAILS(nearfar_output_reader_begin_step(reader, 3, NULL), NEARFAR_IO_ERROR, ".p.raw");
  OK(nearfar_output_reader_begin_step(reader, 2, NULL));
  CHECK(faults_in_step(reader, 2) == 0);
  OK(nearfar_output_reader_free(&reader));
}

static void test_reading_mistakes(void) {
  nearfar_output_reader* reader = NULL;
  nearfar_output_array array;
  nearfar_output_selection wanted = {.name = "z", .wanted = column_of()};
  int64_t count = 0;
  WRONG(nearfar_output_reader_create(NULL, path, NULL, &reader), "team is NULL");
  WRONG(nearfar_output_reader_create(team, NULL, NULL, &reader), "path");
  WRONG(nearfar_output_reader_create(team, path, NULL, NULL), "reader");
  FAILS(nearfar_output_reader_create(team, "/nowhere/at/all", NULL, &reader), NEARFAR_IO_ERROR, "/nowhere/at/all");
  CHECK(reader == NULL && nearfar_output_reader_arrays(reader) == -1 && nearfar_output_reader_describe(reader) == NULL);
  WRONG(nearfar_output_reader_begin_step(reader, 0, NULL), "reader is NULL");
  OK(nearfar_output_reader_create(team, path, NULL, &reader));
  WRONG(nearfar_output_reader_steps(reader, 1, NULL, &count), "NULL");
  WRONG(nearfar_output_reader_array(reader, 3, &array), "0 to 2");
  WRONG(nearfar_output_reader_select(reader, 1, NULL), "1 entries, at NULL");
  WRONG(nearfar_output_reader_select(reader, 1, &wanted), "p, q, f");
  wanted.name = NULL;
  WRONG(nearfar_output_reader_select(reader, 1, &wanted), "NULL");
  wanted.name = "p", wanted.wanted.upper[2] = nx + (rank == 0);
  WRONG(nearfar_output_reader_select(reader, 1, &wanted), "0 to 7 are possible");
  wanted.wanted.upper[2] = nx;
  OK(nearfar_output_reader_select(reader, 1, &wanted));
  WRONG(nearfar_output_reader_begin_step(reader, 5, NULL), "0 to 4");
  WRONG(nearfar_output_reader_end_step(reader), "outside");
  OK(nearfar_output_reader_begin_step(reader, 0, NULL));
  WRONG(nearfar_output_reader_get(reader, "q", &array), "not selected");
  WRONG(nearfar_output_reader_get_strided(reader, "p", &array, NULL), "strides");
  WRONG(nearfar_output_reader_slot_of(reader, "p", NULL), "slot");
  OK(nearfar_output_reader_free(&reader));
}

/* Changes a byte of the fourth of five steps: it is named, the one before is not. */
static int faults_after_damage(void) {
  char name[240];
  snprintf(name, sizeof name, "%s.p.raw", path);
  FILE* file = fopen(name, "r+b");
  if (file == NULL) return 1;
  int faults = fseek(file, (long)(3 * cells * (int64_t)sizeof(double) + 1), SEEK_SET) != 0;
  faults += fputc(0x55, file) != 0x55;
  faults += fclose(file) != 0;
  nearfar_output_report reports[5];
  int64_t count = 0;
  faults += nearfar_output_verify(path, 5, reports, &count) != NEARFAR_OK;
  if (count != 5) return faults + 1;
  return faults + (reports[2].state != NEARFAR_OUTPUT_SOUNDNESS_SOUND ||
                   reports[3].state != NEARFAR_OUTPUT_SOUNDNESS_DAMAGED || reports[3].reason[0] == '\0');
}

static void test_damage(void) {
  const nearfar_output_options again = {
      .size = sizeof(nearfar_output_options), .opening = NEARFAR_OUTPUT_OPENING_APPEND, .verify = 1, .is_pinned = 1};
  MPI_Barrier(verdicts);
  CHECK(rank != 0 || faults_after_damage() == 0);
  test_reading_damage();
  write_steps(team, &again, 3, 5);
  check_files(5, NEARFAR_OUTPUT_SOUNDNESS_SOUND);
}

static void test_streams(void) {
  const nearfar_output_options all_options = {.size = sizeof(nearfar_output_options),
                                              .policy = NEARFAR_OUTPUT_POLICY_THREAD,
                                              .depth = 3,
                                              .most_bytes = 1 << 20,
                                              .writers_per_node = 2,
                                              .durability = NEARFAR_OUTPUT_DURABILITY_NONE,
                                              .expected_steps = 9,
                                              .direct = NEARFAR_SWITCH_OFF,
                                              .checksum = NEARFAR_SWITCH_OFF,
                                              .linger_s = -1};
  const nearfar_output_options synchronous = {.size = sizeof(nearfar_output_options),
                                              .policy = NEARFAR_OUTPUT_POLICY_SYNCHRONOUS};
  const nearfar_output_options append = {.size = sizeof(nearfar_output_options),
                                         .policy = NEARFAR_OUTPUT_POLICY_THREAD,
                                         .opening = NEARFAR_OUTPUT_OPENING_APPEND};
  write_steps(team, NULL, 0, 3);
  check_files(3, NEARFAR_OUTPUT_SOUNDNESS_SOUND);
  write_steps(team, &all_options, 0, 4);
  check_files(4, NEARFAR_OUTPUT_SOUNDNESS_UNKNOWN);
  write_steps(team, &synchronous, 0, 2);
  write_steps(team, &append, 2, 5);
  check_files(5, NEARFAR_OUTPUT_SOUNDNESS_SOUND);
  char header[240];
  snprintf(header, sizeof header, "%s.p.rsf", path);
  CHECK(file_has(header, "d1=12.5"));
  CHECK(file_has(header, "native_double"));
  CHECK(file_has(header, "n4=5"));
  test_reading(5);
  test_reading_mistakes();
  test_damage();
}

/* What other formats keep besides the elements. */
static void test_metadata(void) {
  const char* const names[3] = {"level", "y", "x"};
  const double levels[nz] = {10, 20, 30, 40, 50};
  const nearfar_output_attribute title = {"title", "a test"}, units = {"units", "m"};
  const nearfar_output_axis axis = {"level", nz, levels, 1, &units};
  const nearfar_output_options options = {.size = sizeof(nearfar_output_options),
                                          .format = "zarr",
                                          .attribute_count = 1,
                                          .attributes = &title,
                                          .axis_count = 1,
                                          .axes = &axis};
  nearfar_output_array arrays[3];
  nearfar_output* stream;
  int count = 0;
  describe_arrays(team, arrays);
  arrays[0].dimension_names = names;
  OK(nearfar_output_create(team, path, 1, arrays, &options, &stream));
  OK(nearfar_output_begin_step(stream, 0, NULL));
  nearfar_output_slot slot;
  OK(nearfar_output_slot_of(stream, "p", &slot));
  OK(nearfar_output_end_step(stream));
  OK(nearfar_output_close(stream));
  OK(nearfar_output_free(&stream));
  char name[240];
  snprintf(name, sizeof name, "%s.zarr/p/zarr.json", path);
  CHECK(file_has(name, "level"));
  snprintf(name, sizeof name, "rm -r %s.zarr", path);
  CHECK(rank != 0 || system(name) == 0);
  CHECK(nearfar_output_formats(&count) != NULL && count >= 2 &&
        strcmp(nearfar_output_formats(NULL)[0].name, "rsf") == 0);
}

static void test_writers(const nearfar_output_writers_options* placement) {
  nearfar_output_writers* writers;
  OK(nearfar_output_writers_create(team, placement, &writers));
  const int is_writer = nearfar_output_writers_is_writer(writers);
  CHECK(nearfar_output_writers_count(writers) >= 0);
  if (is_writer) {
    failures +=
        nearfar_output_writers_computing(writers) != NULL || nearfar_output_writers_serve(writers) != NEARFAR_OK;
  } else {
    nearfar_team* computing = nearfar_output_writers_computing(writers);
    const nearfar_output_options options = {
        .size = sizeof(nearfar_output_options), .policy = NEARFAR_OUTPUT_POLICY_WRITER, .writers = writers};
    write_steps(computing, &options, 0, 3);
    nearfar_team* mine = computing;
    failures += nearfar_team_free(&mine) != NEARFAR_USAGE_ERROR || mine != computing;
    failures += nearfar_output_writers_serve(writers) != NEARFAR_USAGE_ERROR;
  }
  CHECK(nearfar_output_writers_free(&writers) == NEARFAR_OK && writers == NULL);
  check_files(3, NEARFAR_OUTPUT_SOUNDNESS_SOUND);
}

static void test_mistakes(void) {
  nearfar_output_array arrays[3];
  nearfar_output_options options = {.size = sizeof(nearfar_output_options)};
  nearfar_output* stream = NULL;
  int64_t count = 0;
  describe_arrays(team, arrays);
  WRONG(nearfar_output_create(NULL, path, 3, arrays, NULL, &stream), "team is NULL");
  WRONG(nearfar_output_create(team, path, 3, arrays, NULL, NULL), "stream");
  WRONG(nearfar_output_create(team, NULL, 3, arrays, NULL, &stream), "path");
  WRONG(nearfar_output_create(team, path, 3, NULL, NULL, &stream), "3 entries, at NULL");
  arrays[1].dimensions = rank == 0 ? 5 : 3;
  WRONG(nearfar_output_create(team, path, 3, arrays, NULL, &stream), "array q has 5 dimensions");
  arrays[1].dimensions = 3, arrays[1].type = (nearfar_element_type)99;
  WRONG(nearfar_output_create(team, path, 3, arrays, NULL, &stream), "type");
  describe_arrays(team, arrays), options.policy = (nearfar_output_policy)7;
  WRONG(nearfar_output_create(team, path, 3, arrays, &options, &stream), "policy 7");
  options.policy = NEARFAR_OUTPUT_POLICY_AUTOMATIC, options.format = "paper";
  WRONG(nearfar_output_create(team, path, 3, arrays, &options, &stream), "paper");
  options.policy = NEARFAR_OUTPUT_POLICY_WRITER, options.format = "rsf";
  WRONG(nearfar_output_create(team, path, 3, arrays, &options, &stream), "writers");
  FAILS(nearfar_output_create(team, "/nowhere/at/all", 3, arrays, NULL, &stream), NEARFAR_IO_ERROR, "/nowhere/at/all");
  CHECK(stream == NULL && nearfar_output_steps(stream) == -1 && nearfar_output_describe(stream) == NULL);
  WRONG(nearfar_output_begin_step(NULL, 0, NULL), "stream is NULL");
  FAILS(nearfar_output_steps_at("/nowhere/at/all", 0, NULL, &count), NEARFAR_IO_ERROR, "/nowhere");
  FAILS(nearfar_output_verify("/nowhere/at/all", 0, NULL, &count), NEARFAR_IO_ERROR, "/nowhere");
  OK(nearfar_output_create(team, path, 3, arrays, NULL, &stream));
  WRONG(nearfar_output_end_step(stream), "outside");
  OK(nearfar_output_begin_step(stream, 0, NULL));
  WRONG(nearfar_output_put(stream, "z", arrays), "p, q, f");
  WRONG(nearfar_output_put(stream, NULL, arrays), "NULL");
  WRONG(nearfar_output_put_strided(stream, "p", arrays, NULL), "strides");
  WRONG(nearfar_output_slot_of(stream, "p", NULL), "slot");
  OK(nearfar_output_free(&stream));
  CHECK(stream == NULL);
}

static void test_team_freed_first(void) {
  nearfar_team* brief;
  nearfar_output_array arrays[3];
  nearfar_output* stream;
  nearfar_output_writers* writers;
  nearfar_output_reader* reader;
  OK(nearfar_team_create(everyone, NULL, &brief));
  describe_arrays(brief, arrays);
  OK(nearfar_output_create(brief, path, 3, arrays, NULL, &stream));
  OK(nearfar_output_reader_create(brief, path, NULL, &reader));
  OK(nearfar_output_writers_create(brief, &NEARFAR_OPTIONS(nearfar_output_writers_options, .ranks_to_spare = 100),
                                   &writers));
  CHECK(nearfar_output_writers_computing(writers) != NULL);
  OK(nearfar_team_free(&brief));
  WRONG(nearfar_output_begin_step(stream, 0, NULL), "freed with its team");
  WRONG(nearfar_output_writers_serve(writers), "freed with its team");
  WRONG(nearfar_output_reader_end_step(reader), "freed with its team");
  OK(nearfar_output_reader_free(&reader));
  OK(nearfar_output_free(&stream));
  OK(nearfar_output_writers_free(&writers));
}

static void remove_files(const char* turn) {
  const char* const endings[] = {"journal", "parts.json", "p.raw", "p.rsf", "q.raw", "q.rsf", "f.raw", "f.rsf"};
  char name[240];
  MPI_Barrier(verdicts);
  for (size_t i = 0; rank == 0 && i < sizeof endings / sizeof *endings; ++i) {
    snprintf(name, sizeof name, "%s%s.%s", path, turn, endings[i]);
    remove(name);
  }
  MPI_Barrier(verdicts);
}

/* The third checkpoint replaces the first; readers of the path get it. */
static void test_turns(void) {
  nearfar_output_options turns = {.size = sizeof(nearfar_output_options), .opening = NEARFAR_OUTPUT_OPENING_TAKE_TURNS};
  char name[240];
  int64_t count = 0;
  remove_files("");
  for (int64_t last = 1; last <= 3; ++last) write_steps(team, &turns, 0, last);
  OK(nearfar_output_steps_at(path, 0, NULL, &count));
  CHECK(count == 3);
  snprintf(name, sizeof name, "%s-a", path);
  OK(nearfar_output_steps_at(name, 0, NULL, &count));
  CHECK(count == 3);
  turns.kept = name;
  snprintf(name, sizeof name, "%s-b", path); /* the older one stays: the newest is replaced */
  write_steps(team, &turns, 0, 4);
  OK(nearfar_output_steps_at(name, 0, NULL, &count));
  CHECK(count == 2);
  OK(nearfar_output_steps_at(path, 0, NULL, &count));
  CHECK(count == 4);
  remove_files("-a"), remove_files("-b");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    int id = (int)getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, verdicts);
    snprintf(path, sizeof path, "%s/nearfar_output_c.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", id);
    test_no_step();
    test_streams();
    test_metadata();
    const nearfar_output_writers_options far = {.size = sizeof(nearfar_output_writers_options),
                                                .placement = NEARFAR_OUTPUT_PLACEMENT_FAR};
    test_writers(NULL);
    if (ranks > 1) test_writers(&far);
    test_mistakes();
    test_team_freed_first();
    test_turns();
    remove_files("");
  }
  return end_checks();
}
