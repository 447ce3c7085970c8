// SPDX-License-Identifier: BSD-3-Clause
// A request: how many ghosts and references, the ghosts' offsets at the owner, and for each reference the number of its
// ghost.
#include "discovery.hpp"

#include <algorithm>
#include <array>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cstring>
#include <limits>
#include <nearfar/error.hpp>
#include <nearfar/sparse_exchange.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "put_off.hpp"

namespace nearfar::irregular {

namespace {

struct request_head {
  std::int64_t ghosts = 0, references = 0;
  std::int64_t node = 0;  ///< of who asks
};

index_t bytes_of(const request_head& h) {
  return as_index(sizeof h) + (h.ghosts + h.references) * as_index(sizeof(std::int32_t));
}

class requests {
 public:
  requests(const inspection& here, const peer_lists& references, int node)
      : here_(here), references_(references), node_(node) {}

  request_head head(std::size_t owner) const {
    const index_t count = references_.peers.empty() ? 0 : references_.peers[owner].count;
    return {here_.owners[owner].count, count, node_};
  }

  std::byte* write(std::size_t owner, std::byte* to) const {
    const request_head h = head(owner);
    const share& ghosts = here_.owners[owner];
    to = append(to, &h, sizeof h);
    to = append(to, here_.ghost_offsets.data() + ghosts.first, as_size(h.ghosts) * sizeof(std::int32_t));
    if (h.references == 0) return to;
    const index_t first = references_.peers[owner].first;
    for (index_t k = 0; k < h.references; ++k) {
      const std::int32_t position = references_.places[as_size(first + k)];
      const auto ghost = static_cast<std::int32_t>(here_.local[as_size(position)] - here_.owned - ghosts.first);
      to = append(to, &ghost, sizeof ghost);
    }
    return to;
  }

 private:
  static std::byte* append(std::byte* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return to + bytes;
  }
  const inspection& here_;
  const peer_lists& references_;
  int node_;
};

void take_request(int peer, const std::byte* from, routes& r) {
  request_head h;
  std::memcpy(&h, from, sizeof h);
  if (h.ghosts == 0) return;
  std::vector<std::int32_t>& wanted = r.wanted.places;
  r.wanted.peers.push_back({peer, as_index(wanted.size()), h.ghosts});
  r.wanter_nodes.push_back(static_cast<int>(h.node));
  const std::size_t first = wanted.size();
  wanted.resize(first + as_size(h.ghosts));
  std::memcpy(wanted.data() + first, from + sizeof h, as_size(h.ghosts) * sizeof(std::int32_t));
  if (h.references == 0) return;
  std::vector<std::int32_t>& in = r.in_references.places;
  const std::size_t start = in.size();
  r.in_references.peers.push_back({peer, as_index(start), h.references});
  in.resize(start + as_size(h.references));
  std::memcpy(in.data() + start, from + sizeof h + as_size(h.ghosts) * sizeof(std::int32_t),
              as_size(h.references) * sizeof(std::int32_t));
  for (std::size_t k = start; k < in.size(); ++k) in[k] = wanted[first + as_size(in[k])];
}

/// References to ghosts, by owner, in the order of the references.
peer_lists references_by_owner(const inspection& here, const std::string& plan) {
  if (here.local.size() > as_size(std::numeric_limits<std::int32_t>::max()))
    throw usage_error(text(plan, ": ", here.local.size(), " references; in the canonical order a rank has at most ",
                           std::numeric_limits<std::int32_t>::max()));
  peer_lists r;
  std::vector<std::int32_t> owner_of(as_size(here.ghosts()));
  for (std::size_t o = 0; o < here.owners.size(); ++o) {
    r.peers.push_back({here.owners[o].peer, 0, 0});
    for (index_t i = 0; i < here.owners[o].count; ++i)
      owner_of[as_size(here.owners[o].first + i)] = static_cast<std::int32_t>(o);
  }
  const auto for_ghosts = [&](auto body) {
    for (std::size_t k = 0; k < here.local.size(); ++k)
      if (here.local[k] >= here.owned)
        body(r.peers[as_size(owner_of[as_size(here.local[k] - here.owned)])], static_cast<std::int32_t>(k));
  };
  for_ghosts([](share& s, std::int32_t) { ++s.count; });
  index_t first = 0;
  for (share& s : r.peers) s.first = first, first += s.count, s.count = 0;
  r.places.resize(as_size(first));
  for_ghosts([&](share& s, std::int32_t k) { r.places[as_size(s.first + s.count++)] = k; });
  return r;
}

/// Each near rank posts to each other, if only to say that it needs nothing.
class near_requests {
 public:
  near_requests(const team& members, notification_table& b, const std::string& plan)
      : s_(state_of(members)), notifications_(b), plan_(plan), epoch_(b.next_epoch(stream::request)) {
    whom_ = [this] { return text("near rank ", s_.near_ranks[as_size(awaited_)], " to say what it needs"); };
  }

  /// Until near ranks have read the requests before the last ones.
  void wait_for_space() {
    wait([&] { return notifications_.has_free_slot(stream::request, epoch_); });
  }

  /// Local. @throws resource_error
  void write(const requests& all, const std::vector<share>& owners) {
    const request_head nothing;
    index_t bytes = bytes_of(nothing);
    for (std::size_t o = 0; o < owners.size(); ++o)
      if (near_rank_of(owners[o].peer) >= 0) bytes += bytes_of(all.head(o));
    std::byte* const space = notifications_.packing_space(stream::request, epoch_, bytes);
    space_ = space;
    std::memcpy(space, &nothing, sizeof nothing);
    bytes_ = bytes;
    at_.assign(as_size(s_.near_size), 0);
    std::byte* to = space + sizeof nothing;
    for (std::size_t o = 0; o < owners.size(); ++o)
      if (const int r = near_rank_of(owners[o].peer); r >= 0) at_[as_size(r)] = to - space, to = all.write(o, to);
  }

  void post() {
    for (int r = 0; r < s_.near_size; ++r) {
      if (r == s_.near_rank) continue;
      near::handle h = notifications_.packing_place(stream::request, epoch_);
      const index_t at = at_[as_size(r)];
      h.offset += at;
      may_be_refused_ |=
          notifications_.post(stream::request, epoch_, r, {h, bytes_ - at, layout::in_order, space_ + at});
    }
  }

  /// Until those that may refuse what this rank has posted have taken it.
  void end() {
    if (may_be_refused_) wait_for_space();
  }

  /// Takes it in any case: its sender waits for that.
  void take(int near_rank, routes& r, put_off_failure& lack) {
    awaited_ = near_rank;
    arrival a;
    wait([&] {
      if (may_be_refused_) notifications_.answer(stream::request, epoch_);
      return (a = notifications_.arrived(stream::request, epoch_, near_rank)).what != nullptr;
    });
    lack.during([&] { take_request(s_.near_ranks[as_size(near_rank)], a.from, r); });
    notifications_.take(stream::request, epoch_, near_rank);
  }

 private:
  int near_rank_of(int rank) const {
    const auto at = std::lower_bound(s_.near_ranks.begin(), s_.near_ranks.end(), rank);
    return at != s_.near_ranks.end() && *at == rank ? static_cast<int>(at - s_.near_ranks.begin()) : -1;
  }
  template <class Done>
  void wait(Done done) {
    near::patience p(notifications_.waiting(), plan_, whom_);
    while (!done()) notifications_.has_messages() ? p.idle_in_mpi() : p.idle();
  }
  const team_state& s_;
  notification_table& notifications_;
  const std::string& plan_;
  std::uint64_t epoch_;
  std::vector<index_t> at_;  ///< per near rank: where its request lies among those that are written
  index_t bytes_ = 0;        ///< of all of them
  const std::byte* space_ = nullptr;
  bool may_be_refused_ = false;
  int awaited_ = 0;
  std::function<std::string()> whom_;
};

void put_far(const team& members, bool uses_shared_memory, const requests& all, const std::vector<share>& owners,
             sparse_exchange& talk) {
  for (std::size_t o = 0; o < owners.size(); ++o)
    if (!uses_shared_memory || !members.is_near(owners[o].peer))
      all.write(o, talk.append(owners[o].peer, as_size(bytes_of(all.head(o)))).data());
}

/// Near and far ranks in one ascending sequence.
void take_all(const team& members, near_requests* near, std::span<const sparse_exchange::message> messages, routes& r,
              put_off_failure& lack) {
  const team_state& s = state_of(members);
  std::size_t l = 0;
  const auto messages_below = [&](int rank) {
    for (; l < messages.size() && messages[l].peer < rank; ++l)
      lack.during([&] { take_request(messages[l].peer, messages[l].bytes.data(), r); });
  };
  for (int n = 0; near != nullptr && n < s.near_size; ++n) {
    if (n == s.near_rank) continue;
    messages_below(s.near_ranks[as_size(n)]);
    near->take(n, r, lack);
  }
  messages_below(members.size());
  if (near != nullptr) near->end();
}

}  // namespace

routes discover(const team& members, notification_table& b, bool uses_shared_memory, const inspection& here,
                bool has_references, const std::string& plan) {
  routes r;
  const bool has_near = uses_shared_memory && members.near_size() > 1;
  const bool has_messages = !uses_shared_memory || members.nodes() > 1;
  near_requests near(members, b, plan);
  sparse_exchange talk(members, plan);
  if (has_near) near.wait_for_space();
  agree(members, [&] {  // nobody posts who would wait for a rank that cannot
    if (has_references) r.out_references = references_by_owner(here, plan);
    const requests all(here, r.out_references, state_of(members).node);
    if (has_near) near.write(all, here.owners);
    if (has_messages) put_far(members, uses_shared_memory, all, here.owners, talk);
  });
  if (has_near) near.post();
  put_off_failure lack;
  std::span<const sparse_exchange::message> messages;
  if (has_messages) lack.during([&] { messages = talk.deliver(); });
  take_all(members, has_near ? &near : nullptr, messages, r, lack);
  agree(members, [&] { lack.raise(); });
  r.wanted.places.shrink_to_fit();
  r.in_references.places.shrink_to_fit();
  return r;
}

}  // namespace nearfar::irregular
