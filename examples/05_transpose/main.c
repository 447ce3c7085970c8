// SPDX-License-Identifier: BSD-3-Clause
// Sums over all boxes that begin at the origin: running sums along x, y and z, each where that axis is contiguous.
#include <nearfar/nearfar.h>
#include <stdio.h>

enum { nx = 48, ny = 40, nz = 36 };

/* Running sums along the lines of a side, which are contiguous and `length` long. */
static void add_up(const nearfar_transpose_side* side, int64_t* data, int64_t length) {
  nearfar_array_shape shape;
  NEARFAR_TRY(nearfar_transpose_shape(side, &shape));
  for (int64_t i = 0; i < shape.elements; ++i)
    if (i % length > 0) data[i] += data[i - 1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team));

  // [sides]
  const int64_t extents[3] = {nz, ny, nx}; /* slowest axis first */
  nearfar_decomposition* parts[3];
  for (int axis = 0; axis < 3; ++axis)
    NEARFAR_TRY(nearfar_decomposition_pencil(team, 3, extents, axis, NULL, &parts[axis]));
  const nearfar_transpose_side x = {.parts = parts[2]};
  const nearfar_transpose_side y = {.parts = parts[1], .memory_order = (const int[]){0, 2, 1}}; /* y contiguous */
  const nearfar_transpose_side z = {.parts = parts[0], .memory_order = (const int[]){1, 2, 0}};
  nearfar_transpose_array *at_x, *at_y, *at_z; /* in memory that near ranks read in place */
  NEARFAR_TRY(nearfar_transpose_array_create(1, &x, 1, sizeof(int64_t), &at_x));
  NEARFAR_TRY(nearfar_transpose_array_create(1, &y, 1, sizeof(int64_t), &at_y));
  NEARFAR_TRY(nearfar_transpose_array_create(1, &z, 1, sizeof(int64_t), &at_z));
  int64_t *a = nearfar_transpose_array_data(at_x, 0), *b = nearfar_transpose_array_data(at_y, 0),
          *c = nearfar_transpose_array_data(at_z, 0);
  // [sides]
  nearfar_box own;
  int64_t sum = 0, checksum = 0;
  NEARFAR_TRY(nearfar_decomposition_box(parts[2], nearfar_team_rank(team), &own));
  for (int64_t k = own.lower[0], n = 0; k < own.upper[0]; ++k)
    for (int64_t j = own.lower[1]; j < own.upper[1]; ++j)
      for (int64_t i = 0; i < nx; ++i) a[n++] = (i * i * 7 + j * 13 + k * 29) % 101;

  // [plans]
  nearfar_transpose_plan *x_to_y, *y_to_z;
  NEARFAR_TRY(nearfar_transpose_plan_create(&x, &y, sizeof(int64_t), a, nearfar_transpose_array_elements(at_x), b,
                                            nearfar_transpose_array_elements(at_y), NULL, &x_to_y));
  NEARFAR_TRY(nearfar_transpose_plan_create(&y, &z, sizeof(int64_t), b, nearfar_transpose_array_elements(at_y), c,
                                            nearfar_transpose_array_elements(at_z), NULL, &y_to_z));
  add_up(&x, a, nx);
  NEARFAR_TRY(nearfar_transpose_plan_run(x_to_y));
  add_up(&y, b, ny);
  NEARFAR_TRY(nearfar_transpose_plan_run(y_to_z));
  add_up(&z, c, nz);
  // [plans]

  NEARFAR_TRY(nearfar_decomposition_box(parts[0], nearfar_team_rank(team), &own));
  for (int64_t j = own.lower[1], n = 0; j < own.upper[1]; ++j)
    for (int64_t i = own.lower[2]; i < own.upper[2]; ++i)
      for (int64_t k = 0; k < nz; ++k) sum += (1 + (i + 2 * j + 3 * k) % 97) * c[n++];
  NEARFAR_TRY(nearfar_allreduce(team, &sum, &checksum, 1, MPI_INT64_T, MPI_SUM));
  if (nearfar_team_rank(team) == 0) printf("sums: checksum %lld\n", (long long)checksum);

  NEARFAR_TRY(nearfar_team_free(&team)); /* and all that was made from it */
  NEARFAR_TRY(nearfar_transpose_plan_free(&x_to_y));
  NEARFAR_TRY(nearfar_transpose_plan_free(&y_to_z));
  NEARFAR_TRY(nearfar_transpose_array_free(&at_x));
  NEARFAR_TRY(nearfar_transpose_array_free(&at_y));
  NEARFAR_TRY(nearfar_transpose_array_free(&at_z));
  for (int axis = 0; axis < 3; ++axis) NEARFAR_TRY(nearfar_decomposition_free(&parts[axis]));
  MPI_Finalize();
}
