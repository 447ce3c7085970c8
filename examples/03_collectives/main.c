// SPDX-License-Identifier: BSD-3-Clause
// Sums, sums of squares and maxima of numbers that all ranks share out: a plan that overlaps with work, and calls.
#include <nearfar/nearfar.h>
#include <stdio.h>

enum { count = 4800 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team));
  const int64_t rank = nearfar_team_rank(team), ranks = nearfar_team_size(team);
  const int64_t first = count * rank / ranks, last = count * (rank + 1) / ranks;
  double x[count];

  // [plan]
  nearfar_collective_plan* sums;
  void* memory;
  NEARFAR_TRY(nearfar_allocate(team, 2 * sizeof(double), &memory)); /* memory that near ranks share */
  double* moments = memory;
  NEARFAR_TRY(nearfar_collective_plan_allreduce(team, MPI_IN_PLACE, moments, 2, MPI_DOUBLE, MPI_SUM, NULL, &sums));
  // [plan]
  double checksum = 0;
  for (int step = 1; step <= 10; ++step) {
    int scale = rank == 0 ? 31 * step : 0;
    NEARFAR_TRY(nearfar_bcast(team, &scale, 1, MPI_INT, 0));
    moments[0] = moments[1] = 0;
    for (int64_t i = first; i < last; ++i) {
      x[i - first] = (double)((i * i + scale) % 97);
      moments[0] += x[i - first];
      moments[1] += x[i - first] * x[i - first];
    }
    NEARFAR_TRY(nearfar_collective_plan_start(sums));
    double largest = 0, top = 0; /* work that does not need the sums */
    for (int64_t i = 0; i < last - first; ++i)
      if (x[i] > largest) largest = x[i];
    NEARFAR_TRY(nearfar_collective_plan_finish(sums));
    NEARFAR_TRY(nearfar_allreduce(team, &largest, &top, 1, MPI_DOUBLE, MPI_MAX));
    checksum += moments[0] + 3 * moments[1] + 7 * top;
  }
  if (rank == 0) printf("moments: checksum %lld\n", (long long)checksum);
  NEARFAR_TRY(nearfar_collective_plan_free(&sums));
  NEARFAR_TRY(nearfar_free(team, &memory));
  NEARFAR_TRY(nearfar_team_free(&team));
  MPI_Finalize();
}
