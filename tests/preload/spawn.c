// SPDX-License-Identifier: BSD-3-Clause
// Sums with processes that were spawned, which may not have the library: on a communicator of both jobs, and on each
// world.
#include <mpi.h>
#include <stdio.h>

static void sum(MPI_Comm comm, const char* name) {
  int size = 0, all = 0;
  const int one = 1;
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 100; i++) {
    all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
    if (all == size) continue;
    printf("WRONG: the sum on %s is %d, not %d\n", name, all, size);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Comm others = MPI_COMM_NULL, both = MPI_COMM_NULL;
  int rank = 0, is_child = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&others);
  is_child = others != MPI_COMM_NULL;
  if (!is_child)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(others, is_child, &both);
  sum(both, "both jobs");
  sum(MPI_COMM_WORLD, "one job");
  MPI_Comm_rank(both, &rank);
  if (rank == 0) puts("sums of two jobs are right");
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
