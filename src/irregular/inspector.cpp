// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the references: mark the elements referred to, then write for each reference the number of its
// element among the marked ones.
#include "inspector.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <optional>
#include <topology/agree.hpp>

#include "rank_bitmap.hpp"

namespace nearfar::irregular {

namespace {

constexpr std::size_t block = 8;  // references that are looked at together: most blocks of a mesh are all own

[[noreturn]] void refuse(const distribution_state& where, std::span<const index_t> indices, const std::string& plan) {
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (indices[k] < 0 || indices[k] >= where.elements)
      throw usage_error(text(plan, ": reference ", k, " of rank ", where.members.rank(), " is to element ", indices[k],
                             "; elements are 0 … ", where.elements - 1));
  throw usage_error(text(plan, ": an index is out of range"));
}

void require_capacity(const distribution_state& where, index_t ghosts, const std::string& plan) {
  if (where.owned + ghosts > std::numeric_limits<std::int32_t>::max())
    throw usage_error(text(plan, ": rank ", where.members.rank(), " has ", where.owned, " own elements and ", ghosts,
                           " ghosts; together at most ", std::numeric_limits<std::int32_t>::max()));
}

/// Calls own(k, offset) for whole blocks of references in first … first + owned - 1, and any(k, index, offset) for all
/// others, own or remote: where they are mixed at random, a branch on that is mispredicted half the time.
template <class Own, class Any>
[[gnu::always_inline]] inline void for_references(std::span<const index_t> indices, index_t first, index_t owned,
                                                  Own own, Any any) {
  const auto low = static_cast<std::uint64_t>(first), count = static_cast<std::uint64_t>(owned);
  const std::size_t whole = indices.size() / block * block;
  const auto offset = [&](std::size_t k) { return static_cast<std::uint64_t>(indices[k]) - low; };
  for (std::size_t k = 0; k < whole; k += block) {
    bool is_any_remote = false;
    for (std::size_t j = 0; j < block; ++j) is_any_remote |= offset(k + j) >= count;
    if (!is_any_remote)
      for (std::size_t j = 0; j < block; ++j) own(k + j, offset(k + j));
    else
      for (std::size_t j = 0; j < block; ++j) any(k + j, indices[k + j], offset(k + j));
  }
  for (std::size_t k = whole; k < indices.size(); ++k) any(k, indices[k], offset(k));
}

/// Marks the references outside of this rank's range. False: an index is out of range.
bool mark_remote(std::span<const index_t> indices, index_t elements, index_t first, index_t owned, rank_bitmap& marks) {
  if (elements == 0) return indices.empty();
  const auto limit = static_cast<std::uint64_t>(elements);
  bool is_in_range = true;
  for_references(
      indices, first, owned, [](std::size_t, std::uint64_t) {},
      [&](std::size_t, index_t g, std::uint64_t) {
        const bool is_good = static_cast<std::uint64_t>(g) < limit;
        is_in_range &= is_good;
        marks.insert(is_good ? g : 0);
      });
  marks.erase(first, owned);
  return is_in_range;
}

/// After mark_remote, which has made the pages of all that is looked up here.
[[gnu::always_inline]] inline void number_all(std::span<const index_t> indices, index_t first, index_t owned,
                                              const rank_bitmap& marks, std::int32_t* local) {
  const auto count = static_cast<std::uint64_t>(owned);
  const auto ghosts = static_cast<std::int32_t>(owned);
  for_references(
      indices, first, owned, [&](std::size_t k, std::uint64_t o) { local[k] = static_cast<std::int32_t>(o); },
      [&](std::size_t k, index_t g, std::uint64_t o) {
        const std::int32_t ghost = ghosts + marks.rank(g);
        local[k] = o < count ? static_cast<std::int32_t>(o) : ghost;
      });
}

#if defined(__x86_64__)
/// Counting bits is one instruction of nearly all processors, but not of those that compilers assume.
[[gnu::target("popcnt")]] void number_by_popcnt(std::span<const index_t> indices, index_t first, index_t owned,
                                                const rank_bitmap& marks, std::int32_t* local) {
  number_all(indices, first, owned, marks, local);
}
#endif

void number_references(std::span<const index_t> indices, index_t first, index_t owned, const rank_bitmap& marks,
                       std::int32_t* local) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("popcnt")) return number_by_popcnt(indices, first, owned, marks, local);
#endif
  number_all(indices, first, owned, marks, local);
}

void append_owner(std::vector<share>& owners, int peer, index_t at) {
  if (owners.empty() || owners.back().peer != peer) owners.push_back({peer, at, 0});
  ++owners.back().count;
}

/// Own elements are one range and owners ascend: ghosts are the remote members of the bitmap in order.
inspection inspect_range(const distribution_state& where, std::span<const index_t> indices, index_t first,
                         const std::string& plan) {
  inspection r;
  r.owned = where.owned;
  rank_bitmap marks(where.elements);
  if (!mark_remote(indices, where.elements, first, r.owned, marks)) refuse(where, indices, plan);
  const index_t ghosts = marks.count();
  require_capacity(where, ghosts, plan);
  r.local.resize(indices.size());
  number_references(indices, first, r.owned, marks, r.local.data());
  const std::vector<index_t> remote = marks.members();
  std::vector<int> owners(remote.size());
  std::vector<index_t> offsets(remote.size());
  where.locate(remote, owners, offsets);
  r.ghost_offsets.resize(remote.size());
  for (std::size_t i = 0; i < remote.size(); ++i) {
    r.ghost_offsets[i] = static_cast<std::int32_t>(offsets[i]);
    append_owner(r.owners, owners[i], as_index(i));
  }
  return r;
}

/// The elements that are referred to, ascending, and where each is.
struct located {
  rank_bitmap marks;
  std::vector<index_t> members;
  std::vector<int> owners;
  std::vector<index_t> offsets;
  explicit located(index_t elements) : marks(elements) {}
};

void mark_all(const distribution_state& where, std::span<const index_t> indices, const std::string& plan, located& l) {
  for (const index_t g : indices) {
    if (g < 0 || g >= where.elements) refuse(where, indices, plan);
    l.marks.insert(g);
  }
  l.marks.count();
  l.members = l.marks.members();
  l.owners.resize(l.members.size());
  l.offsets.resize(l.members.size());
}

void require_offsets(const distribution_state& where, const located& l, const std::string& plan) {
  for (std::size_t i = 0; i < l.members.size(); ++i)
    if (l.offsets[i] > std::numeric_limits<std::int32_t>::max() ||
        (l.owners[i] == where.members.rank() && l.offsets[i] >= where.owned))
      throw usage_error(text(
          plan, ": element ", l.members[i], " is said to be number ", l.offsets[i], " of rank ", l.owners[i],
          where.members.rank() == l.owners[i] ? text(", which owns ", where.owned) : ", beyond 32-bit local indices"));
}

/// What a rule says of other ranks' elements would be read at theirs, outside of their memory.
void require_others_limits(const distribution_state& where, const located& l, const std::string& plan) {
  for (std::size_t i = 0; i < l.members.size(); ++i)
    if (const index_t limit = where.limit_of(l.owners[i]); l.owners[i] != where.members.rank() && l.offsets[i] >= limit)
      throw usage_error(text(plan, ": element ", l.members[i], " is said to be number ", l.offsets[i], " of rank ",
                             l.owners[i], ", which owns ", limit));
}

/// Remote members by owner, those of one owner in ascending order of index.
std::vector<std::size_t> remote_by_owner(const distribution_state& where, const located& l) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < l.members.size(); ++i)
    if (l.owners[i] != where.members.rank()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return l.owners[a] < l.owners[b]; });
  return order;
}

inspection number(const distribution_state& where, std::span<const index_t> indices, const std::string& plan,
                  const located& l) {
  inspection r;
  r.owned = where.owned;
  require_offsets(where, l, plan);
  require_others_limits(where, l, plan);
  const std::vector<std::size_t> order = remote_by_owner(where, l);
  require_capacity(where, as_index(order.size()), plan);
  std::vector<std::int32_t> numbers(l.members.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(l.offsets[i]);
  for (const std::size_t i : order) {
    append_owner(r.owners, l.owners[i], r.ghosts());
    r.ghost_offsets.push_back(numbers[i]);
    if (where.is_collective()) r.ghost_globals.push_back(l.members[i]);
    numbers[i] = static_cast<std::int32_t>(where.owned + r.ghosts() - 1);
  }
  r.ghost_offsets.shrink_to_fit();
  r.ghost_globals.shrink_to_fit();
  r.local.resize(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) r.local[k] = numbers[as_size(l.marks.rank(indices[k]))];
  return r;
}

/// Ghosts with near and with far owners.
std::array<index_t, 2> ghosts_by_distance(const team& members, const inspection& r) {
  std::array<index_t, 2> ghosts{};
  for (const share& o : r.owners) ghosts[members.is_near(o.peer) ? 0 : 1] += o.count;
  return ghosts;
}

}  // namespace

inspection inspect(const team& members, const distribution_state& where, std::span<const index_t> indices,
                   const std::string& plan, const std::function<void()>& check) {
  inspection r;
  std::array<index_t, 2> most{};
  const auto agree_with_most = [&](auto&& act) {
    agree(
        members, [&] { act(), most = ghosts_by_distance(members, r); }, most);
    r.most = most;
  };
  if (const auto first = where.first_of_range()) {
    agree_with_most([&] { check(), r = inspect_range(where, indices, *first, plan); });
    return r;
  }
  std::optional<located> l;  // made where all ranks fail if one has no memory for it
  const auto mark = [&] { check(), mark_all(where, indices, plan, l.emplace(where.elements)); };
  const auto look = [&] { where.locate(l->members, l->owners, l->offsets); };
  const auto number_them = [&] { r = number(where, indices, plan, *l); };
  if (!where.is_collective()) {
    agree_with_most([&] { mark(), look(), number_them(); });
    return r;
  }
  agree(members, mark);
  look();
  agree_with_most(number_them);
  return r;
}

}  // namespace nearfar::irregular
