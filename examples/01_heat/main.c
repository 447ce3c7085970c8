// SPDX-License-Identifier: BSD-3-Clause
// Heat spreads through a box, in C: the exchange of ghost cells overlaps with the cells that need none.
#include <nearfar/nearfar.h> /* includes <mpi.h> without its C++ part */
#include <stdio.h>

/* The element of a field at global indices k, j, i. */
static double* at(const nearfar_field* f, int64_t k, int64_t j, int64_t i) {
  const int64_t *first = nearfar_field_lower(f), *n = nearfar_field_extents(f);
  return nearfar_field_data_f64(f) + ((k - first[0]) * n[1] + j - first[1]) * n[2] + i - first[2];
}

/* change = (sum of the six neighbours - 6 t) / 8 */
static void diffuse(const nearfar_field* t, const nearfar_field* change, const nearfar_box* boxes, int count) {
  const int64_t* n = nearfar_field_extents(t);
  const int64_t plane = n[1] * n[2], row = n[2];
  for (const nearfar_box* b = boxes; b < boxes + count; ++b)
    for (int64_t k = b->lower[0]; k < b->upper[0]; ++k)
      for (int64_t j = b->lower[1]; j < b->upper[1]; ++j) {
        const double* from = at(t, k, j, b->lower[2]);
        double* to = at(change, k, j, b->lower[2]);
        for (int64_t i = 0; i < b->upper[2] - b->lower[2]; ++i)
          to[i] = (from[i - plane] + from[i + plane] + from[i - row] + from[i + row] + from[i - 1] + from[i + 1] -
                   6 * from[i]) /
                  8;
      }
}

static void set(const nearfar_field* t, const int64_t* lower, const int64_t* upper) {
  for (int64_t k = lower[0]; k < upper[0]; ++k)
    for (int64_t j = lower[1]; j < upper[1]; ++j)
      for (int64_t i = lower[2]; i < upper[2]; ++i) *at(t, k, j, i) = (double)((7 * k + 13 * j + 17 * i) % 101);
}

static void add(const nearfar_field* t, const nearfar_field* change, const int64_t* lower, const int64_t* upper) {
  for (int64_t k = lower[0]; k < upper[0]; ++k)
    for (int64_t j = lower[1]; j < upper[1]; ++j)
      for (int64_t i = lower[2]; i < upper[2]; ++i) *at(t, k, j, i) += *at(change, k, j, i);
}

/* A number that depends on every cell: exact, since all values are multiples of 8^-8. */
static long long checksum(const nearfar_field* t, const int64_t* lower, const int64_t* upper) {
  double mine = 0, all = 0;
  for (int64_t k = lower[0]; k < upper[0]; ++k)
    for (int64_t j = lower[1]; j < upper[1]; ++j)
      for (int64_t i = lower[2]; i < upper[2]; ++i) mine += *at(t, k, j, i) * (double)((k + 2 * j + 3 * i) % 5 + 1);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return (long long)(all * (1 << 24));
}

/* [program] */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  nearfar_grid* grid;
  nearfar_field *t, *change;
  nearfar_halo_plan* halo;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team)); /* who is near, who is far */
  NEARFAR_TRY(nearfar_grid_create(team, 3, (int64_t[]){16, 64, 64},
                                  &NEARFAR_OPTIONS(nearfar_grid_options, .periodic = (int[]){0, 1, 1}), &grid));
  NEARFAR_TRY(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, &NEARFAR_OPTIONS(nearfar_field_options, .width = 1),
                                   &t)); /* in memory that near ranks share */
  NEARFAR_TRY(nearfar_field_create(grid, NEARFAR_ELEMENT_FLOAT64, NULL, &change));
  NEARFAR_TRY(nearfar_halo_plan_create(1, &t, NULL, &halo)); /* plan and tune once */

  nearfar_box core[NEARFAR_MAX_BOXES], edge[NEARFAR_MAX_BOXES];
  int cores, edges;
  NEARFAR_TRY(nearfar_field_core(t, core, &cores));
  NEARFAR_TRY(nearfar_field_edge(t, edge, &edges));
  const int64_t *lower = nearfar_grid_lower(grid), *upper = nearfar_grid_upper(grid);
  set(t, lower, upper);
  for (int step = 0; step < 8; ++step) {
    NEARFAR_TRY(nearfar_halo_plan_start(halo));
    diffuse(t, change, core, cores); /* needs no ghost: overlaps */
    NEARFAR_TRY(nearfar_halo_plan_finish(halo));
    diffuse(t, change, edge, edges);
    add(t, change, lower, upper);
  }
  const long long sum = checksum(t, lower, upper);
  if (nearfar_team_rank(team) == 0) printf("%s\nheat: checksum %lld\n", nearfar_halo_plan_describe(halo), sum);
  nearfar_team_free(&team); /* frees every object made from it */
  MPI_Finalize();
}
/* [program] */
