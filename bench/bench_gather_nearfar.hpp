// SPDX-License-Identifier: BSD-3-Clause
// The library's ways.
#pragma once

#include <nearfar/error.hpp>
#include <nearfar/gathered_vector.hpp>

#include "bench_gather_way.hpp"

namespace bench {

/// Tuned and with every method that can serve this team's peers, in near memory and in the caller's.
std::vector<way_maker> nearfar_ways(const gather_site& here, const nearfar::team& members);

}  // namespace bench
