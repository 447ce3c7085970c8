// SPDX-License-Identifier: BSD-3-Clause
// Methods of distributing mortar points over ranks, to compare with owners that follow the elements.
#pragma once

#include <mortar/numbering.hpp>
#include <nearfar/distribution.hpp>
#include <string_view>

namespace adaptive_heat {

/// @source Korzh 2010: block, cyclic, two-block and reversed two-block
enum class point_distribution {
  block,
  cyclic,
  block_cyclic,        ///< blocks of 64 points, dealt out in turn
  two_block,           ///< vertices in blocks, other points in blocks
  reversed_two_block,  ///< the same, other points from the last rank to the first
  owner_rule,          ///< each point on the rank that owns it in the other forms, named point by point
};
inline constexpr point_distribution all_point_distributions[] = {point_distribution::block,
                                                                 point_distribution::cyclic,
                                                                 point_distribution::block_cyclic,
                                                                 point_distribution::two_block,
                                                                 point_distribution::reversed_two_block,
                                                                 point_distribution::owner_rule};

std::string_view name_of(point_distribution where);
/// @throws nearfar::usage_error for another name
point_distribution point_distribution_named(std::string_view name);

/// Collective over the team. `own` is how many of numbers.points are this rank's own.
nearfar::distribution distribute(const nearfar::team& members, const global_numbers& numbers, std::int64_t own,
                                 point_distribution how);

}  // namespace adaptive_heat
