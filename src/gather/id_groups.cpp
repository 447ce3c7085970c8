// SPDX-License-Identifier: BSD-3-Clause
// Ids meet at the rank that their hash names; it tells all sharers which of their elements stands for the group.
#include <algorithm>
#include <base/bytes.hpp>
#include <base/numbers.hpp>
#include <base/text.hpp>
#include <bit>
#include <gather/id_groups.hpp>
#include <limits>
#include <map>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "sparse_talk.hpp"

namespace nearfar::gathering {

namespace {

constexpr const char* words = "groups of ids";

/// Ids often have strides; the multiplication spreads them (Knuth's, for 64 bits).
std::uint64_t spread(std::int64_t id) { return static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U; }

int keeper_of(std::int64_t id, int ranks) {
  return static_cast<int>((spread(id) >> 24 & 0xFFFFFFFFU) % static_cast<std::uint64_t>(ranks));
}

/// What a rank says about an id: its own element for it, twice, plus one if all its entries are flagged.
struct claim {
  std::int64_t id = 0, element_and_flag = 0;
};

/// Numbers ids as they first appear. Open addressing in a table that is at most half full; 0 is no id.
class numbering {
 public:
  explicit numbering(std::size_t most_ids)
      : entries_(std::bit_ceil(2 * most_ids + 2)), shift_(64 - std::countr_zero(entries_.size())) {}
  /// The number of the id; that of a new one is how many there were.
  index number_of(std::int64_t id) {
    std::size_t at = spread(id) >> shift_;
    while (entries_[at].id != id) {
      if (entries_[at].id == 0) {
        entries_[at] = {id, count_};
        return count_++;
      }
      at = (at + 1) & (entries_.size() - 1);
    }
    return entries_[at].number;
  }

 private:
  struct entry {
    std::int64_t id = 0;
    index number = 0;
  };
  std::vector<entry> entries_;
  int shift_;
  index count_ = 0;
};

/// The different ids of this rank, numbered as they first appear.
struct local_ids {
  explicit local_ids(std::span<const std::int64_t> ids) {
    numbering numbers(ids.size());
    slot_of_entry.reserve(ids.size());
    for (const std::int64_t id : ids) {
      if (id == 0) continue;
      const std::int64_t magnitude = id < 0 ? -id : id;
      const index slot = numbers.number_of(magnitude);
      if (slot == as_index(all.size())) all.push_back(magnitude), is_flagged.push_back(true);
      if (id > 0) is_flagged[as_size(slot)] = false;
      slot_of_entry.push_back(slot);
    }
  }
  std::vector<std::int64_t> all;
  std::vector<bool> is_flagged;
  std::vector<index> slot_of_entry;
};

/// answers[sender][position] = the element of the group, for what all senders claim; senders in ascending order of rank.
std::vector<std::vector<index>> settle(const std::vector<std::vector<claim>>& claims) {
  std::size_t most = 0;
  for (const auto& of_sender : claims) most += of_sender.size();
  numbering numbers(most);
  std::vector<index> group_of_claim, best;
  for (const auto& of_sender : claims)
    for (const claim& c : of_sender) {
      const index group = numbers.number_of(c.id);
      group_of_claim.push_back(group);
      if (group == as_index(best.size())) best.push_back(c.element_and_flag);
      if (best[as_size(group)] % 2 != 0 && c.element_and_flag % 2 == 0) best[as_size(group)] = c.element_and_flag;
    }
  std::vector<std::vector<index>> answers;
  auto group = group_of_claim.begin();
  for (const auto& of_sender : claims) {
    answers.emplace_back();
    for (std::size_t k = 0; k < of_sender.size(); ++k) answers.back().push_back(best[as_size(*group++)] / 2);
  }
  return answers;
}

/// elements[slot] of this rank's ids; `base` is its first element.
std::vector<index> meet(const team& members, const local_ids& here, index base) {
  std::map<int, std::vector<std::size_t>> slots_of_keeper;
  for (std::size_t s = 0; s < here.all.size(); ++s)
    slots_of_keeper[keeper_of(here.all[s], members.size())].push_back(s);
  std::vector<claim> mine;
  std::vector<letter> out;
  for (const auto& [keeper, slots] : slots_of_keeper) {
    std::vector<claim> claims;
    for (const std::size_t s : slots)
      claims.push_back({here.all[s], 2 * (base + as_index(s)) + (here.is_flagged[s] ? 1 : 0)});
    if (keeper == members.rank()) {
      mine = std::move(claims);
      continue;
    }
    byte_writer w;
    w.put_list(claims);
    out.push_back({keeper, w.take()});
  }

  // Senders in ascending order, this rank among them: the lowest rank of a group is found by its place.
  std::vector<int> senders;
  std::vector<std::vector<claim>> claims;
  const auto add_mine = [&] { senders.push_back(members.rank()), claims.push_back(mine); };
  bool is_added = false;
  for (const letter& l : sparse_talk(members, out, words)) {
    if (!is_added && l.peer > members.rank()) add_mine(), is_added = true;
    senders.push_back(l.peer), claims.push_back(byte_reader(l.bytes).get_list<claim>());
  }
  if (!is_added) add_mine();

  std::vector<index> elements(here.all.size());
  const auto take = [&](int keeper, const std::vector<index>& answers) {
    const auto found = slots_of_keeper.find(keeper);
    if (found == slots_of_keeper.end()) return;
    for (std::size_t k = 0; k < answers.size(); ++k) elements[found->second[k]] = answers[k];
  };
  const auto answers = settle(claims);
  std::vector<letter> replies;
  for (std::size_t s = 0; s < senders.size(); ++s) {
    if (senders[s] == members.rank()) {
      take(members.rank(), answers[s]);
      continue;
    }
    byte_writer w;
    w.put_list(answers[s]);
    replies.push_back({senders[s], w.take()});
  }
  for (const letter& l : sparse_talk(members, replies, words)) take(l.peer, byte_reader(l.bytes).get_list<index>());
  return elements;
}

}  // namespace

id_groups group_ids(const team& members, std::span<const std::int64_t> ids) {
  agree(members, [&] {
    if (std::find(ids.begin(), ids.end(), std::numeric_limits<std::int64_t>::min()) != ids.end())
      throw usage_error("groups of ids: an id is -2^63, which has no magnitude in 64 bits");
  });
  const local_ids here(ids);
  id_groups g;
  g.own_elements = as_index(here.all.size());
  index base = 0;
  watched_mpi("MPI_Exscan",
              [&] { return MPI_Exscan(&g.own_elements, &base, 1, MPI_INT64_T, MPI_SUM, members.comm()); });
  if (members.rank() == 0) base = 0;
  const std::vector<index> elements = meet(members, here, base);

  std::vector<bool> is_taken(here.all.size(), false);
  auto slot = here.slot_of_entry.begin();
  for (const std::int64_t id : ids) {
    if (id == 0) continue;
    const std::size_t s = as_size(*slot++);
    const bool is_one = id > 0 && elements[s] == base + as_index(s) && !is_taken[s];
    g.elements.push_back(elements[s]);
    g.is_unique.push_back(is_one);
    if (is_one) is_taken[s] = true;
  }
  return g;
}

}  // namespace nearfar::gathering
