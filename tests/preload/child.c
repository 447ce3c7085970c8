// SPDX-License-Identifier: BSD-3-Clause
// child COMMAND: a rank that starts a command between its collectives and prints what came of it; without: such a
// command, of one rank or several.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>

static int sums(int rank, int ranks, int times) {
  int are_right = 1;
  for (int i = 0; i < times; ++i) {
    int x = rank + i, y = -1;
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    are_right = are_right && y == ranks * (ranks - 1) / 2 + ranks * i;
  }
  return are_right;
}

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int are_right = sums(rank, ranks, 50);
  if (count > 1 && rank == 0) {
    char line[4000];
    FILE* output = popen(words[1], "r");
    while (output != NULL && fgets(line, sizeof line, output) != NULL) printf("child: %s", line);
    const int status = output != NULL ? pclose(output) : -1;
    printf("status %d\n", status);
  }
  are_right = sums(rank, ranks, 50) && are_right;
  printf("%s of %d is %s\n", count > 1 ? "rank" : "inner rank", ranks, are_right ? "right" : "WRONG");
  MPI_Finalize();
  return !are_right;
}
