// SPDX-License-Identifier: BSD-3-Clause
// Built so that nothing can be preloaded to it (linked statically).
#include <stdio.h>

int main(void) {
  puts("it runs without the library");
  return 0;
}
