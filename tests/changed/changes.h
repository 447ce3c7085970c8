// SPDX-License-Identifier: BSD-3-Clause
// How a process comes to have memory that its near ranks can map, read or enlarge no more.
#pragma once

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __cplusplus
using limited_thing = __rlimit_resource_t;
#else
typedef __rlimit_resource_t limited_thing;
#endif

/// Of the limit that a process may raise again.
static inline int set_limit(limited_thing what, rlim_t to) {
  struct rlimit limit;
  if (getrlimit(what, &limit) != 0) return 1;
  limit.rlim_cur = to < limit.rlim_max ? to : limit.rlim_max;
  return setrlimit(what, &limit);
}

/// HOW: unreadable, nofile (no more descriptors), fsize (no file may grow) or chroot (into the working directory).
/// @return 0, or another number if that is not allowed; -1 if HOW is none of these
static inline int change_process(const char* how) {
  const unsigned nobody = 65534;
  if (strcmp(how, "nofile") == 0) return set_limit(RLIMIT_NOFILE, 8);
  if (strcmp(how, "fsize") == 0) return set_limit(RLIMIT_FSIZE, 0);
  if (strcmp(how, "chroot") == 0) return chroot(".");
  if (strcmp(how, "unreadable") != 0) return -1;
  const int code = prctl(PR_SET_DUMPABLE, 0);
  return code == 0 && geteuid() == 0 ? setegid(nobody) + seteuid(nobody) : code;  // root may read all
}

/// What can be undone, for the end: the MPI may need descriptors then, and files are to be removed.
static inline void restore_process(void) {
  if (getuid() == 0 && (seteuid(0) != 0 || setegid(0) != 0)) _exit(1);
  if (set_limit(RLIMIT_NOFILE, RLIM_INFINITY) != 0 || set_limit(RLIMIT_FSIZE, RLIM_INFINITY) != 0) _exit(1);
}
