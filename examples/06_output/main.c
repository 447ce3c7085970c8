// SPDX-License-Identifier: BSD-3-Clause
// Heat along rods of a plate, every tenth state written while the next ones are computed; then the file is summed.
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ny = 48, nx = 64, snapshots = 6, steps_between = 10, name_bytes = 300 };

/* One step of each rod (a row, contiguous), whose ends keep their values. */
static void warm(int64_t* t, int64_t cells) {
  for (int64_t row = 0; row < cells; row += nx) {
    int64_t before = t[row];
    for (int64_t x = row + 1; x + 1 < row + nx; ++x) {
      const int64_t here = t[x];
      t[x] = (before + 2 * here + t[x + 1]) / 4;
      before = here;
    }
  }
}

static void sum_and_remove(const char* path) {
  static int64_t all[snapshots * ny * nx];
  const char* const endings[] = {"heat.raw", "heat.rsf", "journal", "parts.json"};
  char name[name_bytes];
  int64_t sum = 0, steps = 0;
  snprintf(name, sizeof name, "%s.heat.raw", path);
  FILE* file = fopen(name, "rb");
  const size_t count = file ? fread(all, sizeof all[0], sizeof all / sizeof all[0], file) : 0;
  if (file) fclose(file);
  for (size_t i = 0; i < count; ++i) sum += (int64_t)(1 + i % 97) * all[i];
  NEARFAR_TRY(nearfar_output_steps_at(path, 0, NULL, &steps));
  printf("plate: %lld steps, checksum %lld\n", (long long)steps, (long long)sum);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
    snprintf(name, sizeof name, "%s.%s", path, endings[i]);
    remove(name);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team));
  int id = (int)getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  char path[200];
  snprintf(path, sizeof path, "%s/nearfar_plate.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", id);

  const int64_t rank = nearfar_team_rank(team), ranks = nearfar_team_size(team);
  const int64_t first = ny * rank / ranks, last = ny * (rank + 1) / ranks, cells = (last - first) * nx;
  int64_t* t = malloc((size_t)(cells + 1) * sizeof *t);
  for (int64_t i = 0; i < cells; ++i) {
    const int64_t x = i % nx, y = first + i / nx;
    t[i] = (x * x * 7919 + y * 104729) % 1000003;
  }

  // [stream]
  const nearfar_output_attribute labels[] = {{"label1", "x"}, {"label2", "y"}};
  const nearfar_output_array heat = {.name = "heat",
                                     .type = NEARFAR_ELEMENT_INT64,
                                     .dimensions = 2,
                                     .extents = (const int64_t[]){ny, nx},
                                     .own = {{first, 0}, {last, nx}},
                                     .attribute_count = 2,
                                     .attributes = labels};
  nearfar_output* out;
  NEARFAR_TRY(nearfar_output_create(team, path, 1, &heat, NULL, &out));
  for (int snapshot = 0; snapshot < snapshots; ++snapshot) {
    for (int step = 0; step < steps_between; ++step) warm(t, cells);
    NEARFAR_TRY(nearfar_output_begin_step(out, 0.01 * snapshot, NULL)); /* waits only if the disk is far behind */
    NEARFAR_TRY(nearfar_output_put(out, "heat", t));                    /* copied: t may change again */
    NEARFAR_TRY(nearfar_output_end_step(out));
  }
  NEARFAR_TRY(nearfar_output_close(out)); /* all is on disk */
  NEARFAR_TRY(nearfar_output_free(&out));
  // [stream]

  if (rank == 0) sum_and_remove(path);
  free(t);
  NEARFAR_TRY(nearfar_team_free(&team));
  MPI_Finalize();
}
