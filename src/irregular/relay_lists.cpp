// SPDX-License-Identifier: BSD-3-Clause
// Owners merge the lists of a node's ranks and send each rank the places of its elements in the merged list. They know
// all lists, in order of offsets, so nothing needs to be sorted or searched.
#include "relay_lists.hpp"

#include <algorithm>
#include <base/bytes.hpp>
#include <base/internals.hpp>
#include <far/talk.hpp>
#include <iterator>
#include <map>
#include <topology/team_state.hpp>

#include "rank_bitmap.hpp"

namespace nearfar::irregular {

namespace {

/// What an owner tells a rank that wants elements of it.
struct answer {
  int receiver = 0;   ///< team rank
  index_t count = 0;  ///< elements for all ranks of the node
  std::int32_t start = 0;
  std::vector<std::int32_t> places;  ///< where start is -1
  std::vector<int> wanters;          ///< of the node; told to the receiver only

  std::vector<std::byte> bytes() const {
    byte_writer w;
    w.put(receiver), w.put(count), w.put(start), w.put_list(places), w.put_list(wanters);
    return w.take();
  }
  explicit answer() = default;
  explicit answer(const std::vector<std::byte>& bytes) {
    byte_reader r(bytes);
    receiver = r.get<int>(), count = r.get<index_t>(), start = r.get<std::int32_t>();
    places = r.get_list<std::int32_t>(), wanters = r.get_list<int>();
  }
};

/// Merges lists of own elements; numbers them in the order in which they are met. A rank may own far more elements than
/// are in the lists, so memory is for these.
class merger {
 public:
  merger(index_t owned, const std::vector<std::int32_t>& all, std::vector<std::int32_t>& merged)
      : marks_(owned), merged_(merged), first_(merged.size()) {
    for (const std::int32_t element : all) marks_.insert(element);
    number_.assign(as_size(marks_.count()), -1);
  }

  void begin() {
    for (std::size_t i = first_; i < merged_.size(); ++i) number_of(merged_[i]) = -1;
    first_ = merged_.size();
  }
  index_t count() const { return as_index(merged_.size() - first_); }

  void add(const std::int32_t* elements, index_t entries, answer& to) {
    to.places.resize(as_size(entries));
    bool is_together = true;
    for (index_t k = 0; k < entries; ++k) {
      std::int32_t& n = number_of(elements[k]);
      if (n < 0) n = static_cast<std::int32_t>(count()), merged_.push_back(elements[k]);
      to.places[as_size(k)] = n;
      is_together &= n == to.places[0] + k;
    }
    to.start = is_together ? to.places[0] : -1;
    if (is_together) to.places.clear();
  }

 private:
  std::int32_t& number_of(std::int32_t element) { return number_[as_size(marks_.rank(element))]; }

  rank_bitmap marks_;                 ///< elements of any list
  std::vector<std::int32_t> number_;  ///< per marked element: in the list that is being made; else -1
  std::vector<std::int32_t>& merged_;
  std::size_t first_;
};

/// Positions in the list of those who want own elements, by far node.
std::map<int, std::vector<std::size_t>> wanters_by_node(int own_node, const routes& to) {
  std::map<int, std::vector<std::size_t>> of;
  for (std::size_t i = 0; i < to.wanter_nodes.size(); ++i)
    if (to.wanter_nodes[i] != own_node) of[to.wanter_nodes[i]].push_back(i);
  return of;
}

/// Answers by peer; the merged lists go to `out`.
std::map<int, answer> merge_all(const team_state& s, index_t owned, const routes& to, peer_lists& out) {
  std::map<int, answer> answers;
  merger all(owned, to.wanted.places, out.places);
  for (const auto& [node, wanters] : wanters_by_node(s.node, to)) {
    all.begin();
    const index_t first = as_index(out.places.size());
    // Owners of one node choose different receivers; a receiver is the first, so that its ghosts lie together.
    const std::size_t chosen = as_size(s.near_rank + s.node) % wanters.size();
    for (std::size_t k = 0; k < wanters.size(); ++k) {
      const share& w = to.wanted.peers[wanters[(chosen + k) % wanters.size()]];
      all.add(to.wanted.places.data() + w.first, w.count, answers[w.peer]);
    }
    const int receiver = to.wanted.peers[wanters[chosen]].peer;
    out.peers.push_back({receiver, first, all.count()});
    for (const std::size_t i : wanters) {
      answer& a = answers[to.wanted.peers[i].peer];
      a.receiver = receiver, a.count = all.count();
      answers[receiver].wanters.push_back(to.wanted.peers[i].peer);
    }
  }
  std::sort(out.peers.begin(), out.peers.end(), [](const share& a, const share& b) { return a.peer < b.peer; });
  return answers;
}

/// Sends the answers; returns those of this rank's far owners.
std::map<int, answer> talk(const team& members, const std::vector<share>& owners, const std::map<int, answer>& mine) {
  std::map<int, std::vector<std::byte>> words;
  for (const auto& [peer, a] : mine) words[peer] = a.bytes();
  for (const share& o : owners)
    if (!members.is_near(o.peer)) words.try_emplace(o.peer);
  std::vector<int> who;
  std::vector<std::vector<std::byte>> out;
  for (auto& [peer, w] : words) who.push_back(peer), out.push_back(std::move(w));
  const auto in = far::talk(members, who, out);
  std::map<int, answer> theirs;
  for (std::size_t i = 0; i < who.size(); ++i)
    if (!in[i].empty()) theirs.emplace(who[i], answer(in[i]));
  return theirs;
}

int near_rank_of(const team_state& s, int rank) {
  return static_cast<int>(std::lower_bound(s.near_ranks.begin(), s.near_ranks.end(), rank) - s.near_ranks.begin());
}

/// Lays out this rank's area.
void receive(const team_state& s, const std::map<int, answer>& answers, relay_lists& r) {
  for (const auto& [owner, a] : answers) {
    if (a.receiver != s.rank) continue;
    r.in.push_back({owner, r.area_entries(), a.count});
    for (const int w : a.wanters)
      if (w != s.rank) r.readers.push_back(near_rank_of(s, w));
  }
  std::sort(r.readers.begin(), r.readers.end());
  r.readers.erase(std::unique(r.readers.begin(), r.readers.end()), r.readers.end());
}

void append_reading(const team_state& s, const share& ghosts, const answer& a, index_t first, relay_lists& r) {
  reading& own = r.readings.emplace_back();
  own.ghosts = ghosts;
  own.receiver = near_rank_of(s, a.receiver);
  own.first = first;
  own.count = a.count;
  own.start = a.start;
  own.places = as_index(r.places.size());
  r.places.insert(r.places.end(), a.places.begin(), a.places.end());
}

}  // namespace

relay_lists make_relay_lists(const team& members, const inspection& here, const routes& to) {
  const team_state& s = state_of(members);
  relay_lists r;
  const auto answers = talk(members, here.owners, merge_all(s, here.owned, to, r.out));
  receive(s, answers, r);
  // A far owner has one receiver on this node: what all receive, sorted, says where each owner's elements lie.
  std::vector<share> areas = far::all_of_node(members, r.in);
  std::sort(areas.begin(), areas.end(), [](const share& a, const share& b) { return a.peer < b.peer; });
  for (const share& o : here.owners) {
    if (members.is_near(o.peer)) continue;
    const auto area =
        std::lower_bound(areas.begin(), areas.end(), o.peer, [](const share& a, int peer) { return a.peer < peer; });
    append_reading(s, o, answers.at(o.peer), area->first, r);
  }
  std::stable_sort(r.readings.begin(), r.readings.end(),
                   [](const reading& a, const reading& b) { return a.receiver < b.receiver; });
  return r;
}

}  // namespace nearfar::irregular
