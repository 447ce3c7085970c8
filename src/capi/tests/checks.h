/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the C tests: what fails on one rank has failed on all. Include after nearfar.h. */
#ifndef NEARFAR_CAPI_CHECKS_H
#define NEARFAR_CAPI_CHECKS_H

#include <stdio.h>
#include <string.h>

static int failures;
static MPI_Comm verdicts; /* of the test's own, so that a verdict never meets other traffic */

static void check_at(int line, int ok, const char* what) {
  int mine = !ok, failed = 0, rank = 0;
  MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_SUM, verdicts);
  if (failed == 0) return;
  ++failures;
  MPI_Comm_rank(verdicts, &rank);
  if (!ok)
    fprintf(stderr, "[rank %d] line %d failed on %d ranks: %s (last error: %s)\n", rank, line, failed, what,
            nearfar_last_error());
}

#define CHECK(condition) check_at(__LINE__, (condition), #condition)
#define OK(call) check_at(__LINE__, (call) == NEARFAR_OK, #call)
/* The call fails on all ranks with `status`, and its message names `word`. */
#define FAILS(call, status, word) \
  check_at(__LINE__, (call) == (status) && strstr(nearfar_last_error(), word) != NULL, #call ": " word)
#define WRONG(call, word) FAILS(call, NEARFAR_USAGE_ERROR, word)

/* The first 4000 letters of a file have `word`; by the root, on other ranks 1. */
static inline int file_has(const char* name, const char* word) {
  char text[4001] = "";
  int rank = 0;
  MPI_Barrier(verdicts);
  MPI_Comm_rank(verdicts, &rank);
  FILE* file = rank == 0 ? fopen(name, "r") : NULL;
  if (file) text[fread(text, 1, sizeof text - 1, file)] = '\0', fclose(file);
  return rank != 0 || strstr(text, word) != NULL;
}

/* MPI, and the team of all ranks that the tests share. */
static void begin_checks(int* argc, char*** argv, nearfar_team** team, int* rank, int* ranks) {
  MPI_Init(argc, argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &verdicts);
  MPI_Comm_rank(verdicts, rank);
  MPI_Comm_size(verdicts, ranks);
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, team));
}

/* Returns what main() returns. */
static int end_checks(nearfar_team** team) {
  int rank = 0;
  MPI_Comm_rank(verdicts, &rank);
  OK(nearfar_team_free(team));
  if (rank == 0 && failures == 0) puts("all checks passed");
  MPI_Finalize();
  return failures != 0;
}

#endif
