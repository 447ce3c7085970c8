// SPDX-License-Identifier: BSD-3-Clause
// To be preloaded: at the end of MPI_Init_thread the process becomes one whose memory other ranks cannot map, as
// NEARFAR_TEST_CHANGE says (changes.h).
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "changes.h"

int MPI_Init_thread(int* count, char*** words, int wanted, int* given) {
  const int code = PMPI_Init_thread(count, words, wanted, given);
  const char* how = getenv("NEARFAR_TEST_CHANGE");
  if (how == NULL || change_process(how) != 0) {
    fprintf(stderr, "the process was not changed: %s\n", how != NULL ? how : "NEARFAR_TEST_CHANGE is not set");
    abort();
  }
  return code;
}
