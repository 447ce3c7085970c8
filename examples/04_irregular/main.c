// SPDX-License-Identifier: BSD-3-Clause
// Heat on a graph whose edges know the numbers of their two points alone: gather, compute on edges, scatter-add.
#include <nearfar/nearfar.h>
#include <stdio.h>
#include <stdlib.h>

enum { points = 5000, edges = 12000, steps = 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  nearfar_team* team;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &team));
  const int64_t rank = nearfar_team_rank(team), ranks = nearfar_team_size(team);
  const int64_t first = edges * rank / ranks, last = edges * (rank + 1) / ranks, references = 2 * (last - first);
  int64_t* ends = malloc((size_t)(references + 1) * sizeof *ends); /* two points per edge of this rank */
  int64_t* at_ends = malloc((size_t)(references + 1) * sizeof *at_ends);
  for (int64_t e = first; e < last; ++e) {
    ends[2 * (e - first)] = e * 7 % points;
    ends[2 * (e - first) + 1] = (e * 131 + e / 9 * 17 + 3) % points;
  }

  // [plan]
  nearfar_distribution* where;
  nearfar_irregular_plan* plan;
  void *heat_memory, *change_memory; /* own points and ghosts, near ranks read in place */
  NEARFAR_TRY(nearfar_distribution_block(team, points, &where));
  NEARFAR_TRY(nearfar_irregular_plan_create(where, references, ends, NULL, &plan));
  NEARFAR_TRY(nearfar_irregular_plan_allocate(plan, NEARFAR_ELEMENT_INT64, 1, &heat_memory));
  NEARFAR_TRY(nearfar_irregular_plan_allocate(plan, NEARFAR_ELEMENT_INT64, 1, &change_memory));
  // [plan]
  int64_t *heat = heat_memory, *change = change_memory;
  const int64_t owned = nearfar_irregular_plan_owned(plan), total = owned + nearfar_irregular_plan_ghosts(plan);
  const int32_t* local = nearfar_irregular_plan_local_indices(plan);
  for (int64_t i = 0; i < owned; ++i) {
    int64_t g;
    NEARFAR_TRY(nearfar_distribution_globals(where, 1, &i, &g));
    heat[i] = g * g % 1000003;
  }

  for (int step = 0; step < steps; ++step) {
    // [step]
    NEARFAR_TRY(nearfar_irregular_plan_gather_ghosts(plan, heat, total, NEARFAR_ELEMENT_INT64, 1));
    for (int64_t i = 0; i < total; ++i) change[i] = 0;
    for (int64_t k = 0; k < references; k += 2) {
      const int64_t flow = (heat[local[k]] - heat[local[k + 1]]) / 16;
      change[local[k]] -= flow;
      change[local[k + 1]] += flow;
    }
    NEARFAR_TRY(
        nearfar_irregular_plan_scatter_ghosts(plan, change, total, NEARFAR_ELEMENT_INT64, 1, NEARFAR_REDUCE_SUM));
    // [step]
    for (int64_t i = 0; i < owned; ++i) heat[i] += change[i];
  }
  NEARFAR_TRY(
      nearfar_irregular_plan_gather(plan, heat, total, at_ends, NEARFAR_ELEMENT_INT64, 1)); /* a value per reference */
  int64_t sum = 0, checksum = 0;
  for (int64_t k = 0; k < references; ++k) sum += (ends[k] % 97 + 1) * at_ends[k];
  NEARFAR_TRY(nearfar_allreduce(team, &sum, &checksum, 1, MPI_INT64_T, MPI_SUM));
  if (rank == 0) printf("graph: checksum %lld\n", (long long)checksum);

  NEARFAR_TRY(nearfar_free(team, &heat_memory));
  NEARFAR_TRY(nearfar_free(team, &change_memory));
  NEARFAR_TRY(nearfar_irregular_plan_free(&plan));
  NEARFAR_TRY(nearfar_distribution_free(&where));
  NEARFAR_TRY(nearfar_team_free(&team));
  free(ends), free(at_ends);
  MPI_Finalize();
}
