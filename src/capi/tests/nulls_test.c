// SPDX-License-Identifier: BSD-3-Clause
// Every function of the C interface with zeros for all arguments, before MPI_Init and after it: a status and words, or
// nothing to be had, and never a crash. The calls are written from the headers (wrong_arguments.py).
#include <nearfar/nearfar.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int failed;
static const char* volatile now = "";

static void say_where(int number) {
  static const char words[] = " crashed, all its arguments zero\n";
  const char* const name = now;
  if (write(2, name, strlen(name)) < 0 || write(2, words, sizeof words - 1) < 0) _exit(2);
  _exit(number);
}

/* Freeing nothing is right. */
static void check(const char* name, nearfar_status status) {
  const int frees = strstr(name, "free") != NULL;
  const int is_right = frees ? status == NEARFAR_OK : status != NEARFAR_OK && *nearfar_last_error();
  if (is_right) return;
  fprintf(stderr, "%s returned %d: %s\n", name, (int)status, nearfar_last_error());
  ++failed;
}

/* Fortran's number of no object: MPICH ends a program that gives it 0, Open MPI one that asks before MPI_Init. */
#ifdef OPEN_MPI
#define NUMBER(of_no_object) 0
#else
#define NUMBER(of_no_object) of_no_object
#endif
#define SAYS_SO(name, call) now = name, check(name, call)
#define RETURNS(name, call) now = name, (void)(call)
#include "null_calls.inc"

int main(int argc, char** argv) {
  signal(SIGSEGV, say_where), signal(SIGABRT, say_where), signal(SIGFPE, say_where), signal(SIGBUS, say_where);
  call_all();
  MPI_Init(&argc, &argv);
  call_all();
  MPI_Finalize();
  if (failed == 0) puts("all checks passed");
  return failed != 0;
}
