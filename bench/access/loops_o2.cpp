// SPDX-License-Identifier: BSD-3-Clause
// The loops as they are compiled by -O2.
#define LEVEL "O2"
#include "loops_inside.hpp"

bench::access_loops bench::loops_o2() { return loops(); }
