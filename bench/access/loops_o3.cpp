// SPDX-License-Identifier: BSD-3-Clause
// The loops as they are compiled by -O3.
#define LEVEL "O3"
#include "loops_inside.hpp"

bench::access_loops bench::loops_o3() { return loops(); }
