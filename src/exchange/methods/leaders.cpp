// SPDX-License-Identifier: BSD-3-Clause
// The published scheme (the shared-memory ALLTOALLV that 2DECOMP&FFT had until 2023), for comparison:
//
//   all ranks: pack into the send segment, packed = n
//   leader:    when all have packed: the node's own part by memcpy, the rest by one MPI_Ialltoallv between leaders,
//              then arrived = n to all
//   all ranks: unpack from the receive segment
//
// Both segments are in the leader's block. A rank that starts epoch n has unpacked n-1. So when the leader has seen
// `packed` = n of all, nobody reads n-1 any more, and one segment of each kind suffices. Signals and a nonblocking
// collective instead of barriers allow several exchanges in flight.
#include "leaders.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cstring>
#include <far/leaders.hpp>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>
#include <topology/agree.hpp>

#include "node_flows.hpp"

namespace nearfar::exchange {

namespace {

using near::signal;

/// Places in messages are multiples of it: what MPI's int counts and displacements count.
constexpr index_t unit_bytes = 64;

/// Where things lie in the leader's block; the same on all near ranks.
struct leader_layout {
  near::segment_layout all;
  near::part<signal> packed, arrived;  ///< one per near rank
  index_t send_segment = 0, receive_segment = 0;
  std::vector<index_t> sends, receives;  ///< per channel

  leader_layout(const std::vector<channel>& channels, int near_size)
      : packed(all.add<signal>(near_size)), arrived(all.add<signal>(near_size)), send_segment(all.bytes()) {
    for (const channel& l : channels) sends.push_back(all.add<std::byte>(l.send_bytes).at);
    // Open MPI takes equal addresses for MPI_IN_PLACE, and a leader may have nothing to send.
    receive_segment = all.add<std::byte>(unit_bytes).at + unit_bytes;
    for (const channel& l : channels) receives.push_back(all.add<std::byte>(l.receive_bytes).at);
  }
};

struct placed_flow {
  flow* f;
  std::byte* place;
};

/// What the leader passes to MPI_Ialltoallv, in units, one entry per node; places from the start of a segment.
struct one_direction {
  std::vector<int> counts, places;

  explicit one_direction(int nodes) : counts(as_size(nodes)), places(as_size(nodes)) {}
  void set(int node, index_t place, index_t bytes) {
    counts[as_size(node)] = checked_int(bytes / unit_bytes, "units of 64 B in a message");
    places[as_size(node)] = checked_int(place / unit_bytes, "units of 64 B in a segment");
  }
};

constexpr index_t longest_led_bytes = index_t{1} << 16;

class leaders_transport : public transport {
 public:
  leaders_transport(context& c, peers which)
      : c_(c),
        channels_(make_channels(flows_of_node(c, which), state_of(c).near_size)),
        layout_(channels_, state_of(c).near_size),
        to_nodes_(state_of(c).nodes),
        from_nodes_(state_of(c).nodes),
        comm_(far::borrow_leaders(c.members)) {
    segment_.make(c.members, [&] { return is_leader() ? layout_.all.bytes() : 0; });
    for (flow* f : select(c.sends, which)) out_.push_back(place_of(f, true));
    for (flow* f : select(c.receives, which)) in_.push_back(place_of(f, false));
    agree(c.members, [&] {
      if (is_leader()) address_messages();
    });
  }

  ~leaders_transport() override {
    if (is_leader() && is_mpi_usable()) MPI_Type_free(&unit_);
  }

  void start(std::uint64_t epoch) override {
    epoch_ = epoch;
    for (const placed_flow& p : out_) p.f->pack_into(p.place);
    packed(state_of(c_).near_rank)->set(epoch);
    c_.ring_later(0);
    state_ = state::packed;
  }

  bool poll() override {
    if (state_ == state::packed && is_leader() && has_everyone_packed()) carry();
    if (state_ == state::moving) test();
    if (state_ == state::packed && !is_leader() && arrived(state_of(c_).near_rank)->has_reached(epoch_)) unpack();
    return state_ == state::done;
  }

  bool asks_mpi() const noexcept override { return state_ == state::moving; }
  bool is_waited_for() const noexcept override { return is_leader(); }
  void rebind() override {}  // packs and delivers by the flows

  std::string waiting_for() const override {
    if (state_ == state::moving) return text("the leaders of other nodes (epoch ", epoch_, ")");
    if (!is_leader()) return text("rank ", state_of(c_).near_ranks[0], ", which leads the node (epoch ", epoch_, ")");
    std::string s = "to pack:";
    for (int r = 0; r < state_of(c_).near_size; ++r)
      if (!packed(r)->has_reached(epoch_)) s += text(" rank ", state_of(c_).near_ranks[as_size(r)]);
    return s;
  }

 private:
  enum class state { done, packed, moving };

  // ---- making the plan ----

  bool is_leader() const noexcept { return state_of(c_).near_rank == 0; }

  std::byte* base() const noexcept { return segment_.of(0); }
  signal* packed(int near_rank) const { return layout_.packed.in(base()) + near_rank; }
  signal* arrived(int near_rank) const { return layout_.arrived.in(base()) + near_rank; }

  placed_flow place_of(flow* f, bool is_outgoing) const {
    const auto l = std::find_if(channels_.begin(), channels_.end(),
                                [&](const channel& l) { return l.remote_node == f->peer_node; });
    const auto i = static_cast<std::size_t>(l - channels_.begin());
    const int rank = state_of(c_).rank;
    const far_flow& where = is_outgoing ? l->find(true, rank, f->peer) : l->find(false, f->peer, rank);
    return {f, base() + where.place + (is_outgoing ? layout_.sends[i] : layout_.receives[i])};
  }

  void address_messages() {
    check_mpi(MPI_Type_contiguous(static_cast<int>(unit_bytes), MPI_BYTE, &unit_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&unit_), "MPI_Type_commit");
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const channel& l = channels_[i];
      if (l.remote_node == state_of(c_).node) {
        own_ = i;
        continue;
      }
      to_nodes_.set(l.remote_node, layout_.sends[i] - layout_.send_segment, l.send_bytes);
      from_nodes_.set(l.remote_node, layout_.receives[i] - layout_.receive_segment, l.receive_bytes);
    }
  }

  // ---- running it ----

  bool has_everyone_packed() const {
    for (int r = 0; r < state_of(c_).near_size; ++r)
      if (!packed(r)->has_reached(epoch_)) return false;
    return true;
  }

  void carry() {
    check_mpi(MPI_Ialltoallv(base() + layout_.send_segment, to_nodes_.counts.data(), to_nodes_.places.data(), unit_,
                             base() + layout_.receive_segment, from_nodes_.counts.data(), from_nodes_.places.data(),
                             unit_, comm_->comm(), &request_),
              "MPI_Ialltoallv");
    if (own_ < channels_.size())
      std::memcpy(base() + layout_.receives[own_], base() + layout_.sends[own_], as_size(channels_[own_].send_bytes));
    state_ = state::moving;
  }

  void test() {
    int has_ended = 0;
    check_mpi(MPI_Test(&request_, &has_ended, MPI_STATUS_IGNORE), "MPI_Test");
    if (has_ended == 0) return;
    for (int r = 0; r < state_of(c_).near_size; ++r) {
      arrived(r)->set(epoch_);
      c_.ring_later(r);
    }
    unpack();
  }

  void unpack() {
    for (const placed_flow& p : in_) p.f->unpack_from(p.place);
    state_ = state::done;
  }

  context& c_;
  std::vector<channel> channels_;
  leader_layout layout_;
  one_direction to_nodes_, from_nodes_;
  far::lease_pool<far::leaders>::lease comm_;
  near::shared_segment segment_;  ///< of the leader
  std::vector<placed_flow> out_, in_;
  std::size_t own_ = SIZE_MAX;  ///< the channel of what stays on the node
  MPI_Datatype unit_ = MPI_DATATYPE_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  state state_ = state::done;
  std::uint64_t epoch_ = 0;
};

}  // namespace

bool are_leaders_possible(const context& c) { return c.arena->is_shared(); }
bool are_leaders_worthwhile(const context& c) {
  return c.has_near && c.has_far && c.longest_far_bytes <= longest_led_bytes;
}
std::unique_ptr<transport> make_leaders_transport(context& c, peers which, const std::string&) {
  return std::make_unique<leaders_transport>(c, which);
}

}  // namespace nearfar::exchange
