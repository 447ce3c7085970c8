// SPDX-License-Identifier: BSD-3-Clause
// What travels in messages: an exchange of the engine between packed buffers, one per size of element and direction.
#pragma once

#include <exchange/exchange.hpp>
#include <memory>
#include <string>
#include <vector>

#include "inspector.hpp"

namespace nearfar::gathering {

/// One direction of a plan: what this rank packs and for whom, and from whom what comes. Shares are by ascending peer and name entries of
/// lists, or of the ghosts.
struct movement {
  const std::vector<share>* out = nullptr;
  const std::int32_t* out_places = nullptr;  ///< null: entries are elements as they lie
  const std::vector<share>* in = nullptr;
  const std::int32_t* in_places = nullptr;
};

/// Messages with a chosen set of peers. The outgoing and the incoming area each hold `element_bytes` per entry of the share lists, in
/// their order, peers that are not served included.
class far_route {
 public:
  /// Collective over the team. `serves(peer)` says who gets messages.
  template <class Serves>
  far_route(const team& members, const movement& what, index element_bytes, const std::string& method,
            const std::string& name, Serves serves)
      : element_bytes_(element_bytes) {
    for (const share& s : *what.out)
      if (serves(s.peer)) out_.push_back(s);
    for (const share& s : *what.in)
      if (serves(s.peer)) in_.push_back(s);
    out_entries_ = end_of(*what.out), in_entries_ = end_of(*what.in);
    make(members, method, name);
  }

  const std::vector<share>& out() const noexcept { return out_; }
  const std::vector<share>& in() const noexcept { return in_; }

  /// Where to pack before start(), and where to find what came: areas of the route's own, unless others were bound.
  std::byte* out_area() noexcept { return out_area_.data(); }
  std::byte* in_area() noexcept { return in_area_.data(); }
  /// The caller's memory in place of an area, until bound again; false if the method cannot: then the route's own is bound.
  bool bind_out(std::byte* area) { return bind(0, area, out_area_.data()); }
  bool bind_in(std::byte* area) { return bind(1, area, in_area_.data()); }
  void bind_own() { engine_->rebind(0, out_area_.data()), engine_->rebind(1, in_area_.data()); }

  void start() { engine_->start(); }
  bool test() { return engine_->test(); }
  void finish() { engine_->finish(); }

 private:
  static index end_of(const std::vector<share>& all) { return all.empty() ? 0 : all.back().first + all.back().count; }
  void make(const team& members, const std::string& method, const std::string& name);
  bool bind(int buffer, std::byte* area, std::byte* own);

  index element_bytes_;
  std::vector<share> out_, in_;
  index out_entries_ = 0, in_entries_ = 0;
  std::vector<std::byte> out_area_, in_area_;
  std::unique_ptr<exchange::exchange> engine_;
};

}  // namespace nearfar::gathering
