// SPDX-License-Identifier: BSD-3-Clause
// Halo and irregular plans from C on arrays in GPU memory, on the stand-in for CUDA's driver: addresses are given as
// any others.
#include <dlfcn.h>
#include <nearfar/nearfar.h>
#include <stdint.h>
#include <stdlib.h>

#include "checks.h"

enum { cells = 8, owned = 4 };
static int rank, ranks;
static nearfar_team* team;

/* Calls of the driver by their names; pointers to functions and objects have one size where there is dlsym. */
static struct {
  int (*init)(unsigned flags);
  int (*allocate)(uint64_t* address, size_t bytes);
  int (*give_back)(uint64_t address);
  int (*to_device)(uint64_t to, const void* from, size_t bytes);
  int (*to_host)(void* to, uint64_t from, size_t bytes);
} cuda;

static int find_driver(void) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  *(void**)&cuda.init = dlsym(library, "cuInit");
  *(void**)&cuda.allocate = dlsym(library, "cuMemAlloc_v2");
  *(void**)&cuda.give_back = dlsym(library, "cuMemFree_v2");
  *(void**)&cuda.to_device = dlsym(library, "cuMemcpyHtoD_v2");
  *(void**)&cuda.to_host = dlsym(library, "cuMemcpyDtoH_v2");
  return cuda.init && cuda.allocate && cuda.give_back && cuda.to_device && cuda.to_host && cuda.init(0) == 0;
}

static double* on_gpu(const double* values, int count) {
  uint64_t address = 0;
  CHECK(cuda.allocate(&address, (size_t)count * sizeof(double)) == 0);
  CHECK(cuda.to_device(address, values, (size_t)count * sizeof(double)) == 0);
  return (double*)(uintptr_t)address;
}

static void bring_back(double* values, double* from, int count) {
  CHECK(cuda.to_host(values, (uint64_t)(uintptr_t)from, (size_t)count * sizeof(double)) == 0);
}

static void test_halo(void) {
  nearfar_grid* grid;
  nearfar_halo_plan* plan;
  const int64_t extents[] = {(int64_t)cells * ranks};
  double values[cells + 2] = {-1};
  for (int i = 0; i < cells; ++i) values[i + 1] = rank * cells + i;
  values[cells + 1] = -1;
  double *first = on_gpu(values, cells + 2), *second = on_gpu(values, cells + 2);
  const nearfar_array array = {first, sizeof(double), (int64_t[]){cells + 2}, NULL};
  const int ghosts[][2] = {{1, 1}};
  OK(nearfar_grid_create(team, 1, extents, &NEARFAR_OPTIONS(nearfar_grid_options, .periodic = (int[]){1}), &grid));
  OK(nearfar_halo_plan_begin(team, &NEARFAR_OPTIONS(nearfar_halo_options, .method = "isend"), &plan));
  OK(nearfar_halo_plan_add_array(plan, grid, &array, ghosts, NULL));
  OK(nearfar_halo_plan_commit(plan));
  OK(nearfar_halo_plan_run(plan));
  OK(nearfar_halo_plan_run_on(plan, 1, (void*[]){second}));
  double* all[] = {first, second};
  for (int k = 0; k < 2; ++k) {
    bring_back(values, all[k], cells + 2);
    for (int i = 0; i < cells + 2; ++i) CHECK(values[i] == (rank * cells + i - 1 + cells * ranks) % (cells * ranks));
    CHECK(cuda.give_back((uint64_t)(uintptr_t)all[k]) == 0);
  }
  CHECK(strstr(nearfar_halo_plan_describe(plan), "in GPU memory") != NULL);
  WRONG(nearfar_halo_plan_run_on(plan, 1, (void*[]){values}), "is not in GPU memory");
  OK(nearfar_halo_plan_free(&plan));
  OK(nearfar_grid_free(&grid));
}

/* Every rank refers to all elements, and adds 1 to each. */
static void test_gather(void) {
  nearfar_distribution* distribution;
  nearfar_irregular_plan* plan;
  const int count = owned * ranks;
  int64_t* indices = malloc((size_t)count * sizeof(int64_t));
  double* values = malloc((size_t)count * sizeof(double));
  double x[owned];
  for (int k = 0; k < count; ++k) indices[k] = count - 1 - k, values[k] = 1;
  for (int i = 0; i < owned; ++i) x[i] = rank * owned + i;
  double *x_there = on_gpu(x, owned), *values_there = on_gpu(values, count);
  OK(nearfar_distribution_block(team, count, &distribution));
  OK(nearfar_irregular_plan_create(distribution, count, indices, NULL, &plan));
  OK(nearfar_irregular_plan_scatter(plan, values_there, x_there, owned, NEARFAR_ELEMENT_FLOAT64, 1,
                                    NEARFAR_REDUCE_SUM));
  OK(nearfar_irregular_plan_gather(plan, x_there, owned, values_there, NEARFAR_ELEMENT_FLOAT64, 1));
  bring_back(x, x_there, owned), bring_back(values, values_there, count);
  for (int i = 0; i < owned; ++i) CHECK(x[i] == rank * owned + i + ranks);
  for (int k = 0; k < count; ++k) CHECK(values[k] == count - 1 - k + ranks);
  OK(nearfar_irregular_plan_free(&plan));
  OK(nearfar_distribution_free(&distribution));
  CHECK(cuda.give_back((uint64_t)(uintptr_t)x_there) == 0 && cuda.give_back((uint64_t)(uintptr_t)values_there) == 0);
  free(indices), free(values);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  while (next_shape(&team, &rank, &ranks)) {
    CHECK(find_driver());
    test_halo();
    test_gather();
  }
  return end_checks();
}
