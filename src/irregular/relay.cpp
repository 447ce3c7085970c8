// SPDX-License-Identifier: BSD-3-Clause
// Packs for receivers, notifies readers of what a receiver has got, and copies ghosts from there.
#include "relay.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cstring>
#include <topology/team_state.hpp>

#include "kernels.hpp"

namespace nearfar::irregular {

void relay::keep_routes_of(const std::string& transport) {
  std::erase_if(routes_, [&](const auto& r) { return std::get<0>(r.first) != transport; });
}

void relay::begin(std::span<const moved_array> arrays, index_t element_bytes, const std::string& transport) {
  arrays_ = arrays;
  element_bytes_ = element_bytes;
  group_readings();
  area_ = nullptr;
  must_be_taken_ = false;
  if (!lists_->in.empty())
    area_ = notifications_.packing_space(stream::relay, epoch_, lists_->area_entries() * element_bytes);
  auto& route = routes_[{transport, element_bytes}];
  const movement what{&lists_->out.peers, lists_->out.places.data(), &lists_->in, nullptr};
  if (!route) route = std::make_unique<far_route>(what, element_bytes, [](int) { return true; });
  route_ = route.get();
  std::byte* const out = out_area_.of(route_->out_bytes());
  if (route_->is_new()) route_->make(members_, transport, name_, out, area_);
  route_->bind(out, area_);
  for (const far_route::part& p : route_->out()) pack(p.what, out + p.at);
  route_->start();
  is_open_ = true;
}

void relay::group_readings() {
  pending_.clear();
  for (std::size_t i = 0; i < lists_->readings.size(); ++i) {
    const int receiver = lists_->readings[i].receiver;
    if (pending_.empty() || pending_.back().receiver != receiver) pending_.push_back({receiver, i, i});
    pending_.back().end = i + 1;
  }
}

void relay::pack(const share& s, std::byte* to) const {
  for (const moved_array& a : arrays_) {
    pick(to, a.source, lists_->out.places.data() + s.first, s.count, a.element_bytes);
    to += s.count * a.element_bytes;
  }
}

void relay::post() {
  const near::handle place = notifications_.packing_place(stream::relay, epoch_);
  for (const int r : lists_->readers)
    must_be_taken_ |= notifications_.post(stream::relay, epoch_, r,
                                          {place, lists_->area_entries() * element_bytes_, layout::in_order, area_});
}

void relay::answer() {
  if (must_be_taken_) notifications_.answer(stream::relay, epoch_);
}

bool relay::is_all_taken() { return !must_be_taken_ || notifications_.has_free_slot(stream::relay, epoch_); }

bool relay::advance() {
  if (is_open_ && route_->test()) {
    route_->finish();
    is_open_ = false;
    post();
  }
  if (!pending_.empty()) std::erase_if(pending_, [&](const from_receiver& r) { return take(r); });
  return !is_open();
}

bool relay::take(const from_receiver& r) {
  const bool is_own = r.receiver == members_.near_rank();
  if (is_own && is_open_) return false;
  const std::byte* from = area_;
  if (!is_own) {
    const arrival a = notifications_.arrived(stream::relay, epoch_, r.receiver);
    if (a.what == nullptr) return false;
    from = a.from;
  }
  for (std::size_t i = r.first; i < r.end; ++i) read(lists_->readings[i], from);
  if (!is_own) notifications_.take(stream::relay, epoch_, r.receiver);
  return true;
}

/// The elements of an owner are one array after the other.
void relay::read(const reading& r, const std::byte* from) const {
  from += r.first * element_bytes_;
  for (const moved_array& a : arrays_) {
    std::byte* const to = a.target + r.ghosts.first * a.element_bytes;
    if (r.start >= 0)
      std::memcpy(to, from + r.start * a.element_bytes, as_size(r.ghosts.count * a.element_bytes));
    else
      pick(to, from, lists_->places.data() + r.places, r.ghosts.count, a.element_bytes);
    from += r.count * a.element_bytes;
  }
}

std::string relay::awaited() const {
  std::string s = is_open_ ? route_->awaited() : "";
  for (const from_receiver& r : pending_)
    if (r.receiver != members_.near_rank())
      s += text(s.empty() ? "" : ", ", "near rank ", state_of(members_).near_ranks[as_size(r.receiver)],
                " to pass on elements of far ranks");
  return s;
}

}  // namespace nearfar::irregular
