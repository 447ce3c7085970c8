/* SPDX-License-Identifier: BSD-3-Clause */
/* Lives of Fortran objects. A Fortran assignment copies a handle, so freeing one copy would leave the others with
 * an address of nothing. Each object has a life instead, which its copies share with the number that it had at
 * their birth; to free is to count on. Lives are kept for the next objects, never given back: a copy may look at
 * one at any time. */
#include <stdatomic.h>
#include <stdlib.h>

#include "descriptors.h"

typedef struct life {
  _Atomic int64_t number; /* of the object that has it */
  struct life* next;
} life;

static atomic_flag is_busy = ATOMIC_FLAG_INIT; /* guards spares: threads have exact sums of their own */
static life* spares;

static void begin_change(void) {
  while (atomic_flag_test_and_set_explicit(&is_busy, memory_order_acquire)) {
  }
}

static void end_change(void) { atomic_flag_clear_explicit(&is_busy, memory_order_release); }

/* Without memory for a life the object has none, and its copies are as live as it was. */
void* nearfar_fortran_hold(int64_t* birth) {
  begin_change();
  life* found = spares;
  if (found) spares = found->next;
  end_change();
  if (found == NULL) found = calloc(1, sizeof *found);
  *birth = found ? atomic_load(&found->number) : 0;
  return found;
}

int nearfar_fortran_is_live(const void* given, int64_t birth) {
  const life* found = given;
  return found == NULL || atomic_load(&found->number) == birth;
}

void nearfar_fortran_release(void* given, int64_t birth) {
  life* found = given;
  if (found == NULL || !atomic_compare_exchange_strong(&found->number, &birth, birth + 1)) return;
  begin_change();
  found->next = spares;
  spares = found;
  end_change();
}
