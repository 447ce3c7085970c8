// SPDX-License-Identifier: BSD-3-Clause
// A plain C program of a hundred sums, also as a child process, with large counts where the MPI has them, or of gathers
// in place. Each rank says how long its calls took at most.
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

static void gather(int i) {
  double* all = malloc((size_t)size * sizeof *all);
  all[rank] = rank + i;
  if (rank == 0)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Gather(&all[rank], 1, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; r++) check(all[r], r + i, "what was gathered");
  free(all);
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
  const char word = argc > 1 ? argv[1][0] : 's';
  double seconds = 0;
  for (int i = 0; i < 100; i++) {
    const double begin = MPI_Wtime();
    if (word == 'l')
      sum_large(i);
    else if (word == 'g')
      gather(i);
    else
      sum(i);
    seconds += MPI_Wtime() - begin;
    if (i == 50) have_a_child();
  }
  printf("rank %d: at most %.9f s\n", rank, seconds);
  fflush(stdout);
  MPI_Finalize();
  if (rank == 0) puts("sums are right");
  return 0;
}
