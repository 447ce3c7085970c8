// SPDX-License-Identifier: BSD-3-Clause
// Says where each rank runs and how many ranks share its node; checks a ring of messages.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, near_size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &near_size);

  int from_left = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from_left, 1, MPI_INT, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  char host[64];
  gethostname(host, sizeof host);
  const char* verdict = from_left == (rank + size - 1) % size ? "ok" : "WRONG";
  printf("rank %d on %s with %d near: %s\n", rank, host, near_size, verdict);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
