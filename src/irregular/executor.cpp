// SPDX-License-Identifier: BSD-3-Clause
// Posts, packs, reads and combines. Far messages are sent first; near work is done meanwhile.
#include "executor.hpp"

#include <algorithm>
#include <base/clock.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cstring>
#include <limits>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

#include "kernels.hpp"
#include "slices.hpp"
#include "streaming.hpp"

namespace nearfar::irregular {

namespace {

constexpr index_t line_bytes = near::cache_line_bytes;

stream stream_of(movement_kind kind) { return kind == movement_kind::gather ? stream::gather : stream::scatter; }

movement movement_of(const plan_lists& l, movement_kind kind) {
  const peer_lists& wanted = l.to.wanted;
  switch (kind) {
    case movement_kind::gather:
      return {&wanted.peers, wanted.places.data(), &l.here.owners, nullptr};
    case movement_kind::scatter:
      return {&l.here.owners, nullptr, &wanted.peers, wanted.places.data()};
    case movement_kind::canonical:
      break;
  }
  return {&l.to.out_references.peers, l.to.out_references.places.data(), &l.to.in_references.peers,
          l.to.in_references.places.data()};
}

}  // namespace

executor::executor(const team& members, notification_table& b, std::string name, int threads)
    : members_(members), notifications_(b), name_(std::move(name)), threads_(threads), relay_(members, b, name_) {
  whom_ = [this] { return awaited(); };
  b.pack_refused = [this](int near_rank) { return packed_for(near_rank); };
}

std::vector<int> executor::near_ranks_of(const std::vector<share>& shares) const {
  const std::vector<int>& near = state_of(members_).near_ranks;
  std::vector<int> ranks;
  for (const share& s : shares) {
    const auto at = std::lower_bound(near.begin(), near.end(), s.peer);
    ranks.push_back(at != near.end() && *at == s.peer ? static_cast<int>(at - near.begin()) : -1);
  }
  return ranks;
}

void executor::use(const plan_lists* lists, const choice& how) {
  lists_ = lists;
  how_ = how;
  routes_here_ = &routes_[how.name(true, true)];
  is_near_by_messages_ = how.is_near_by_messages();
  if (!is_near_by_messages_) gathers_ = how.gathers(), scatters_ = how.scatters();
  if (!may_be_raced()) tuner_.reset();
  near_owners_ = near_ranks_of(lists->here.owners);
  near_wanters_ = near_ranks_of(lists->to.wanted.peers);
  near_out_referees_ = near_ranks_of(lists->to.out_references.peers);
  near_in_referees_ = near_ranks_of(lists->to.in_references.peers);
  pending_.reserve(near_owners_.size());
}

bool executor::may_be_raced() const { return !is_near_by_messages_ && lists_->has_near && !lists_->has_far; }

void executor::race_again() {
  if (!tuner_ && may_be_raced()) tuner_.emplace(notifications_, gathers_, scatters_);
}

std::optional<std::string> executor::new_near_name() {
  if (!tuner_ || !tuner_->has_changed()) return {};
  gathers_ = tuner_->gathers(), scatters_ = tuner_->scatters();
  return near_name(gathers_, scatters_);
}

void executor::keep_routes_of(const choice& how) {
  std::erase_if(routes_, [&](const auto& r) { return r.first != how.name(true, true); });
  how.crosses_once() ? relay_.keep_routes_of(how.transport()) : relay_.forget();
}

// ---- starting ----

void executor::start(movement_kind kind, std::span<const moved_array> arrays, const nearfar::detail::combiner* how,
                     std::span<const own_turn> own, bool is_rewritten) {
  kind_ = kind;
  is_rewritten_ = is_rewritten;
  what_ = movement_of(*lists_, kind);
  near_out_ = kind == movement_kind::gather    ? &near_wanters_
              : kind == movement_kind::scatter ? &near_owners_
                                               : &near_out_referees_;
  near_in_ = kind == movement_kind::gather    ? &near_owners_
             : kind == movement_kind::scatter ? &near_wanters_
                                              : &near_in_referees_;
  count_ = arrays.size();
  std::copy(arrays.begin(), arrays.end(), arrays_.begin());
  std::copy(own.begin(), own.end(), own_.begin());
  element_bytes_ = 0;
  for (const moved_array& a : arrays) element_bytes_ += a.element_bytes;
  combine_ = how;
  has_own_turn_ = !own.empty();
  next_in_ = 0;
  next_part_ = 0;
  start_far();
  start_near();
}

far_route* executor::route_for(index_t element_bytes) {
  auto& slot = (*routes_here_)[{kind_, element_bytes}];
  if (!slot)
    slot = std::make_unique<far_route>(
        what_, element_bytes, [&](int peer) { return members_.is_near(peer) ? is_near_by_messages_ : !is_relayed(); });
  return slot.get();
}

void executor::start_far() {
  is_far_open_ = false;
  is_far_in_place_ = false;
  if (is_relayed())
    relay_.start(lists_->here, lists_->to, {arrays_.data(), count_}, element_bytes_, how_.transport(),
                 [&](auto done) { wait(done); });
  if ((lists_->has_far && !is_relayed()) || (lists_->has_near && is_near_by_messages_)) start_messages();
}

/// Ghosts are sent from, and received into, the caller's memory where there is one array.
void executor::start_messages() {
  route_ = route_for(element_bytes_);
  const moved_array& first = arrays_[0];
  const bool is_source_bound = count_ == 1 && kind_ == movement_kind::scatter;
  is_far_in_place_ = count_ == 1 && kind_ == movement_kind::gather;
  packing_area& out_area = kind_ == movement_kind::gather ? wanted_area_ : ghost_area_;
  packing_area& in_area = kind_ == movement_kind::gather ? ghost_area_ : wanted_area_;
  std::byte* const out = is_source_bound ? first.source : out_area.of(route_->out_bytes());
  in_ = is_far_in_place_ ? first.target : in_area.of(route_->in_bytes());
  if (route_->is_new())
    route_->make(members_, is_near_by_messages_ ? how_.near + "+" + how_.transport() : how_.transport(), name_, out,
                 in_);
  route_->bind(out, in_);
  if (!is_source_bound)
    for (const far_route::part& p : route_->out()) pack(p.what, out + p.at);
  route_->start();
  is_far_open_ = true;
}

near::handle executor::find(const std::byte* at, index_t bytes) {
  const std::uint64_t now = near::arena::generation();
  for (const found_memory& f : found_)
    if (f.first == at && f.bytes == bytes && f.generation == now && at != nullptr) return f.where;
  found_memory& f = found_[next_found_++ % found_.size()];
  f = {at, bytes, now, notifications_.arena().find(at, bytes)};
  return f.where;
}

void executor::start_near() {
  must_be_taken_ = false;
  is_timed_ = false;
  pending_.clear();
  if (is_near_by_messages_) return;
  if (kind_ == movement_kind::gather)
    for (std::size_t i = 0; i < near_in_->size(); ++i)
      if ((*near_in_)[i] >= 0) pending_.push_back(i);
  epoch_ = notifications_.next_epoch(stream_of(kind_));
  choose_method();
  const bool has_readers = std::any_of(near_out_->begin(), near_out_->end(), [](int r) { return r >= 0; });
  if (has_readers) post();
  if (is_timed_) since_s_ = seconds_now();
}

void executor::choose_method() {
  method_ = kind_ == movement_kind::gather ? gathers_ : scatters_;
  if (!tuner_) return;
  const bool is_packed = count_ > 1 || is_rewritten_ || kind_ == movement_kind::canonical;
  method_ = tuner_->next({kind_, is_packed, element_bytes_});
  is_timed_ = tuner_->is_timed();
  is_pure_ = true;
  out_s_ = in_s_ = 0;
}

void executor::post() {
  if (!notifications_.has_free_slot(stream_of(kind_), epoch_))
    wait([&] { return notifications_.has_free_slot(stream_of(kind_), epoch_); });
  const double begin_s = is_timed_ ? seconds_now() : 0;
  try {
    post_by(method_);
  } catch (const resource_error&) {
    if (!tuner_ || method_ == tuner_->in_use()) throw;
    fall_back();
  }
  if (is_timed_) out_s_ = seconds_now() - begin_s;
}

/// No space for what was only tried.
void executor::fall_back() {
  if (is_timed_) tuner_->note(method_, std::numeric_limits<double>::infinity(), 0);
  is_timed_ = false;
  method_ = tuner_->in_use();
  post_by(method_);
}

void executor::post_by(near_method method) {
  const moved_array& a = arrays_[0];
  if (method == near_method::in_place && count_ == 1 && kind_ != movement_kind::canonical && !is_rewritten_)
    if (const near::handle place = find(a.source, a.source_elements * a.element_bytes); place.is_valid())
      return post_direct(place);
  post_packed(method);
  must_be_taken_ |= lists_->has_far && notifications_.is_short_of_cores();
}

/// Readers take what they need from where it is: a gather's by their lists, a scatter's as the ghosts lie.
void executor::post_direct(const near::handle& place) {
  must_be_taken_ = true;
  for (std::size_t i = 0; i < near_out_->size(); ++i) {
    const int r = (*near_out_)[i];
    if (r < 0) continue;
    const share& s = (*what_.out)[i];
    near::handle where = place;
    const layout lies = what_.out_places == nullptr ? layout::in_order : layout::whole;
    if (lies == layout::in_order) where.offset += s.first * element_bytes_;
    notifications_.post(stream_of(kind_), epoch_, r, {where, s.count * element_bytes_, lies, nullptr}, mark());
  }
}

/// Each share begins a line.
void executor::post_packed(near_method method) {
  const auto space_for = [&](const share& s) { return (s.count * element_bytes_ + line_bytes - 1) & -line_bytes; };
  index_t bytes = 0;
  for (std::size_t i = 0; i < near_out_->size(); ++i)
    if ((*near_out_)[i] >= 0) bytes += space_for((*what_.out)[i]);
  const bool is_past_caches = method == near_method::streamed;
  const near::stores how = is_past_caches ? near::stores::past_caches : near::stores::ordinary;
  const layout lies = is_past_caches ? layout::streamed : layout::in_order;
  std::byte* to = notifications_.packing_space(stream_of(kind_), epoch_, bytes, how);
  near::handle where = notifications_.packing_place(stream_of(kind_), epoch_);
  for (std::size_t i = 0; i < near_out_->size(); ++i) {
    const int r = (*near_out_)[i];
    if (r < 0) continue;
    const share& s = (*what_.out)[i];
    pack(s, to, how);
    must_be_taken_ |=
        notifications_.post(stream_of(kind_), epoch_, r, {where, s.count * element_bytes_, lies, to}, mark());
    to += space_for(s), where.offset += space_for(s);
  }
}

race_mark executor::mark() const {
  if (!is_timed_) return {};
  return {static_cast<std::int16_t>(method_), seconds_now()};
}

/// Of what was posted in place.
const std::byte* executor::packed_for(int near_rank) {
  const auto i = std::find(near_out_->begin(), near_out_->end(), near_rank) - near_out_->begin();
  const share& s = (*what_.out)[as_size(i)];
  if (what_.out_places == nullptr) return arrays_[0].source + s.first * element_bytes_;
  std::vector<std::byte>& packed = refused_[near_rank];
  packed.resize(as_size(s.count * element_bytes_));
  pack(s, packed.data());
  return packed.data();
}

void executor::pack(const share& s, std::byte* to, near::stores how) const {
  const auto pick_elements = how == near::stores::ordinary ? pick : stream_pick;
  for (std::size_t k = 0; k < count_; ++k) {
    const moved_array& a = arrays_[k];
    const index_t size = a.element_bytes;
    in_slices(threads_, s.count, [&](index_t first, index_t count) {
      if (what_.out_places != nullptr)
        pick_elements(to + first * size, a.source, what_.out_places + s.first + first, count, size);
      else
        near::copy(how, to + first * size, a.source + (s.first + first) * size, count * size);
      near::finish(how);
    });
    to += s.count * size;
  }
}

// ---- delivering ----

/// The places of one share are different elements, but for references in the canonical order.
void executor::deliver(const share& s, const std::byte* from, layout lies) const {
  const int threads = kind_ == movement_kind::canonical ? 1 : threads_;
  for (std::size_t k = 0; k < count_; ++k) {
    const moved_array& a = arrays_[k];
    const auto some = [&](index_t first, index_t count) {
      const std::byte* const at = from + first * a.element_bytes;
      if (combine_ != nullptr)
        combine_->scatter(combine_->operand(), a.target, what_.in_places + s.first + first, at, count, a.components);
      else
        std::memcpy(a.target + (s.first + first) * a.element_bytes, at, as_size(count * a.element_bytes));
    };
    in_slices(threads, s.count, [&](index_t first, index_t count) {
      if (lies != layout::streamed) return some(first, count);
      for_fetched_pieces(from + first * a.element_bytes, count, a.element_bytes,
                         [&](index_t piece, index_t part) { some(first + piece, part); });
    });
    from += s.count * a.element_bytes;
  }
}

void executor::read(const share& s, const arrival& a) const {
  if (a.lies != layout::whole) return deliver(s, a.from, a.lies);
  const moved_array& to = arrays_[0];
  in_slices(threads_, s.count, [&](index_t first, index_t count) {
    pick(to.target + (s.first + first) * to.element_bytes, a.from, lists_->here.ghost_offsets.data() + s.first + first,
         count, to.element_bytes);
  });
}

bool executor::take_near(std::size_t i) {
  const int r = (*near_in_)[i];
  const arrival a = notifications_.arrived(stream_of(kind_), epoch_, r);
  if (a.what == nullptr) return false;
  read((*what_.in)[i], a);
  if (is_timed_) note_read(*a.what);
  notifications_.take(stream_of(kind_), epoch_, r);
  return true;
}

bool executor::is_far_there() { return !is_far_open_ || route_->test(); }

/// Since it was there, or since this rank was free to read it: neither what it does in between nor a late sender
/// counts.
void executor::note_read(const notice& n) {
  const double now_s = seconds_now();
  const double weight = n.is_in_place ? near_tuner::in_place_weight(kind_) : 1;
  in_s_ += weight * std::max(0.0, now_s - std::max(since_s_, n.at_s));
  since_s_ = now_s;
  is_pure_ &= n.at_s > 0 && n.method == static_cast<std::int16_t>(method_);
}

void executor::end_measurement() {
  is_timed_ = false;
  if (is_pure_) tuner_->note(method_, out_s_, in_s_);
}

bool executor::is_over() {
  if (is_timed_) since_s_ = seconds_now();
  return advance() && is_all_taken();
}

bool executor::advance_copies() {
  if (!pending_.empty()) std::erase_if(pending_, [&](std::size_t i) { return take_near(i); });
  const bool is_relay_over = !relay_.is_open() || relay_.advance();
  return is_far_there() && pending_.empty() && is_relay_over;
}

void executor::take_own_turn() {
  has_own_turn_ = false;
  const std::vector<std::int32_t>& local = lists_->here.local;
  for (std::size_t k = 0; k < count_; ++k)
    combine_->scatter_split(combine_->operand(), arrays_[k].target, own_[k].ghosts, lists_->here.owned, local.data(),
                            own_[k].values, as_index(local.size()), arrays_[k].components);
}

/// Ascending rank, whatever arrives first; this rank's own values at its place where they have one.
bool executor::advance_combining() {
  const bool is_far_done = is_far_there();
  for (; next_in_ < what_.in->size(); ++next_in_) {
    const share& s = (*what_.in)[next_in_];
    if (has_own_turn_ && s.peer > members_.rank()) take_own_turn();
    if (uses_shared_memory((*near_in_)[next_in_])) {
      if (!take_near(next_in_)) return false;
    } else {
      if (!is_far_done) return false;
      deliver(s, in_ + route_->in()[next_part_++].at);
    }
  }
  if (has_own_turn_) take_own_turn();
  return is_far_done;
}

bool executor::advance() {
  if (must_be_taken_) notifications_.answer(stream_of(kind_), epoch_);
  relay_.answer();
  return combine_ != nullptr ? advance_combining() : advance_copies();
}

bool executor::is_all_taken() {
  return (!must_be_taken_ || notifications_.has_free_slot(stream_of(kind_), epoch_)) && relay_.is_all_taken();
}

template <class Done>
void executor::wait(Done done) {
  near::patience p(notifications_.waiting(), name_, whom_);
  const auto has_messages = [this] { return is_far_open_ || relay_.has_messages() || notifications_.has_messages(); };
  while (!done()) has_messages() ? p.idle_in_mpi() : p.idle();
}

void executor::finish() {
  if (is_timed_) since_s_ = seconds_now();
  if (!advance()) wait([this] { return advance(); });
  if (is_timed_) end_measurement();
  if (is_far_open_) {
    route_->finish();
    is_far_open_ = false;
    if (combine_ == nullptr && !is_far_in_place_)
      for (const far_route::part& p : route_->in()) deliver(p.what, in_ + p.at);
  }
  if (!is_all_taken()) wait([this] { return is_all_taken(); });
}

std::string executor::awaited() const {
  std::string s;
  const auto add = [&](int rank, const char* what) { s += text(s.empty() ? "" : ", ", "near rank ", rank, what); };
  for (std::size_t i = 0; i < near_in_->size(); ++i)
    if (uses_shared_memory((*near_in_)[i]) && !notifications_.has_arrived(stream_of(kind_), epoch_, (*near_in_)[i]))
      add((*what_.in)[i].peer, " to post");
  for (std::size_t i = 0; i < near_out_->size(); ++i)
    if (uses_shared_memory((*near_out_)[i]) && !notifications_.is_taken(stream_of(kind_), epoch_, (*near_out_)[i]))
      add((*what_.out)[i].peer, " to read");
  if (is_far_open_) s += (s.empty() ? "" : ", ") + route_->awaited();
  if (relay_.is_open()) s += (s.empty() ? "" : ", ") + relay_.awaited();
  return s;
}

}  // namespace nearfar::irregular
