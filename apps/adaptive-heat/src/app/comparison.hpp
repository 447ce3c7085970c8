// SPDX-License-Identifier: BSD-3-Clause
// Distributions of the mortar points side by side, as Korzh (2010) compared them.
#pragma once

#include <base/problem.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace adaptive_heat {

/// One method of distributing points and summing over them.
struct compared_method {
  std::string name;
  std::int64_t points = 0;    ///< that ranks' elements refer to: the sum over ranks
  std::int64_t remote = 0;    ///< values asked of other ranks in one round: the sum over ranks
  std::int64_t far = 0;       ///< of those, ranks of other nodes
  std::int64_t busiest = 0;   ///< values asked for by one rank in one round, the most
  std::int64_t messages = 0;  ///< of one sum: pairs of ranks times rounds
  double iteration_s = 0;     ///< one iteration of the conjugate gradients: median, longest of all ranks
};

/// Runs all methods in turns on the first mesh of the problem, each rank with so many threads. Collective over the
/// team.
std::vector<compared_method> compare_distributions(const nearfar::team& members, const problem& what, int threads,
                                                   int rounds);
std::string comparison_table(const nearfar::team& members, const problem& what,
                             const std::vector<compared_method>& methods);

}  // namespace adaptive_heat
