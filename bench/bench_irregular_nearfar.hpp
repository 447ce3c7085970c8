// SPDX-License-Identifier: BSD-3-Clause
// The library's methods.
#pragma once

#include <nearfar/error.hpp>
#include <nearfar/irregular_vector.hpp>

#include "bench_irregular_method.hpp"

namespace bench {

/// Tuned and with every method that can serve this team's peers, in near memory and in the caller's.
std::vector<irregular_method_maker> nearfar_methods(const irregular_site& here, const nearfar::team& members);

}  // namespace bench
