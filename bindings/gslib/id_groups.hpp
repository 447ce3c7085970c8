// SPDX-License-Identifier: BSD-3-Clause
// Entries of all ranks that carry the same id, as references to one element of a distribution by blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

struct comm;

namespace nearfar_gslib {

/// 0 means that an entry takes no part, a negative id that it is flagged. An entry belongs to the group of its id's
/// magnitude.
struct id_groups {
  std::int64_t own_elements = 0;       ///< of this rank, in blocks in rank order: the number of different ids here
  std::vector<std::int64_t> elements;  ///< of the entries that take part, in their order: the element of their group
  std::vector<bool> is_unique;  ///< of the entries that take part: the one of its group that is not to be flagged
};

/// The owner of a group is the lowest rank with an entry that is not flagged, else the lowest rank with an entry. An
/// element that other ranks own is left out of use. Collective; ends the job if an id has no magnitude in 64 bits.
/// @cost   two transfers by the crystal router, 32 bytes per id and rank
/// @source the discovery of gslib: a meeting at the rank that the id names
id_groups group_ids(const comm& members, std::span<const long long> ids);

}  // namespace nearfar_gslib
