// SPDX-License-Identifier: BSD-3-Clause
// The steps of one start, epoch n, of rank r, through the plan's staging segment:
//
//   post     when all readers have done(r) >= n-2: copy the contribution into slot n mod 2;  posted(r) = n
//   combine  when posted(q) >= n for all contributors q: combine into the own slot;          combined(r) = n
//            (several nodes: only after the nonblocking collective over the lane is complete)
//   copy     each piece when posted(q) or combined(q) of its owner q has reached n
//   done     when all is copied: done(q, r) = n for every owner q that r reads
//
// Only r writes its slots, posted and combined; only reader r writes done(q, r). Two slots: a rank may be two starts
// ahead of a reader, and overwrites a slot only when all readers are done with it. With source::buffers peers read the
// caller's own buffers instead, so r is complete only when its readers are done with n.
//
// Except in post(), nothing waits for a peer to look at the plan: on one node a rank that has waited long combines
// itself what others should have combined (help), since they may be waiting for something else.
#include "slot_operation.hpp"

#include <algorithm>
#include <array>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cstring>
#include <functional>
#include <limits>
#include <near/arena.hpp>
#include <near/patience.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "borrowed_comm.hpp"
#include "staging_segment.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t most_slot_bytes = index_t{64} << 20;
constexpr int polls_before_help = 200;

// What near ranks tell each other when the plan is made.
struct told {
  index_t packed, plain;  ///< offsets of the part for the other
  std::int64_t reads;     ///< this rank reads something of the other's
};

struct place {
  near::handle where;
  std::int64_t offset = 0;  ///< from what the handle means to where offsets count from
};

struct byte_range {
  const std::byte *lower = nullptr, *upper = nullptr;
  index_t bytes() const { return upper - lower; }
};

byte_range range_of(const std::vector<schedule::piece>& pieces) {
  byte_range all;
  for (const auto& p : pieces) {
    if (p.bytes == 0) continue;
    all.lower = all.lower == nullptr ? p.from : std::min(all.lower, p.from);
    all.upper = std::max(all.upper, p.from + p.bytes);
  }
  return all;
}

class slot_operation : public operation {
 public:
  slot_operation(const call& c, const team& members, schedule how, source from)
      : call_(c), state_(&state_of(members)), plan_(std::move(how)), source_(from) {
    me_ = state_->near_rank;
    ranks_ = state_->near_size;
    staging_ = borrow_staging_segment(members, from == source::slots ? plan_.slot_bytes() : 0);
    first_epoch_ = staging_->epoch;
    if (plan_.far != schedule::far_step::none || state_->nodes > 1)
      lane_comm_ = borrow_comm(members, span_of_comm::lane);
    introduce();
    inputs_.resize(as_size(ranks_));
    policy_ = near::wait_policy::of(*state_);
    whom_ = [this] { return awaited(); };
    pending_.reserve(plan_.copies.size());
  }

  ~slot_operation() override {
    if (request_ == MPI_REQUEST_NULL) return;
    static_cast<void>(new auto(
        std::move(lane_comm_)));  // a collective that will never complete: nobody else may use its communicator
  }

  /// Fills in where peers' buffers are; false on every rank if some are not in near memory. Collective over the node.
  bool find_buffers(const team& members) {
    near::arena& memory = near::arena::of(members);
    std::array<place, 2> mine{};
    const byte_range in = range_of(plan_.pieces);
    bool are_near = plan_.can_read_in_place;
    if (in.bytes() > 0) are_near = find(memory, in, plan_.input, mine[0]) && are_near;
    const byte_range out{plan_.sum.out, plan_.sum.out + plan_.result_bytes};
    if (plan_.sum.is_shared && out.bytes() > 0) are_near = find(memory, out, plan_.output, mine[1]) && are_near;
    if (!everywhere(*state_, are_near)) return false;
    std::vector<std::array<place, 2>> all(as_size(ranks_));
    watched_mpi("MPI_Allgather", [&] {
      return MPI_Allgather(mine.data(), sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, state_->node_comm);
    });
    agree(members, [&] {
      for (auto& p : all) {
        peer_input_.push_back(attach(memory, p[0]));
        peer_output_.push_back(attach(memory, p[1]));
      }
    });
    return true;
  }

  void write_by(near::stores how) override { stores_ = how; }
  void start() override {
    epoch_ = ++staging_->epoch;
    has_posted_ = has_combined_ = is_over_ = false;
    polls_ = 0;
    pending_ = plan_.copies;
    near::patience patience(policy_, name_, whom_);
    while (!post()) patience.idle();  // a peer that has not yet finished the start before the last one
    test();
  }

  bool test() override {
    if (is_over_) return !must_linger() || are_readers_done(epoch_);
    if (!has_combined_ && !combine()) return false;
    if (request_ != MPI_REQUEST_NULL && !cross()) return false;
    if (!copy()) return false;
    for (const int r : owners_) staging_->done(r, me_).set(epoch_);
    is_over_ = true;
    return !must_linger() || are_readers_done(epoch_);
  }

  std::string awaited() const override {
    const auto& ranks = state_->near_ranks;
    if (!has_posted_ || is_over_)
      return first_of(readers_, "to read", [this](int r) { return !is_reader_done(r, last_needed()); });
    if (!has_combined_) return text("rank ", ranks[as_size(first_unposted())]);
    if (request_ != MPI_REQUEST_NULL) return "other nodes";
    return pending_.empty() ? std::string("nobody") : text("rank ", ranks[as_size(pending_.front().from)]);
  }

  bool calls_mpi() const noexcept override { return request_ != MPI_REQUEST_NULL; }
  bool is_independent() const noexcept override { return source_ == source::slots && state_->nodes == 1; }

 private:
  // ---- made once ----

  void introduce() {
    std::vector<told> mine(as_size(ranks_)), theirs(mine.size());
    for (int r = 0; r < ranks_; ++r)
      mine[as_size(r)] = {plan_.packed_offset[as_size(r)] + plan_.result_space(), plan_.plain_offset[as_size(r)], 0};
    if (plan_.sum.count > 0)
      for (int r = plan_.sum.first; r <= plan_.sum.last; ++r) mine[as_size(r)].reads = 1;
    for (const auto& c : plan_.copies)
      if (c.bytes > 0) mine[as_size(c.from)].reads = 1;
    const bool may_help = plan_.op.is_valid() && !plan_.copies.empty();
    for (int r = 0; may_help && r < ranks_; ++r) mine[as_size(r)].reads = 1;
    mine[as_size(me_)].reads = 0;
    watched_mpi("MPI_Alltoall", [&] {
      return MPI_Alltoall(mine.data(), sizeof(told), MPI_BYTE, theirs.data(), sizeof(told), MPI_BYTE,
                          state_->node_comm);
    });
    for (int r = 0; r < ranks_; ++r) {
      if (mine[as_size(r)].reads != 0) owners_.push_back(r);
      if (theirs[as_size(r)].reads != 0) readers_.push_back(r);
      packed_from_.push_back(theirs[as_size(r)].packed);
      plain_from_.push_back(theirs[as_size(r)].plain);
    }
  }

  static bool find(near::arena& memory, const byte_range& where, const std::byte* base, place& found) {
    found.where = memory.find(where.lower, where.bytes());
    found.offset = base - where.lower;
    return found.where.is_valid();
  }

  std::byte* attach(near::arena& memory, const place& p) {
    if (!p.where.is_valid()) return nullptr;
    mapped_.push_back(memory.attach(p.where));
    return mapped_.back().at(p.where) + p.offset;
  }

  // ---- addresses in this epoch ----

  // In place the own input is the result's place, where only slices that are complete have been written.
  const std::byte* contribution(int r) {
    if (r == me_ && !plan_.sum.reads_own_slot) return plan_.input;
    if (source_ == source::buffers) return peer_input_[as_size(r)] + plain_from_[as_size(r)];
    return staging_->slot(r, epoch_) + packed_from_[as_size(r)];
  }

  std::byte* own_result() { return staging_->slot(me_, epoch_); }

  const std::byte* result(const schedule::copy& c) {
    return source_ == source::buffers ? peer_output_[as_size(c.from)] + c.offset : staging_->slot(c.from, epoch_);
  }

  // ---- steps ----

  bool is_reader_done(int r, std::uint64_t at) const {
    return at <= first_epoch_ || staging_->done(me_, r).has_reached(at);
  }
  bool are_readers_done(std::uint64_t at) const {
    return std::all_of(readers_.begin(), readers_.end(), [&](int r) { return is_reader_done(r, at); });
  }
  // The caller's own buffers are the caller's again only when nobody reads them.
  bool must_linger() const { return source_ == source::buffers; }
  std::uint64_t last_needed() const { return is_over_ ? epoch_ : epoch_ - std::min<std::uint64_t>(epoch_, 2); }

  bool post() {
    if (source_ == source::slots) {
      if (!are_readers_done(last_needed())) return false;  // two slots
      std::byte* to = own_result() + plan_.result_space();
      for (const auto& p : plan_.pieces) {
        near::copy(stores_, to, p.from, p.bytes);
        to += p.bytes;
      }
      near::finish(stores_);
    }
    for (std::size_t i = 0; i < plan_.own_copies.size(); ++i)
      std::memmove(plan_.own_targets[i], plan_.own_copies[i].from, as_size(plan_.own_copies[i].bytes));
    staging_->posted(me_).set(epoch_);
    has_posted_ = true;
    return true;
  }

  int first_unposted() const {
    for (int r = plan_.sum.first; r <= plan_.sum.last; ++r)
      if (!staging_->posted(r).has_reached(epoch_)) return r;
    return -1;
  }

  bool combine() {
    if (first_unposted() >= 0) return false;
    has_combined_ = true;
    if (plan_.sum.count > 0) combine_all();
    if (plan_.far != schedule::far_step::none)
      depart();
    else if (plan_.sum.is_shared)
      staging_->combined(me_).set(epoch_);
    return true;
  }

  void combine_all() {
    const auto& s = plan_.sum;
    for (int r = s.first; r <= s.last; ++r) inputs_[as_size(r)] = contribution(r) + s.offset;
    const bool goes_far = plan_.far != schedule::far_step::none;
    const bool to_slot = goes_far || (s.is_shared && source_ == source::slots);
    std::byte* out = goes_far || s.out == nullptr ? own_result() : s.out;
    std::byte* second = to_slot && out != own_result() ? own_result() : nullptr;
    plan_.op.combine_all(out, second, inputs_.data() + s.first, s.last - s.first + 1, s.count);
  }

  void depart() {
    MPI_Comm comm = lane_comm_->comm();
    std::byte* data = own_result();
    const int count = static_cast<int>(plan_.sum.count);
    int code = MPI_SUCCESS;
    switch (plan_.far) {
      case schedule::far_step::allreduce:
        code = MPI_Iallreduce(MPI_IN_PLACE, data, count, call_.receive.type, call_.op, comm, &request_);
        break;
      case schedule::far_step::reduce:
        code =
            state_->node == plan_.far_root
                ? MPI_Ireduce(MPI_IN_PLACE, data, count, call_.receive.type, call_.op, plan_.far_root, comm, &request_)
                : MPI_Ireduce(data, nullptr, count, call_.receive.type, call_.op, plan_.far_root, comm, &request_);
        break;
      case schedule::far_step::bcast:
        if (plan_.is_far_source) std::memcpy(data, plan_.input, as_size(plan_.result_bytes));
        code = MPI_Ibcast(data, static_cast<int>(plan_.result_bytes), MPI_BYTE, plan_.far_root, comm, &request_);
        break;
      default:
        code = MPI_Ibarrier(comm, &request_);
    }
    check_mpi(code, "a collective between nodes");
  }

  bool cross() {
    int is_complete = 0;
    check_mpi(MPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_complete == 0) return false;
    request_ = MPI_REQUEST_NULL;
    if (plan_.sum.out != nullptr && plan_.result_bytes > 0 &&
        (plan_.far != schedule::far_step::reduce || state_->node == plan_.far_root))
      std::memcpy(plan_.sum.out, own_result(), as_size(plan_.result_bytes));
    staging_->combined(me_).set(epoch_);
    return true;
  }

  // What has arrived is copied in any order. After a while a rank combines itself what others should have combined:
  // they may be waiting for something else, and look at this plan only after that.
  bool copy() {
    const bool may_help = is_independent() && ++polls_ > polls_before_help && plan_.op.is_valid();
    std::erase_if(pending_, [&](const schedule::copy& c) {
      const near::signal& ready = c.is_of_result ? staging_->combined(c.from) : staging_->posted(c.from);
      if (!ready.has_reached(epoch_)) return c.is_of_result && may_help && help(c);
      if (c.bytes > 0) std::memcpy(c.to, c.is_of_result ? result(c) : contribution(c.from), as_size(c.bytes));
      return true;
    });
    return pending_.empty();
  }

  bool help(const schedule::copy& c) {
    for (int r = 0; r < ranks_; ++r) {
      if (!staging_->posted(r).has_reached(epoch_)) return false;
      inputs_[as_size(r)] = contribution(r) + c.offset;
    }
    plan_.op.combine_all(c.to, inputs_.data(), ranks_, c.bytes / plan_.op.element_bytes());
    return true;
  }

  template <class Missing>
  std::string first_of(const std::vector<int>& ranks, const char* what, Missing is_missing) const {
    const auto found = std::find_if(ranks.begin(), ranks.end(), is_missing);
    if (found == ranks.end()) return "nobody";
    return text("rank ", state_->near_ranks[as_size(*found)], " ", what);
  }

  call call_;
  team_state* state_;
  schedule plan_;
  source source_;
  int me_ = 0, ranks_ = 1;
  far::lease_pool<staging_segment>::lease staging_;
  far::lease_pool<borrowed_comm>::lease lane_comm_;
  near::stores stores_ = near::stores::ordinary;
  std::uint64_t first_epoch_ = 0, epoch_ = 0;
  std::vector<int> owners_, readers_;  ///< near ranks whose slots this rank reads, and those who read its own
  std::vector<index_t> packed_from_, plain_from_;
  std::vector<std::byte*> peer_input_, peer_output_;
  std::vector<near::mapping> mapped_;
  std::vector<const std::byte*> inputs_;
  std::vector<schedule::copy> pending_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  near::wait_policy policy_;
  std::string name_ = "start of a plan";
  std::function<std::string()> whom_;
  int polls_ = 0;
  bool has_posted_ = false, has_combined_ = false, is_over_ = false;
};

// Node and near rank of the root, which only ranks of its node know.
std::array<int, 2> root_of(const call& c, const team_state& s) {
  std::array<int, 2> where{s.node, s.near_rank};
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(where.data(), 2, MPI_INT, c.root, s.comm); });
  return where;
}

}  // namespace

std::unique_ptr<operation> make_slot_operation(const call& c, const team& members, const setting& around, source from) {
  const team_state& s = state_of(members);
  const auto root = root_of(c, s);
  auto how = make_schedule(c, members, around, root[0], root[1]);
  const bool fits = how && (from == source::buffers || how->slot_bytes() <= most_slot_bytes) &&
                    how->sum.count <= std::numeric_limits<int>::max();
  if (!everywhere(s, fits)) return nullptr;
  auto made = std::make_unique<slot_operation>(c, members, std::move(*how), from);
  if (from == source::buffers && !made->find_buffers(members)) return nullptr;
  return made;
}

}  // namespace nearfar::collective
