// SPDX-License-Identifier: BSD-3-Clause
// The near engine: pairwise signals, no locks, no barriers, no MPI while it runs. One class, a few protocols, chosen
// per message.
//
// Each rank owns one block of near memory per plan. For a flow from S to R:
//
//   S's block   slots: two packed messages, or the ring of a pipe    S writes, R reads
//               taken: R has taken epoch n                           R writes, S reads
//   R's block   lines: two slots of them                             S writes, R reads
//               ready: S's epoch n can be read                       S writes, R reads
//               moved: where S's arrays are now (direct)             S writes, R reads
//
// In epoch n, slot n mod 2:
//
//   line               S: data and n into lines                 R: copies the lines that have arrived
//   staged, streamed   S: packs into its slot, ready = n        R: unpacks from the slot
//   piped              S: packs a chunk, ++ready                R: unpacks a chunk, ++taken
//   direct,            S: ready = n                             R: reads S's array, taken = n
//   process_read       S's finish() waits for taken = n, since until then R reads the array
//
// Signals are stored with release and loaded with acquire, so R sees what S wrote before ready = n, and S writes again
// only what R has read before taken = n. What R cannot read in place comes as a message (near_refusal.hpp).
//
// Why two slots and no acknowledgement suffice if messages go both ways: a rank that starts epoch n has finished n-1,
// so it has the peer's message of epoch n-1, which the peer sent after finishing n-2. The slot of n-2 is therefore
// free. If a flow has no answer, S waits for taken = n-2 instead.
#include "near.hpp"

#include <base/internals.hpp>

#include <algorithm>
#include <base/bytes.hpp>
#include <base/text.hpp>
#include <far/talk.hpp>
#include <map>
#include <near/process_reads.hpp>
#include <near/shared_segment.hpp>
#include <topology/agree.hpp>

#include "near_flows.hpp"

namespace nearfar::exchange {

namespace {

constexpr index_t slot_alignment = 4096;

constexpr index_t aligned(index_t bytes, index_t to) { return (bytes + to - 1) / to * to; }

class near_transport : public transport {
 public:
  near_transport(context& c, peers which, near_policy policy) : c_(c), policy_(policy) {
    agree(c.members, [&] { lay_out(which); });
    connect();
  }

  void start(std::uint64_t epoch) override {
    epoch_ = epoch;
    must_meet_ = policy_.uses_barriers;
    for (incoming& in : in_) {
      in.next_line = 0;
      if (in.pipe) in.pipe->start(epoch);
      pending_in_.push_back(&in);
    }
    for (outgoing& out : out_) {
      publish(out);
      if (waits_for_taken(out) || out.pipe) pending_out_.push_back(&out);
    }
  }

  bool poll() override {
    if (must_meet_) meet_and_take();
    while (move_pipes())
      if (c_.meanwhile) c_.meanwhile();
    std::erase_if(pending_in_, [&](incoming* in) { return take(*in); });
    std::erase_if(pending_out_, [&](outgoing* out) { return out->pipe ? out->pipe->is_done() : is_taken(*out); });
    return pending_in_.empty() && lent_in_.empty() && pending_out_.empty();
  }

  bool asks_mpi() const noexcept override {
    const auto has_message = [](const auto* f) { return f->instead.is_in_flight(); };
    return std::any_of(pending_in_.begin(), pending_in_.end(), has_message) ||
           std::any_of(pending_out_.begin(), pending_out_.end(), has_message);
  }
  bool stores_past_caches() const noexcept override { return policy_.past_caches; }

  bool has_arrived() const noexcept override { return pending_in_.empty(); }

  void show(std::span<lent_box> boxes) const override {
    for (const incoming* in : lent_in_)
      for (std::size_t k = 0; k < in->boxes.size(); ++k) {
        const std::byte* const base = in->sources[k].at(in->handles[k]);
        boxes[place_of(c_, *in->f->transfers[k])] = {base + in->boxes[k].offset_bytes,
                                                     in->boxes[k].strides_bytes.data()};
      }
  }

  void release() override {
    for (const incoming* in : lent_in_) say_taken(*in);
    lent_in_.clear();
  }

  bool is_waited_for() const noexcept override {
    return !policy_.uses_barriers && (std::any_of(in_.begin(), in_.end(), says_taken) ||
                                      std::any_of(out_.begin(), out_.end(), [](const outgoing& o) { return o.pipe; }));
  }

  bool can_rebind() const override {
    for (const outgoing& out : out_) {
      if (out.how != protocol::direct) continue;
      for (const transfer* t : out.f->transfers)
        if (!handle_of(c_, *t).is_valid()) return false;
    }
    return true;
  }

  void rebind() override {
    for (outgoing& out : out_) {
      if (out.how == protocol::direct) tell_moves(out);
      if (out.how == protocol::process_read) out.moved_to->tell(out.f->runs());
      if (out.pipe) out.pipe->move(boxes_of(c_, *out.f));
      if (out.how == protocol::streamed) out.stream.move(boxes_of(c_, *out.f));
    }
    for (incoming& in : in_) {
      if (in.how == protocol::direct) in.moves_seen = unknown_moves;
      if (in.how == protocol::process_read) in.local = in.f->runs();
      if (in.pipe) in.pipe->move(boxes_of(c_, *in.f));
    }
  }

  std::string waiting_for() const override {
    std::string s;
    for (const incoming* in : pending_in_)
      s += text(s.empty() ? "" : ", ", "near rank ", in->f->peer, " to send (", name_of(in->how), ", epoch ", epoch_,
                ")");
    for (const outgoing* out : pending_out_)
      s += text(s.empty() ? "" : ", ", "near rank ", out->f->peer, " to read (", name_of(out->how), ", epoch ", epoch_,
                ")");
    return s;
  }

 private:
  static bool waits_for_taken(const outgoing& out) {
    return out.how == protocol::direct || out.how == protocol::process_read;
  }

  /// Whether it stays where it is until release().
  bool is_lent(const incoming& in) const noexcept { return c_.reader != nullptr && in.how == protocol::direct; }

  /// Whether the sender looks for word that the message has been taken.
  static bool says_taken(const incoming& in) noexcept {
    return in.how == protocol::direct || in.how == protocol::process_read || in.pipe || !in.f->is_answered;
  }

  // ---- making the plan ----

  void lay_out(peers which) {
    if (c_.reader != nullptr && policy_.uses_barriers)
      throw usage_error(
          text(c_.name, ": node-barrier copies between its barriers; what is read in place by others needs signals"));
    near::segment_layout all;
    for (flow* f : select(c_.sends, which)) {
      outgoing& out = out_.emplace_back();
      out.f = f;
      out.how = choose_protocol(policy_, *f, true);
      out.place.taken = all.add<signal>();
      if (waits_for_taken(out)) out.place.refused = all.add<signal>();
      peers_.emplace(f->peer, f->peer_near_rank);
    }
    for (flow* f : select(c_.receives, which)) {
      incoming& in = in_.emplace_back();
      in.f = f;
      in.how = choose_protocol(policy_, *f, false);
      in.place.ready = all.add<signal>();
      if (in.how == protocol::line) in.place.lines = all.add<line>(2 * near::lines_for(f->bytes));
      if (in.how == protocol::direct)
        in.place.sources = all.add<std::byte>(moved_sources::bytes(f->transfers.size()), sizeof(line)).at;
      if (in.how == protocol::process_read) in.place.sources = all.add<moved_runs>(1, sizeof(line)).at;
      peers_.emplace(f->peer, f->peer_near_rank);
    }
    for (outgoing& out : out_) {
      if (out.how == protocol::piped) {
        out.pipe.emplace(boxes_of(c_, *out.f));
        out.place.slot_bytes = aligned(out.pipe->slot_bytes(), slot_alignment);
        out.place.slots = all.add<std::byte>(pipe_sender::slots * out.place.slot_bytes, slot_alignment).at;
      }
      if (out.how != protocol::staged && out.how != protocol::streamed) continue;
      const index_t alignment = out.f->bytes < slot_alignment ? index_t{sizeof(line)} : slot_alignment;
      out.place.slot_bytes = aligned(out.f->bytes, alignment);
      out.place.slots = all.add<std::byte>(2 * out.place.slot_bytes, alignment).at;
    }
    pending_in_.reserve(in_.size());
    lent_in_.reserve(in_.size());
    pending_out_.reserve(out_.size());
    std::vector<int> readers;
    for (const auto& [peer, near_rank] : peers_) readers.push_back(near_rank);
    const team_state& s = state_of(c_);
    segment_.allocate(*c_.arena, s.near_rank, s.near_size, std::max<index_t>(all.bytes(), 1), std::move(readers));
    std::byte* const own = segment_.own();
    for (outgoing& out : out_) {
      out.taken = out.place.taken.in(own);
      for (int slot = 0; slot < 2; ++slot) out.slots[slot] = own + out.place.slots + slot * out.place.slot_bytes;
      out.is_source_contiguous = out.f->one_piece() != nullptr;
      if (out.how == protocol::line && !out.is_source_contiguous) out.scratch.resize(as_size(out.f->bytes));
      if (out.how == protocol::streamed) out.stream.move(boxes_of(c_, *out.f));
    }
    for (incoming& in : in_) {
      in.ready = in.place.ready.in(own);
      for (int slot = 0; slot < 2; ++slot)
        in.lines[slot] = in.place.lines.in(own) + slot * near::lines_for(in.f->bytes);
      in.moved = reinterpret_cast<const moved_sources*>(own + in.place.sources);
      in.moved_to = reinterpret_cast<const moved_runs*>(own + in.place.sources);
      if (in.how == protocol::line && in.f->one_piece() == nullptr) in.scratch.resize(as_size(in.f->bytes));
    }
  }

  /// Tells each peer where its part of this rank's block is, and learns the same. The order of what is put and got must
  /// agree.
  void connect() {
    std::vector<int> who;
    std::vector<std::vector<std::byte>> words;
    for (const auto& [peer, near_rank] : peers_) {
      who.push_back(peer);
      byte_writer w;
      w.put(segment_.own_address());
      for (const outgoing& out : out_)
        if (out.f->peer == peer) describe(w, c_, out);
      for (const incoming& in : in_)
        if (in.f->peer == peer) w.put(in.how), w.put(in.place);
      words.push_back(w.take());
    }
    const auto answers = far::talk(c_.members, who, words);
    agree(c_.members, [&] {
      for (std::size_t i = 0; i < who.size(); ++i) meet_peer(who[i], byte_reader(answers[i]));
    });
    segment_.open();
  }

  void meet_peer(int peer, byte_reader r) {
    const int near_rank = peers_.at(peer);
    segment_.attach(near_rank, r.get<near::shared_segment::address>());
    std::byte* const theirs = segment_.of(near_rank);
    for (incoming& in : in_)
      if (in.f->peer == peer) learn_source(r, in, theirs);
    for (outgoing& out : out_) {
      if (out.f->peer != peer) continue;
      require_same_protocol(r.get<protocol>(), out.how, peer);
      const auto place = r.get<incoming_place>();
      out.ready = place.ready.in(theirs);
      out.moved = reinterpret_cast<moved_sources*>(theirs + place.sources);
      out.moved_to = reinterpret_cast<moved_runs*>(theirs + place.sources);
      if (waits_for_taken(out))
        out.instead.connect(out.place.refused.in(segment_.own()), {c_.members.comm(), peer, c_.tags});
      if (out.pipe) {
        out.pipe->connect(out.slots[0], out.place.slot_bytes, out.ready, out.taken);
        out.pipe->move(boxes_of(c_, *out.f));
      }
      for (int slot = 0; slot < 2; ++slot)
        out.lines[slot] = place.lines.in(theirs) + slot * near::lines_for(out.f->bytes);
    }
  }

  void learn_source(byte_reader& r, incoming& in, std::byte* theirs) {
    require_same_protocol(r.get<protocol>(), in.how, in.f->peer);
    const auto place = r.get<outgoing_place>();
    in.taken = place.taken.in(theirs);
    in.instead.connect(place.refused.in(theirs), {c_.members.comm(), in.f->peer, c_.tags});
    for (int slot = 0; slot < 2; ++slot) in.slots[slot] = theirs + place.slots + slot * place.slot_bytes;
    if (in.how == protocol::direct) learn_boxes(r, in);
    if (in.how == protocol::piped) {
      in.pipe.emplace(r.get_list<box_cut>(), in.slots[0], place.slot_bytes, in.ready, in.taken);
      in.pipe->move(boxes_of(c_, *in.f));
    }
    if (in.how == protocol::process_read) {
      in.process = r.get<pid_t>();
      in.remote = r.get_list<iovec>();
      in.local = in.f->runs();
    }
  }

  void learn_boxes(byte_reader& r, incoming& in) {
    for (std::size_t k = 0; k < in.f->transfers.size(); ++k) {
      in.handles.push_back(r.get<near::handle>());
      strided_box& source = in.boxes.emplace_back();
      source.element_bytes = in.f->there[k].element_bytes;
      source.extents = in.f->there[k].extents;
      source.offset_bytes = r.get<index_t>();
      source.strides_bytes = r.get_list<index_t>();
    }
    find_reads(in);
  }

  void find_reads(incoming& in) {
    const std::vector<near::mapping> before = std::move(in.sources);  // until the new ones are there
    in.sources.clear();
    in.reads.clear();
    const std::vector<placed_box> targets = boxes_of(c_, *in.f);
    for (std::size_t k = 0; k < in.boxes.size(); ++k) {
      const near::handle& h = in.handles[k];
      const near::mapping& m = in.sources.emplace_back(c_.arena->attach(h));
      if (is_lent(in)) continue;
      const joint_walk whole = make_joint_walk(targets[k].base, targets[k].box, m.at(h), in.boxes[k]);
      for (const joint_walk& part : in_parts(whole, copied_at_once_bytes)) in.reads.push_back(part);
    }
  }

  /// The peer reads it after the next `ready`; it is not in an epoch now, having taken the last one.
  void tell_moves(outgoing& out) {
    for (std::size_t k = 0; k < out.f->transfers.size(); ++k)
      out.moved->handles()[k] = handle_of(c_, *out.f->transfers[k]);
    ++out.moved->times;
  }

  /// @return false if the memory where they are now cannot be mapped
  bool follow_moves(incoming& in) {
    const std::uint64_t times = in.moved->times;
    if (times == in.moves_seen) return true;
    if (times > 0) in.handles.assign(in.moved->handles(), in.moved->handles() + in.boxes.size());
    try {
      find_reads(in);
    } catch (const resource_error& e) {
      near::say_once_that_messages_serve(e.what());
      return false;
    }
    in.moves_seen = times;
    return true;
  }

  void require_same_protocol(protocol theirs, protocol mine, int peer) const {
    if (theirs != mine)
      throw transport_error(text(c_.name, ": rank ", peer, " means to use ", name_of(theirs), ", rank ",
                                 c_.members.rank(), " ", name_of(mine), "; are all ranks given the same options?"));
  }

  // ---- running it ----

  int slot() const { return static_cast<int>(epoch_ & 1); }

  void publish(outgoing& out) {
    if (!out.f->is_answered && !waits_for_taken(out) && !out.pipe && !policy_.uses_barriers && epoch_ > 2)
      wait_for_slot(out);
    switch (out.how) {
      case protocol::line: {
        const std::byte* from = out.f->one_piece();
        if (!out.is_source_contiguous) {
          out.f->pack_into(out.scratch.data());
          from = out.scratch.data();
        }
        c_.arena->lines().write(out.lines[slot()], from, out.f->bytes, epoch_);
        break;
      }
      case protocol::staged:
        out.f->pack_into(out.slots[slot()]);
        out.ready->set(epoch_);
        break;
      case protocol::streamed:
        out.stream.pack(out.slots[slot()]);
        out.ready->set(epoch_);
        break;
      case protocol::piped:
        out.pipe->start(epoch_);
        while (out.pipe->move_on()) {
        }
        break;
      case protocol::direct:
      case protocol::process_read:
        out.ready->set(epoch_);
        break;
    }
    c_.ring_later(out.f->peer_near_rank);
  }

  void wait_for_slot(outgoing& out) {
    if (out.taken->has_reached(epoch_ - 2)) return;
    c_.ring_now();
    const std::function<std::string()> whom = [&] {
      return text("near rank ", out.f->peer, " to take epoch ", epoch_ - 2);
    };
    wait_until(
        c_, whom, [&] { return out.taken->has_reached(epoch_ - 2); }, [] { return false; });
  }

  /// A chunk of each message that has one to pack or to unpack.
  bool move_pipes() {
    bool has_moved = false;
    for (outgoing* out : pending_out_)
      if (out->pipe && out->pipe->move_on()) has_moved = true, c_.ring_later(out->f->peer_near_rank);
    for (incoming* in : pending_in_)
      if (in->pipe && in->pipe->move_on(c_.goes_past_caches)) has_moved = true, c_.ring_later(in->f->peer_near_rank);
    return has_moved;
  }

  /// Answers what was refused.
  bool is_taken(outgoing& out) {
    const bool is_read = out.taken->has_reached(epoch_);
    return (is_read && !out.instead.is_in_flight()) || (out.instead.answer(*out.f, epoch_) && is_read);
  }

  /// True once the message of this epoch has been delivered.
  bool take(incoming& in) {
    if (in.pipe) return in.pipe->is_done();
    const bool is_refused = in.instead.is_in_flight();
    if (is_refused) {
      if (!in.instead.take(*in.f)) return false;
    } else if (in.how == protocol::line) {
      if (!take_lines(in)) return false;
    } else {
      if (!in.ready->has_reached(epoch_)) return false;
      if (!take_message(in)) return refuse(in), false;
    }
    if (is_lent(in) && !is_refused)
      lent_in_.push_back(&in);
    else if (says_taken(in))
      say_taken(in);
    return true;
  }

  void say_taken(const incoming& in) {
    in.taken->set(epoch_);
    c_.ring_later(in.f->peer_near_rank);
  }

  void refuse(incoming& in) {
    in.instead.refuse(*in.f, epoch_);
    c_.ring_later(in.f->peer_near_rank);
  }

  bool take_lines(incoming& in) {
    std::byte* target = in.f->one_piece();
    std::byte* to = target != nullptr ? target : in.scratch.data();
    in.next_line = c_.arena->lines().read(in.lines[slot()], to, in.f->bytes, epoch_, in.next_line);
    if (in.next_line < near::lines_for(in.f->bytes)) return false;
    if (target == nullptr) in.f->unpack_from(to);
    return true;
  }

  /// @return false if it cannot be read where it lies
  bool take_message(incoming& in) {
    switch (in.how) {
      case protocol::staged:
      case protocol::streamed:
        in.f->unpack_from(in.slots[slot()]);
        break;
      case protocol::direct:
        if (!follow_moves(in)) return false;
        for (const joint_walk& w : in.reads) {
          copy(w, c_.goes_past_caches || policy_.past_caches);
          if (c_.meanwhile) c_.meanwhile();
        }
        break;
      case protocol::process_read: {
        in.moved_to->follow(in.moves_seen, in.remote);
        std::vector<iovec>& local = local_runs_;
        local.assign(in.local.begin(), in.local.end());
        remote_runs_.assign(in.remote.begin(), in.remote.end());
        return near::try_to_read_process(in.process, local, remote_runs_);
      }
      case protocol::line:
      case protocol::piped:
        break;
    }
    return true;
  }

  /// The published method: all ranks of the node meet, copy, and meet again.
  void meet_and_take() {
    const MPI_Comm node = state_of(c_).node_comm;
    watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(node); });
    std::erase_if(pending_in_, [&](incoming* in) { return take_message(*in) || (refuse(*in), false); });
    watched_mpi("MPI_Barrier", [&] { return MPI_Barrier(node); });
    std::erase_if(pending_out_, [&](outgoing* out) { return !out->instead.is_refused(epoch_); });
    must_meet_ = false;
  }

  context& c_;
  near_policy policy_;
  std::vector<outgoing> out_;
  std::vector<incoming> in_;
  std::vector<outgoing*> pending_out_;
  std::vector<incoming*> pending_in_;
  std::vector<incoming*> lent_in_;  ///< of this epoch, until release()
  std::map<int, int> peers_;        ///< near ranks by team rank
  near::shared_segment segment_;
  std::vector<iovec> local_runs_, remote_runs_;
  std::uint64_t epoch_ = 0;
  bool must_meet_ = false;
  static constexpr std::uint64_t unknown_moves = ~std::uint64_t{0};
};

}  // namespace

std::unique_ptr<transport> make_near(context& c, peers which, const std::string& method) {
  return std::make_unique<near_transport>(c, which, policy_of(method));
}

}  // namespace nearfar::exchange
