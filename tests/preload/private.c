// SPDX-License-Identifier: BSD-3-Clause
// Loads its MPI privately, as Python's modules do: the main program is not linked with it, and its names are not
// global.
//
//   private_main MODULE      where MODULE is this file compiled with -DMODULE and linked with the MPI
#include <stdio.h>
#ifdef MODULE
#include <mpi.h>

int run(void) {
  int rank = 0, size = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100; i++) {
    const double mine = rank + i;
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (all != size * (size - 1) / 2.0 + (double)size * i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  if (rank == 0) puts("private sums are right");
  return 0;
}
#else
#include <dlfcn.h>

int main(int argc, char** argv) {
  void* module = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
  int (*run)(void) = module ? (int (*)(void))dlsym(module, "run") : NULL;
  if (!run) return fprintf(stderr, "%s\n", dlerror()), 1;
  return run();
}
#endif
