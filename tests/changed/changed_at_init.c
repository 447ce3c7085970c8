// SPDX-License-Identifier: BSD-3-Clause
// To be preloaded: at the end of MPI_Init_thread the process becomes one whose memory other ranks cannot map, as
// NEARFAR_TEST_CHANGE says: unreadable, nofile (no more descriptors) or fsize (no file may grow).
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static int lower(__rlimit_resource_t what, rlim_t to) {
  const struct rlimit low = {to, to};
  return setrlimit(what, &low);
}

static int change(const char* how) {
  const unsigned nobody = 65534;
  if (strcmp(how, "nofile") == 0) return lower(RLIMIT_NOFILE, 8);
  if (strcmp(how, "fsize") == 0) return lower(RLIMIT_FSIZE, 0);
  if (strcmp(how, "unreadable") != 0) return -1;
  const int code = prctl(PR_SET_DUMPABLE, 0);
  return code == 0 && geteuid() == 0 ? setegid(nobody) + seteuid(nobody) : code;  // root may read all
}

int MPI_Init_thread(int* count, char*** words, int wanted, int* given) {
  const int code = PMPI_Init_thread(count, words, wanted, given);
  const char* how = getenv("NEARFAR_TEST_CHANGE");
  if (how == NULL || change(how) != 0) {
    fprintf(stderr, "the process was not changed: %s\n", how != NULL ? how : "NEARFAR_TEST_CHANGE is not set");
    abort();
  }
  return code;
}
