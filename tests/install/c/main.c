// SPDX-License-Identifier: BSD-3-Clause
// One halo exchange of a periodic row of cells, and one sum by gslib's calls; the exit code says whether both are
// right.
#include <gslib.h>
#include <nearfar/nearfar.h>

enum { CELLS = 16 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  nearfar_grid* grid;
  nearfar_field* field;
  nearfar_halo_plan* halo;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team));
  NEARFAR_TRY(nearfar_grid_create(team, 1, (int64_t[]){CELLS},
                                  &NEARFAR_OPTIONS(nearfar_grid_options, .periodic = (int[]){1}), &grid));
  NEARFAR_TRY(
      nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1), &field));
  NEARFAR_TRY(nearfar_halo_plan_create(1, &field, NULL, &halo));

  const int64_t lower = nearfar_grid_lower(grid)[0];
  const int64_t upper = nearfar_grid_upper(grid)[0];
  double* t = nearfar_field_data_f64(field) + 1; /* t[0] is the first own cell */
  for (int64_t i = lower; i < upper; ++i) t[i - lower] = (double)i;
  NEARFAR_TRY(nearfar_halo_plan_start(halo));
  NEARFAR_TRY(nearfar_halo_plan_finish(halo));
  int right = t[-1] == (double)((lower - 1 + CELLS) % CELLS) && t[upper - lower] == (double)(upper % CELLS);

  /* [gslib] */
  struct comm members;
  comm_init(&members, MPI_COMM_WORLD);
  struct gs_data* shared = gs_setup((slong[]){7}, 1, &members, 0, gs_auto, 0);
  comm_free(&members);
  double one = 1;
  gs(&one, gs_double, gs_add, 0, shared, NULL);
  /* [gslib] */
  right = right && one == nearfar_team_size(team);
  gs_free(shared);

  NEARFAR_TRY(nearfar_team_free(&team));
  MPI_Finalize();
  return right ? 0 : 1;
}
