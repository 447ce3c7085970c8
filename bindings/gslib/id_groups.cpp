// SPDX-License-Identifier: BSD-3-Clause
// Ids meet at the rank that their hash names; it tells all sharers which of their elements stands for the group.
#include "id_groups.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "gslib.h"

namespace nearfar_gslib {
namespace {

/// What a rank says about an id, and what it is told.
struct claim {
  std::int64_t id, element;
  uint slot, rank;  ///< its number there; who keeps the id, or who claims it
  std::uint64_t is_flagged;
};

/// Ids often have strides; the multiplication spreads them (Knuth's, for 64 bits).
std::uint64_t spread(std::int64_t id) { return static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U; }

struct spread_hash {
  std::size_t operator()(std::int64_t id) const { return spread(id) >> 16; }
};

/// The different ids of this rank, numbered as they first appear.
struct local_ids {
  explicit local_ids(std::span<const long long> ids) {
    std::unordered_map<std::int64_t, uint, spread_hash> numbers(ids.size());
    for (const std::int64_t id : ids) {
      if (id == 0) continue;
      const std::int64_t magnitude = id < 0 ? -id : id;
      const auto [found, is_new] = numbers.emplace(magnitude, static_cast<uint>(all.size()));
      if (is_new) all.push_back({magnitude, 0, found->second, 0, 1});
      if (id > 0) all[found->second].is_flagged = 0;
      slot_of_entry.push_back(found->second);
    }
  }
  std::vector<claim> all;
  std::vector<uint> slot_of_entry;
};

/// Gives all claims of an id the element of the first rank that has it unflagged, else of the first.
void settle(std::span<claim> claims) {
  std::sort(claims.begin(), claims.end(), [](const claim& a, const claim& b) {
    return std::tie(a.id, a.is_flagged, a.rank) < std::tie(b.id, b.is_flagged, b.rank);
  });
  for (std::size_t i = 1; i < claims.size(); ++i)
    if (claims[i].id == claims[i - 1].id) claims[i].element = claims[i - 1].element;
}

/// elements[slot] of this rank's ids; `base` is its first element.
std::vector<std::int64_t> meet(const comm& members, local_ids& here, std::int64_t base) {
  for (claim& c : here.all) {
    c.element = base + c.slot;
    c.rank = static_cast<uint>((spread(c.id) >> 24 & 0xFFFFFFFFU) % members.np);
  }
  crystal router;
  crystal_init(&router, &members);
  array claims = null_array;
  array_cat(claim, &claims, here.all.data(), here.all.size());
  sarray_transfer(claim, &claims, rank, 1, &router);
  settle({static_cast<claim*>(claims.ptr), claims.n});
  sarray_transfer(claim, &claims, rank, 1, &router);
  std::vector<std::int64_t> elements(here.all.size());
  for (const claim& c : std::span(static_cast<const claim*>(claims.ptr), claims.n)) elements[c.slot] = c.element;
  array_free(&claims);
  crystal_free(&router);
  return elements;
}

}  // namespace

id_groups group_ids(const comm& members, std::span<const long long> ids) {
  if (std::find(ids.begin(), ids.end(), std::numeric_limits<long long>::min()) != ids.end())
    fail(1, __FILE__, __LINE__, "an id is -2^63, which has no magnitude in 64 bits");
  local_ids here(ids);
  id_groups g;
  g.own_elements = static_cast<std::int64_t>(here.all.size());
  std::int64_t base = 0;
  MPI_Exscan(&g.own_elements, &base, 1, MPI_INT64_T, MPI_SUM, members.c);
  if (members.id == 0) base = 0;
  const std::vector<std::int64_t> elements = meet(members, here, base);

  std::vector<bool> is_taken(here.all.size(), false);
  auto slot = here.slot_of_entry.begin();
  for (const long long id : ids) {
    if (id == 0) continue;
    const uint s = *slot++;
    const bool is_one = id > 0 && elements[s] == base + s && !is_taken[s];
    g.elements.push_back(elements[s]);
    g.is_unique.push_back(is_one);
    if (is_one) is_taken[s] = true;
  }
  return g;
}

}  // namespace nearfar_gslib
