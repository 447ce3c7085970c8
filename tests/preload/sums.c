// SPDX-License-Identifier: BSD-3-Clause
// A plain C program of a hundred sums, also as a child process and with large counts where the MPI has them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void check(double found, double wanted, const char* what) {
  if (found == wanted) return;
  printf("rank %d: WRONG: %s is %g, not %g\n", rank, what, found, wanted);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void sum(int i) {
  const double mine = rank + i;
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check(all, size * (size - 1) / 2.0 + (double)size * i, "the sum");
}

static void sum_large(int i) {
#ifdef NEARFAR_HAVE_LARGE_COUNTS
  const double mine = rank + i;
  double all = 0, told = rank == 0 ? i : -1;
  MPI_Allreduce_c(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check(all, size * (size - 1) / 2.0 + (double)size * i, "the sum by a large count");
  MPI_Bcast_c(&told, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  check(told, i, "the broadcast by a large count");
#else
  (void)i;
#endif
}

// A child process ends in its own way, and the parent goes on.
static void have_a_child(void) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  check(WEXITSTATUS(status), 7, "the child's exit code");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int wants_large = argc > 1 && argv[1][0] == 'l';
  for (int i = 0; i < 100; i++) {
    if (wants_large)
      sum_large(i);
    else
      sum(i);
    if (i == 50) have_a_child();
  }
  MPI_Finalize();
  if (rank == 0) puts("sums are right");
  return 0;
}
