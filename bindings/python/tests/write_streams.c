// SPDX-License-Identifier: BSD-3-Clause
// Streams for the tests of the Python package: write_streams FOLDER. "two" has arrays p (float32) and b (int64), written by one node;
// "one" has p alone, written by each node its part. Element `place` of step s is 1000 s + place.
#include <nearfar/nearfar.h>
#include <stdio.h>

enum { nz = 6, ny = 5, nx = 8, steps = 4 };

static void write_stream(nearfar_team* team, const char* path, int arrays) {
  const int64_t extents[3] = {nz, ny, nx}, rank = nearfar_team_rank(team), ranks = nearfar_team_size(team);
  const int64_t first = nz * rank / ranks, last = nz * (rank + 1) / ranks;
  const nearfar_output_attribute spacings[2] = {{"d1", "0.004"}, {"unit1", "s"}};
  /* p before b: not the order of the alphabet. */
  const nearfar_output_array list[2] = {
      {.name = "p",
       .type = NEARFAR_FLOAT32,
       .dimensions = 3,
       .extents = extents,
       .own = {{first, 0, 0}, {last, ny, nx}},
       .attribute_count = 2,
       .attributes = spacings},
      {.name = "b", .type = NEARFAR_INT64, .dimensions = 1, .extents = extents, .own = {{first}, {last}}}};
  float p[nz * ny * nx];
  int64_t b[nz];
  nearfar_output* out;
  NEARFAR_TRY(nearfar_output_create(team, path, arrays, list, NULL, &out));
  for (int s = 0; s < steps; ++s) {
    for (int64_t i = 0; i < (last - first) * ny * nx; ++i) p[i] = (float)(1000 * s + first * ny * nx + i);
    for (int64_t i = 0; i < last - first; ++i) b[i] = 1000 * s + first + i;
    NEARFAR_TRY(nearfar_output_begin_step(out, 0.25 * s, NULL));
    NEARFAR_TRY(nearfar_output_put(out, "p", p));
    if (arrays > 1) NEARFAR_TRY(nearfar_output_put(out, "b", b));
    NEARFAR_TRY(nearfar_output_end_step(out));
  }
  NEARFAR_TRY(nearfar_output_close(out));
  NEARFAR_TRY(nearfar_output_free(&out));
}

int main(int argc, char** argv) {
  nearfar_team *node, *apart;
  char path[1000];
  MPI_Init(&argc, &argv);
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, &node));
  NEARFAR_TRY(nearfar_team_create_with(MPI_COMM_WORLD, 1, &apart));
  snprintf(path, sizeof path, "%s/two", argc > 1 ? argv[1] : ".");
  write_stream(node, path, 2);
  snprintf(path, sizeof path, "%s/one", argc > 1 ? argv[1] : ".");
  write_stream(apart, path, 1);
  NEARFAR_TRY(nearfar_team_free(&apart));
  NEARFAR_TRY(nearfar_team_free(&node));
  MPI_Finalize();
}
