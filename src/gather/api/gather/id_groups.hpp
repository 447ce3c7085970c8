// SPDX-License-Identifier: BSD-3-Clause
// Entries of all ranks that carry the same id, as references to one element: for programs that have ids, but no owners.
#pragma once

#include <cstdint>
#include <nearfar/distribution.hpp>
#include <span>
#include <vector>

namespace nearfar::gathering {

/// Ids are any numbers but the lowest; 0 means that an entry takes no part, a negative one that it is flagged. An entry belongs to the
/// group of its id's magnitude.
struct id_groups {
  index own_elements = 0;       ///< of this rank, in blocks in rank order: the number of different ids here
  std::vector<index> elements;  ///< of the entries that take part, in their order: the element of their group
  std::vector<bool> is_unique;  ///< of the entries that take part: the one of its group that is not to be flagged
};

/// The owner of a group is the lowest rank with an entry that is not flagged, else the lowest rank with an entry. An element that
/// other ranks own is left out of use. Collective over the team.
/// @throws usage_error  on every rank: an id without a magnitude
/// @cost   two messages to each of the ranks that keep ids (a hash of the id says which), 16 bytes per id and rank
/// @source the discovery of gslib: a meeting at the rank that the id names
id_groups group_ids(const team& members, std::span<const std::int64_t> ids);

}  // namespace nearfar::gathering
