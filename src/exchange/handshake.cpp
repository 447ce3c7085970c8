// SPDX-License-Identifier: BSD-3-Clause
// Checks a pattern and exchanges descriptions of regions with neighbours.
#include "handshake.hpp"

#include <algorithm>
#include <base/bytes.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <far/talk.hpp>
#include <map>
#include <near/past_caches.hpp>
#include <set>
#include <topology/agree.hpp>

namespace nearfar::exchange {

namespace {

void check_transfer(const context& c, const transfer& t, const char* side) {
  const auto& buffers = c.what.buffers;
  if (t.peer < 0 || t.peer >= c.members.size())
    throw usage_error(text(c.name, ": ", side, " names rank ", t.peer, "; ranks are 0 … ", c.members.size() - 1));
  if (t.buffer < 0 || as_size(t.buffer) >= buffers.size())
    throw usage_error(text(c.name, ": ", side, " names buffer ", t.buffer, "; there are ", buffers.size()));
  const buffer& b = buffers[as_size(t.buffer)];
  if (!t.where.is_within(b.bytes))
    throw usage_error(
        text(c.name, ": ", side, " with rank ", t.peer, " reaches outside its buffer of ", b.bytes, " bytes"));
}

/// Sums that are equal exactly when every send of the team has its receive (up to a chance of 2^-64); O(1) memory.
void require_matching(const context& c) {
  const auto stamp = [](int from, int to) { return hash64().add(from).add(to).value(); };
  std::uint64_t mine = 0, sum = 0;
  for (const transfer& t : c.what.sends) mine += stamp(c.members.rank(), t.peer);
  for (const transfer& t : c.what.receives) mine -= stamp(t.peer, c.members.rank());
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, c.members.comm()); });
  if (sum == 0) return;
  // Something is wrong somewhere: now it may cost memory to find out where.
  const auto size = as_size(c.members.size());
  std::vector<int> sends(size), expected(size), receives(size);
  for (const transfer& t : c.what.sends) ++sends[as_size(t.peer)];
  for (const transfer& t : c.what.receives) ++receives[as_size(t.peer)];
  watched_mpi("MPI_Alltoall",
              [&] { return MPI_Alltoall(sends.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, c.members.comm()); });
  agree(c.members, [&] {
    for (std::size_t p = 0; p < size; ++p)
      if (expected[p] != receives[p])
        throw usage_error(text(c.name, ": rank ", c.members.rank(), " expects ", receives[p], " regions from rank ", p,
                               ", which sends ", expected[p]));
  });
}

transfer_facts facts_of(const context& c, const transfer& t) {
  transfer_facts f;
  const buffer& b = c.what.buffers[as_size(t.buffer)];
  auto* base = static_cast<std::byte*>(b.base);
  f.is_in_arena = c.arena->is_shared() && c.arena->find(base, b.bytes).is_valid();
  const walk w = make_walk(base, t.where);
  f.element_bytes = t.where.element_bytes, f.run_bytes = w.run_bytes, f.runs = w.runs();
  f.extents = t.where.extents;
  return f;
}

piece piece_of(const context& c, const transfer& t) {
  auto* base = static_cast<std::byte*>(c.what.buffers[as_size(t.buffer)].base);
  return {t.where.bytes(), make_walk(base, t.where)};
}

std::vector<flow> group(const context& c, const std::vector<transfer>& transfers) {
  std::map<int, flow> by_peer;
  for (const transfer& t : transfers) {
    flow& f = by_peer[t.peer];
    f.peer = t.peer;
    f.is_self = t.peer == c.members.rank();
    f.transfers.push_back(&t);
    f.here.push_back(facts_of(c, t));
    f.pieces.push_back(piece_of(c, t));
    f.bytes += f.pieces.back().bytes;
  }
  std::vector<flow> flows;
  flows.reserve(by_peer.size());
  for (auto& [peer, f] : by_peer) flows.push_back(std::move(f));
  return flows;
}

void put_facts(byte_writer& out, const std::vector<transfer_facts>& facts) {
  out.put(facts.size());
  for (const auto& f : facts) {
    out.put(f.element_bytes), out.put(f.run_bytes), out.put(f.runs), out.put(f.is_in_arena);
    out.put_list(f.extents);
  }
}

std::vector<transfer_facts> get_facts(byte_reader& in) {
  std::vector<transfer_facts> facts(in.get<std::size_t>());
  for (auto& f : facts) {
    f.element_bytes = in.get<index_t>(), f.run_bytes = in.get<index_t>(), f.runs = in.get<index_t>();
    f.is_in_arena = in.get<bool>();
    f.extents = in.get_list<index_t>();
  }
  return facts;
}

/// Sources and destinations together, as near::fills_caches says: with double complex, 128^3 on 2 ranks (twice 16 MB of
/// 16 MB each), stores past the caches take half the time of others; with 64^3 they take as long.
void compare_with_caches(context& c) {
  index_t bytes = 0;
  for (const flow& f : c.receives) bytes += f.bytes;
  c.goes_past_caches = near::fills_caches(state_of(c), 2 * bytes);
  c.exceeds_core_cache = 2 * bytes > state_of(c).core_cache_bytes;
  for (flow& f : c.receives) f.stores_past_caches = c.goes_past_caches && !f.is_near() && !f.is_self;
}

flow* flow_with(std::vector<flow>& flows, int peer) {
  for (flow& f : flows)
    if (f.peer == peer) return &f;
  return nullptr;
}

void require_equal_sizes(const context& c, const flow& f) {
  for (std::size_t k = 0; k < f.here.size(); ++k) {
    const auto &a = f.here[k], &b = f.there[k];
    if (a.bytes() != b.bytes() || a.element_bytes != b.element_bytes)
      throw usage_error(text(c.name, ": region ", k, " from rank ", f.peer, " has ", b.bytes(),
                             " bytes in elements of ", b.element_bytes, ", but rank ", c.members.rank(), " expects ",
                             a.bytes(), " in elements of ", a.element_bytes));
  }
}

void require_equal_extents(const context& c, const flow& f) {
  for (std::size_t k = 0; k < f.here.size(); ++k)
    if (f.here[k].extents != f.there[k].extents)
      throw usage_error(text(c.name, ": box ", k, " from rank ", f.peer, " has other extents there than on rank ",
                             c.members.rank(), "; lent boxes are alike at both ends"));
}

void introduce_neighbours(context& c) {
  const team_state& s = state_of(c);
  std::set<int> all;
  for (const auto* list : {&c.sends, &c.receives})
    for (const flow& f : *list)
      if (!f.is_self) all.insert(f.peer);
  const std::vector<int> who(all.begin(), all.end());
  std::vector<std::vector<std::byte>> out;
  for (const int p : who) {
    byte_writer w;
    w.put(s.node), w.put(s.near_rank);
    for (auto* list : {&c.sends, &c.receives}) {
      const flow* f = flow_with(*list, p);
      put_facts(w, f != nullptr ? f->here : std::vector<transfer_facts>{});
    }
    out.push_back(w.take());
  }
  const auto in = far::talk(c.members, who, out);
  for (std::size_t i = 0; i < who.size(); ++i) {
    byte_reader r(in[i]);
    const int node = r.get<int>(), near_rank = r.get<int>();
    flow* outgoing = flow_with(c.sends, who[i]);
    flow* incoming = flow_with(c.receives, who[i]);
    auto their_sends = get_facts(r), their_receives = get_facts(r);
    if (incoming != nullptr) incoming->there = std::move(their_sends);
    if (outgoing != nullptr) outgoing->there = std::move(their_receives);
    for (flow* f : {outgoing, incoming})
      if (f != nullptr) {
        f->peer_node = node;
        f->peer_near_rank = node == s.node ? near_rank : -1;
        f->is_answered = outgoing != nullptr && incoming != nullptr && outgoing->bytes > 0 && incoming->bytes > 0;
      }
  }
}

void agree_on_kinds(context& c) {
  index_t mine[3] = {0, 0, 0}, any[3] = {0, 0, 0};
  for (const auto* list : {&c.sends, &c.receives})
    for (const flow& f : *list) {
      if (f.is_self) continue;
      mine[f.is_near() ? 0 : 1] = 1;
      if (!f.is_near()) mine[2] = std::max(mine[2], f.bytes);
    }
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(mine, any, 3, MPI_INT64_T, MPI_MAX, c.members.comm()); });
  c.has_near = any[0] != 0;
  c.has_far = any[1] != 0;
  c.longest_far_bytes = any[2];
}

}  // namespace

std::vector<flow*> select(std::vector<flow>& list, peers which) {
  std::vector<flow*> chosen;
  for (flow& f : list)
    if (!f.is_self && f.bytes > 0 && (which == peers::all || f.is_near() == (which == peers::near)))
      chosen.push_back(&f);
  return chosen;
}

void find_pieces(context& c) {
  for (auto* list : {&c.sends, &c.receives})
    for (flow& f : *list)
      for (std::size_t k = 0; k < f.pieces.size(); ++k) f.pieces[k] = piece_of(c, *f.transfers[k]);
}

void make_agreed_flows(context& c) {
  const std::vector<int>& near = state_of(c).near_ranks;
  c.sends = group(c, c.what.sends);
  c.receives = group(c, c.what.receives);
  for (auto* list : {&c.sends, &c.receives})
    for (flow& f : *list) {
      if (f.is_self) continue;
      const auto at = std::lower_bound(near.begin(), near.end(), f.peer);
      f.peer_near_rank = at != near.end() && *at == f.peer ? static_cast<int>(at - near.begin()) : -1;
      f.peer_node = f.is_near() ? state_of(c).node : -1;
      (f.is_near() ? c.has_near : c.has_far) = true;
    }
}

void make_flows(context& c) {
  agree(c.members, [&] {
    for (const transfer& t : c.what.sends) check_transfer(c, t, "a send");
    for (const transfer& t : c.what.receives) check_transfer(c, t, "a receive");
    c.sends = group(c, c.what.sends);
    c.receives = group(c, c.what.receives);
  });
  require_matching(c);
  introduce_neighbours(c);
  agree(c.members, [&] {
    for (flow& f : c.receives) {
      if (f.is_self) f.there = flow_with(c.sends, f.peer)->here;
      require_equal_sizes(c, f);
      if (c.reader != nullptr) require_equal_extents(c, f);
    }
  });
  compare_with_caches(c);
  agree_on_kinds(c);
}

}  // namespace nearfar::exchange
