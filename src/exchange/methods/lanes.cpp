// SPDX-License-Identifier: BSD-3-Clause
// Methods `lanes`, `own-lanes` and `own-lanes-in-parts`: far messages of several ranks in one message, a channel.
//
//   node A                                            node B
//   rank 0 ─ packs ─┐ slot of the owner   one message   slot of the owner ┌─ unpacks ─ rank 0
//   rank 1 ─ packs ─┴─> [ flow | flow … ] ──────────> [ flow | flow … ] ──┴─ unpacks ─ rank 1
//          <── sent ──                                                  ── taken ──>
//
// `lanes`: one channel per pair of nodes, which one rank of each node owns. Near ranks pack straight into the owner's
// send buffer, and unpack straight from its receive buffer, so that bytes are copied no more often than in messages of
// their own. `own-lanes`: one channel per rank and other node, to the rank of its lane there, whose near ranks unpack
// from its buffer. The sender then waits for no near rank, and a node of r ranks sends r messages where pairs of ranks
// would send r * r. In parts: cut so that each message leaves at once.
//
// Two slots per channel. A contributor packs epoch n when the owner has sent n-2 (`sent`); the owner receives epoch n
// when all receivers have taken n-2 (`taken`). So nobody overwrites a slot that is still being sent or read. start()
// waits for none of this: poll() continues with what was not possible yet.
#include "lanes.hpp"

#include <algorithm>
#include <base/bytes.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <far/eager.hpp>
#include <far/message_type.hpp>
#include <far/request_list.hpp>
#include <far/talk.hpp>
#include <limits>
#include <map>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>
#include <set>
#include <topology/agree.hpp>

#include "node_flows.hpp"

namespace nearfar::exchange {

namespace {

using near::signal;

/// Between two far ranks: longer messages gain nothing by being fewer.
constexpr index_t longest_worthwhile_bytes = index_t{1} << 16;

/// A flow of this rank, and its ends in the owner's block.
struct channel_flow {
  flow* f;
  std::size_t channel;
  std::byte* slots[2];  ///< in the owner's block
  signal* mark;         ///< in the owner's block: packed, or taken
  const signal* gate;   ///< in this rank's block: sent, or arrived
};

/// A signal in the block of a near rank.
struct near_signal {
  int near_rank;
  signal* s;
};

/// Bytes of a slot that travel as one message.
struct channel_part {
  index_t at, bytes;
  far::message_type type;
};

/// A channel that this rank owns.
struct owned_channel {
  std::size_t index;
  const channel* about;
  std::vector<const signal*> packed, taken;  ///< in this rank's block: of those who contribute, or receive
  std::vector<near_signal> sent, arrived;    ///< in the blocks of those
  std::byte* send_slots[2];
  std::byte* receive_slots[2];
  std::vector<channel_part> send_parts, receive_parts;
  std::size_t first_request;  ///< of those of send_parts, and then of receive_parts
  std::size_t unsent, unreceived;
  enum class state { waiting, moving, done } sending, receiving;
};

std::vector<channel_part> parts_of(index_t bytes, index_t most_bytes) {
  std::vector<channel_part> parts;
  for (index_t at = 0; at < bytes; at += parts.back().bytes) {
    const index_t part_bytes = std::min(most_bytes, bytes - at);
    parts.push_back({at, part_bytes, far::message_type(part_bytes)});
  }
  return parts;
}

class channel_transport : public transport {
 public:
  channel_transport(context& c, bool are_own, index_t most_bytes) : c_(c) {
    if (are_own) {
      make_own_channels();
    } else {
      channels_ = make_channels(flows_of_node(c, peers::far), state_of(c).near_size);
      learn_remote_owners();
    }
    make_block();
    make_flows();
    make_owned(most_bytes);
    requests_ = std::make_unique<far::request_list>(channel_of_request_.size());
  }

  void start(std::uint64_t epoch) override {
    epoch_ = epoch;
    for (channel_flow& f : out_) unpacked_.push_back(&f);
    for (channel_flow& f : in_) untaken_.push_back(&f);
    for (owned_channel& l : owned_) {
      l.receiving = l.about->receive_bytes > 0 ? owned_channel::state::waiting : owned_channel::state::done;
      l.sending = l.about->send_bytes > 0 ? owned_channel::state::waiting : owned_channel::state::done;
      receive_if_free(l);
    }
    pack_what_fits();
    for (owned_channel& l : owned_) send_if_packed(l);
  }

  bool poll() override {
    pack_what_fits();
    for (owned_channel& l : owned_) receive_if_free(l), send_if_packed(l);
    requests_->poll([&](std::size_t i) { end_part(owned_[channel_of_request_[i]], i); });
    std::erase_if(untaken_, [&](channel_flow* f) { return take(*f); });
    return unpacked_.empty() && untaken_.empty() &&
           std::all_of(owned_.begin(), owned_.end(), [](const owned_channel& l) {
             return l.sending == owned_channel::state::done && l.receiving == owned_channel::state::done;
           });
  }

  bool asks_mpi() const noexcept override {
    return std::any_of(owned_.begin(), owned_.end(), [](const owned_channel& l) {
      return l.sending == owned_channel::state::moving || l.receiving == owned_channel::state::moving;
    });
  }
  bool is_waited_for() const noexcept override { return true; }  // by near ranks whose messages this owner sends
  void rebind() override {}                                      // packs and delivers by the flows

  std::string waiting_for() const override {
    std::string s;
    for (const channel_flow* f : untaken_)
      s += text(s.empty() ? "" : ", ", "rank ", f->f->peer, " by channel (epoch ", epoch_, ")");
    for (const channel_flow* f : unpacked_)
      s += text(s.empty() ? "" : ", ", "space in the channel to node ", channels_[f->channel].remote_node);
    for (const owned_channel& l : owned_) {
      if (l.sending != owned_channel::state::done)
        s += text(s.empty() ? "" : ", ", "the channel to node ", l.about->remote_node, " to be packed and sent");
      if (l.receiving != owned_channel::state::done)
        s += text(s.empty() ? "" : ", ", "the channel from node ", l.about->remote_node);
    }
    return s;
  }

 private:
  // ---- making the plan ----

  std::size_t channel_of(int remote_node) const {
    return static_cast<std::size_t>(std::find_if(channels_.begin(), channels_.end(),
                                                 [&](const channel& l) { return l.remote_node == remote_node; }) -
                                    channels_.begin());
  }

  /// Far peers tell each other who owns the channel on their node; near ranks share the answers.
  void learn_remote_owners() {
    const std::map<int, int> node_of = nodes_of_peers();
    std::vector<int> who;
    std::vector<std::vector<std::byte>> words;
    for (const auto& [peer, node] : node_of) {
      who.push_back(peer);
      byte_writer w;
      w.put(state_of(c_).near_ranks[as_size(channels_[channel_of(node)].owner)]);
      words.push_back(w.take());
    }
    const auto answers = far::talk(c_.members, who, words);
    struct heard {
      int node, owner;
    };
    std::vector<heard> mine;
    for (std::size_t i = 0; i < who.size(); ++i)
      mine.push_back({node_of.at(who[i]), byte_reader(answers[i]).get<int>()});
    for (const heard& h : far::all_of_node(c_.members, mine)) {
      channel& l = channels_[channel_of(h.node)];
      l.sends_to = l.receives_from = h.owner;
    }
  }

  void make_own_channels() {
    const auto ranks = ranks_of_remote_nodes();
    std::vector<far_flow> flows = flows_of_node(c_, peers::far);
    for (far_flow& f : flows) f.part = f.is_outgoing != 0 ? f.near_rank : place_in(ranks.at(f.remote_node), f.source);
    channels_ = make_channels(std::move(flows), state_of(c_).near_size, true);
    for (channel& l : channels_) {
      const std::vector<int>& there = ranks.at(l.remote_node);
      l.sends_to = there[as_size(l.part) % there.size()];
      if (l.receive_bytes > 0) l.receives_from = there[as_size(l.part)];
    }
  }

  static std::int32_t place_in(const std::vector<int>& ranks, int rank) {
    return static_cast<std::int32_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }

  /// Team ranks by near rank of the nodes that any near rank has peers on: far peers tell each other, near ranks share
  /// what they heard.
  std::map<int, std::vector<int>> ranks_of_remote_nodes() const {
    const std::map<int, int> node_of = nodes_of_peers();
    std::vector<int> who;
    who.reserve(node_of.size());
    for (const auto& [peer, node] : node_of) who.push_back(peer);
    byte_writer own;
    own.put_list(state_of(c_).near_ranks);
    const auto answers = far::talk(c_.members, who, std::vector(who.size(), own.take()));
    std::map<int, std::vector<int>> of_node;
    for (std::size_t i = 0; i < who.size(); ++i)
      of_node.try_emplace(node_of.at(who[i]), byte_reader(answers[i]).get_list<int>());
    struct heard {
      int node, rank;
    };
    std::vector<heard> mine;
    for (const auto& [node, ranks] : of_node)
      for (const int rank : ranks) mine.push_back({node, rank});
    std::map<int, std::set<int>> of_any;
    for (const heard& h : far::all_of_node(c_.members, mine)) of_any[h.node].insert(h.rank);
    std::map<int, std::vector<int>> all;  // ascending, as near ranks are
    for (const auto& [node, ranks] : of_any) all.emplace(node, std::vector(ranks.begin(), ranks.end()));
    return all;
  }

  std::map<int, int> nodes_of_peers() const {
    std::map<int, int> node_of;
    for (auto* list : {&c_.sends, &c_.receives})
      for (const flow* f : select(*list, peers::far)) node_of[f->peer] = f->peer_node;
    return node_of;
  }

  std::size_t channel_with(int remote_node, int source, int target) const {
    const auto has_it = [&](const channel& l) {
      return l.remote_node == remote_node && std::any_of(l.flows.begin(), l.flows.end(), [&](const far_flow& f) {
               return f.source == source && f.target == target;
             });
    };
    return static_cast<std::size_t>(std::find_if(channels_.begin(), channels_.end(), has_it) - channels_.begin());
  }

  void make_block() {
    const team_state& s = state_of(c_);
    for (int r = 0; r < s.near_size; ++r) layouts_.push_back(make_channel_layout(channels_, r, s.near_size));
    segment_.make(c_.members, [&] { return layouts_[as_size(s.near_rank)].bytes; });
  }

  signal* signal_at(int near_rank, const near::part<signal>& which, int of = 0) const {
    return segment_.at(near_rank, which) + of;
  }

  channel_flow make_flow(flow* f, bool is_outgoing) const {
    const team_state& s = state_of(c_);
    channel_flow m{};
    m.f = f;
    m.channel = channel_with(f->peer_node, is_outgoing ? s.rank : f->peer, is_outgoing ? f->peer : s.rank);
    const channel& l = channels_[m.channel];
    const channel_layout& owners = layouts_[as_size(l.owner)];
    const channel_layout& own = layouts_[as_size(s.near_rank)];
    const far_flow& where = is_outgoing ? l.find(true, s.rank, f->peer) : l.find(false, f->peer, s.rank);
    for (int slot = 0; slot < 2; ++slot)
      m.slots[slot] = segment_.of(l.owner) + where.place +
                      (is_outgoing ? owners.send_slots[m.channel] + slot * l.send_bytes
                                   : owners.receive_slots[m.channel] + slot * l.receive_bytes);
    m.mark = signal_at(l.owner, is_outgoing ? owners.packed[m.channel] : owners.taken[m.channel], s.near_rank);
    m.gate = signal_at(s.near_rank, is_outgoing ? own.sent[m.channel] : own.arrived[m.channel]);
    return m;
  }

  void make_flows() {
    for (flow* f : select(c_.sends, peers::far)) out_.push_back(make_flow(f, true));
    for (flow* f : select(c_.receives, peers::far)) in_.push_back(make_flow(f, false));
    packed_count_.resize(channels_.size());
    taken_count_.resize(channels_.size());
    unpacked_.reserve(out_.size());
    untaken_.reserve(in_.size());
  }

  void make_owned(index_t most_bytes) {
    const team_state& s = state_of(c_);
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const channel& l = channels_[i];
      if (l.owner != s.near_rank) continue;
      const channel_layout& own = layouts_[as_size(s.near_rank)];
      owned_channel& o = owned_.emplace_back(owned_channel{i,
                                                           &l,
                                                           {},
                                                           {},
                                                           {},
                                                           {},
                                                           {},
                                                           {},
                                                           parts_of(l.send_bytes, most_bytes),
                                                           parts_of(l.receive_bytes, most_bytes),
                                                           channel_of_request_.size(),
                                                           0,
                                                           0,
                                                           {},
                                                           {}});
      channel_of_request_.insert(channel_of_request_.end(), o.send_parts.size() + o.receive_parts.size(),
                                 owned_.size() - 1);
      for (int slot = 0; slot < 2; ++slot) {
        o.send_slots[slot] = segment_.own() + own.send_slots[i] + slot * l.send_bytes;
        o.receive_slots[slot] = segment_.own() + own.receive_slots[i] + slot * l.receive_bytes;
      }
      for (int r = 0; r < s.near_size; ++r) {
        const channel_layout& theirs = layouts_[as_size(r)];
        if (l.involves(r, true))
          o.packed.push_back(signal_at(s.near_rank, own.packed[i], r)),
              o.sent.push_back({r, signal_at(r, theirs.sent[i])});
        if (l.involves(r, false))
          o.taken.push_back(signal_at(s.near_rank, own.taken[i], r)),
              o.arrived.push_back({r, signal_at(r, theirs.arrived[i])});
      }
    }
  }

  // ---- running it ----

  int slot() const { return static_cast<int>(epoch_ & 1); }
  bool is_free(const signal* s) const { return epoch_ <= 2 || s->has_reached(epoch_ - 2); }

  /// A channel's signal is set when the last of this rank's flows in it is packed.
  void pack_what_fits() {
    if (unpacked_.empty()) return;
    std::erase_if(unpacked_, [&](channel_flow* f) {
      if (!is_free(f->gate)) return false;
      f->f->pack_into(f->slots[slot()]);
      if (++packed_count_[f->channel] == flows_in(out_, f->channel)) {
        packed_count_[f->channel] = 0;
        tell_owner(*f);
      }
      return true;
    });
  }

  bool take(channel_flow& f) {
    if (!f.gate->has_reached(epoch_)) return false;
    f.f->unpack_from(f.slots[slot()]);
    if (++taken_count_[f.channel] == flows_in(in_, f.channel)) {
      taken_count_[f.channel] = 0;
      tell_owner(f);
    }
    return true;
  }

  void tell_owner(const channel_flow& f) {
    f.mark->set(epoch_);
    c_.ring_later(channels_[f.channel].owner);
  }

  void tell(const std::vector<near_signal>& readers) {
    for (const near_signal& m : readers) {
      m.s->set(epoch_);
      c_.ring_later(m.near_rank);
    }
  }

  static int flows_in(const std::vector<channel_flow>& flows, std::size_t channel) {
    return static_cast<int>(
        std::count_if(flows.begin(), flows.end(), [&](const channel_flow& f) { return f.channel == channel; }));
  }

  void receive_if_free(owned_channel& l) {
    if (l.receiving != owned_channel::state::waiting) return;
    if (!std::all_of(l.taken.begin(), l.taken.end(), [&](const signal* s) { return is_free(s); })) return;
    std::size_t r = l.first_request + l.send_parts.size();
    for (const channel_part& part : l.receive_parts) {
      check_mpi(MPI_Irecv(l.receive_slots[slot()] + part.at, part.type.count(), part.type.type(),
                          l.about->receives_from, c_.tags + 3, c_.members.comm(), requests_->slot(r)),
                "MPI_Irecv");
      requests_->arm(r++);
    }
    l.receiving = owned_channel::state::moving;
    l.unreceived = l.receive_parts.size();
  }

  void send_if_packed(owned_channel& l) {
    if (l.sending != owned_channel::state::waiting) return;
    if (!std::all_of(l.packed.begin(), l.packed.end(), [&](const signal* s) { return s->has_reached(epoch_); })) return;
    std::size_t r = l.first_request;
    for (const channel_part& part : l.send_parts) {
      check_mpi(MPI_Isend(l.send_slots[slot()] + part.at, part.type.count(), part.type.type(), l.about->sends_to,
                          c_.tags + 3, c_.members.comm(), requests_->slot(r)),
                "MPI_Isend");
      requests_->arm(r++);
    }
    l.sending = owned_channel::state::moving;
    l.unsent = l.send_parts.size();
  }

  void end_part(owned_channel& l, std::size_t request) {
    const bool is_send = request < l.first_request + l.send_parts.size();
    if (--(is_send ? l.unsent : l.unreceived) > 0) return;
    tell(is_send ? l.sent : l.arrived);
    (is_send ? l.sending : l.receiving) = owned_channel::state::done;
  }

  context& c_;
  std::vector<channel> channels_;
  std::vector<channel_layout> layouts_;  ///< per near rank
  near::shared_segment segment_;
  std::vector<channel_flow> out_, in_;
  std::vector<channel_flow*> unpacked_, untaken_;
  std::vector<int> packed_count_, taken_count_;  ///< per channel: flows of this rank that are through in this epoch
  std::vector<owned_channel> owned_;
  std::vector<std::size_t> channel_of_request_;  ///< its place in owned_
  std::unique_ptr<far::request_list> requests_;
  std::uint64_t epoch_ = 0;
};

}  // namespace

bool are_lanes_possible(const context& c) { return c.arena->is_shared() && state_of(c).largest_node > 1; }
bool are_own_lanes_worthwhile(const context& c) { return c.longest_far_bytes <= longest_worthwhile_bytes; }
bool are_own_lanes_cut(const context& c) {
  return c.longest_far_bytes * state_of(c).largest_node > far::longest_eager_bytes;
}
std::unique_ptr<transport> make_lanes_transport(context& c, peers, const std::string& method) {
  const bool are_cut = method == "own-lanes-in-parts";
  return std::make_unique<channel_transport>(c, are_cut || method == "own-lanes",
                                             are_cut ? far::longest_eager_bytes : std::numeric_limits<index_t>::max());
}

}  // namespace nearfar::exchange
