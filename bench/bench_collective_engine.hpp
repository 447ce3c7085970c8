// SPDX-License-Identifier: BSD-3-Clause
// The library's contenders of a collective case: the tuned choice and every algorithm by name, in private and in near
// memory.
#pragma once

#include <nearfar/team.hpp>
#include <vector>

#include "bench_collective_case.hpp"

namespace bench {

/// Appends "nearfar", "nearfar-shared" (buffers in near memory) and "nearfar:NAME" for each algorithm that serves the
/// case. Collective over the team.
void add_nearfar(const nearfar::team& members, const options& how, const collective_case& c, const mpi_functions& own,
                 std::vector<contender>& to);

}  // namespace bench
