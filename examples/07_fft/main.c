// SPDX-License-Identifier: BSD-3-Clause
// A density in a periodic box is blurred with weights 1, 2, 1 along each axis: a product of coefficients and weights.
#include <complex.h>
#include <math.h>
#include <nearfar/nearfar.h>
#include <stdio.h>

enum { nx = 48, ny = 40, nz = 36 };

/* What weights 1, 2, 1 do to mode k of an axis of n points. */
static double weight(int64_t k, int64_t n) { return 2 + 2 * cos(2 * acos(-1) * (double)k / (double)n); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team));

  // [plan]
  const nearfar_fft_kind kinds[3] = {NEARFAR_FFT_C2C, NEARFAR_FFT_C2C, NEARFAR_FFT_R2C};
  const nearfar_fft_shape shape = {.dimensions = 3, .extents = (int64_t[]){nz, ny, nx}, .kinds = kinds};
  nearfar_fft_layout* layout;
  NEARFAR_TRY(nearfar_fft_layout_create(team, &shape, NULL, &layout));
  nearfar_fft_plan* plan;
  const nearfar_fft_options options = {.size = sizeof options, .name = "blur", .scaling = NEARFAR_FFT_SCALING_BACKWARD};
  NEARFAR_TRY(nearfar_fft_plan_create(layout, NEARFAR_ELEMENT_FLOAT64, NULL, 0, NULL, 0, &options, &plan));
  double* u = nearfar_fft_plan_physical(plan, 0); /* own part, in near memory */
  double complex* uh = nearfar_fft_plan_spectral(plan, 0);
  // [plan]

  const nearfar_transpose_side* points = nearfar_fft_layout_physical(layout);
  const nearfar_transpose_side* modes = nearfar_fft_layout_spectral(layout);
  nearfar_box own, kept;
  nearfar_array_shape at;
  int64_t n = 0, sum = 0, checksum = 0;
  NEARFAR_TRY(nearfar_decomposition_box(points->parts, nearfar_team_rank(team), &own));
  NEARFAR_TRY(nearfar_decomposition_box(modes->parts, nearfar_team_rank(team), &kept));
  NEARFAR_TRY(nearfar_transpose_shape(modes, &at));
  for (int64_t k = own.lower[0]; k < own.upper[0]; ++k)
    for (int64_t j = own.lower[1]; j < own.upper[1]; ++j)
      for (int64_t i = own.lower[2]; i < own.upper[2]; ++i) u[n++] = (double)((i * i * 7 + j * 13 + k * 29) % 101);

  // [transform]
  NEARFAR_TRY(nearfar_fft_plan_run(plan, NEARFAR_FFT_FORWARD));
  for (int64_t k = kept.lower[0]; k < kept.upper[0]; ++k)
    for (int64_t j = kept.lower[1]; j < kept.upper[1]; ++j)
      for (int64_t i = kept.lower[2]; i < kept.upper[2]; ++i) {
        const int64_t place = (k - at.held.lower[0]) * at.strides[0] + (j - at.held.lower[1]) * at.strides[1] +
                              (i - at.held.lower[2]) * at.strides[2];
        uh[place] *= weight(k, nz) * weight(j, ny) * weight(i, nx);
      }
  NEARFAR_TRY(nearfar_fft_plan_run(plan, NEARFAR_FFT_BACKWARD));
  // [transform]

  n = 0; /* sums of integers but for rounding */
  for (int64_t k = own.lower[0]; k < own.upper[0]; ++k)
    for (int64_t j = own.lower[1]; j < own.upper[1]; ++j)
      for (int64_t i = own.lower[2]; i < own.upper[2]; ++i) sum += (1 + (i + 2 * j + 3 * k) % 97) * llround(u[n++]);
  NEARFAR_TRY(nearfar_allreduce(team, &sum, &checksum, 1, MPI_INT64_T, MPI_SUM));
  if (nearfar_team_rank(team) == 0) printf("blur: checksum %lld\n", (long long)checksum);

  NEARFAR_TRY(nearfar_fft_plan_free(&plan));
  NEARFAR_TRY(nearfar_fft_layout_free(&layout));
  NEARFAR_TRY(nearfar_team_free(&team));
  MPI_Finalize();
}
