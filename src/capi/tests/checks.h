/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the C tests: what fails on one rank has failed on all. Include after nearfar.h. */
#ifndef NEARFAR_CAPI_CHECKS_H
#define NEARFAR_CAPI_CHECKS_H

#include <shapes.h>
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
/* The last message names `word`, and no marks of axes are left in it for readers of either kind. */
static inline int is_said(const char* word) {
  const char* message = nearfar_last_error();
  return strstr(message, word) && !strpbrk(message, "\1\2\3") && !strpbrk(nearfar_from_one(message), "\1\2\3");
}

/* The call fails on all ranks with `status`, and its message names `word`. */
#define FAILS(call, status, word) check_at(__LINE__, (call) == (status) && is_said(word), #call ": " word)
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

static MPI_Comm everyone; /* the ranks of the present shape */

/* For a loop around the checks: each shape has its ranks, and a team of them that the checks share. */
static int next_shape(nearfar_team** team, int* rank, int* ranks) {
  static int is_first = 1;
  if (!is_first && everyone != MPI_COMM_NULL) {
    OK(nearfar_team_free(team));
    MPI_Comm_free(&verdicts);
  }
  is_first = 0;
  if (!nearfar_test_next_shape(&everyone)) return 0;
  MPI_Comm_dup(everyone, &verdicts);
  MPI_Comm_rank(verdicts, rank);
  MPI_Comm_size(verdicts, ranks);
  NEARFAR_TRY(nearfar_team_create(everyone, NULL, team));
  return 1;
}

/* Returns what main() returns. */
static int end_checks(void) {
  int rank = 0, failed = 0;
  nearfar_team* last;
  nearfar_grid* late;
  NEARFAR_TRY(nearfar_team_create(MPI_COMM_WORLD, NULL, &last));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&failures, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && failed == 0) puts("all checks passed");
  MPI_Finalize();
  failed |= nearfar_grid_create(last, 1, (const int64_t[]){64}, NULL, &late) != NEARFAR_USAGE_ERROR;
  failed |= strstr(nearfar_last_error(), "MPI is finalized") == NULL;
  if (rank == 0 && failed != 0) puts("a check failed");
  return failed != 0;
}

#endif
