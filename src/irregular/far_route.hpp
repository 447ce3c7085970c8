// SPDX-License-Identifier: BSD-3-Clause
// The far route: an exchange of the engine between packed areas, one per size of element and direction.
#pragma once

#include <array>
#include <exchange/exchange.hpp>
#include <memory>
#include <string>
#include <vector>

#include "inspector.hpp"

namespace nearfar::irregular {

/// One direction of a plan: what this rank packs and for whom, and from whom what comes. Shares are by ascending peer
/// and name entries of lists, or of the ghosts.
struct movement {
  const std::vector<share>* out = nullptr;
  const std::int32_t* out_places = nullptr;  ///< null: entries are elements as they lie
  const std::vector<share>* in = nullptr;
  const std::int32_t* in_places = nullptr;
};

/// One array of a movement.
struct moved_array {
  std::byte* source = nullptr;  ///< what the entries that go out are elements of
  index_t source_elements = 0;
  std::byte* target = nullptr;  ///< what comes in is copied or combined into
  index_t element_bytes = 0, components = 1;
};

/// Memory for packing that whatever a plan has in flight uses in turn; it grows.
class packing_area {
 public:
  std::byte* of(index_t bytes) {
    if (bytes_ < bytes) memory_ = std::make_unique_for_overwrite<std::byte[]>(as_size(bytes)), bytes_ = bytes;
    return memory_.get();
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  index_t bytes_ = 0;
};

/// Messages with a chosen set of peers, between two areas that may be elsewhere at each start. Shares lie in an area as
/// the ghosts do, so that it may be the ghosts' own memory; elements that are picked by list lie without gaps.
class far_route {
 public:
  struct part {
    share what;
    index_t at = 0;  ///< bytes from the start of the area
  };

  /// `serves(peer)` says who gets messages.
  template <class Serves>
  far_route(const movement& what, index_t element_bytes, Serves serves) : element_bytes_(element_bytes) {
    append(*what.out, what.out_places != nullptr, serves, out_);
    append(*what.in, what.in_places != nullptr, serves, in_);
  }

  const std::vector<part>& out() const noexcept { return out_; }
  const std::vector<part>& in() const noexcept { return in_; }
  index_t out_bytes() const noexcept { return end_of(out_); }
  index_t in_bytes() const noexcept { return end_of(in_); }
  bool is_new() const noexcept { return engine_ == nullptr; }

  /// Makes the exchange, for these areas. Collective over the team.
  void make(const team& members, const std::string& method, const std::string& name, std::byte* out, std::byte* in);
  /// Other areas; local.
  void bind(std::byte* out, std::byte* in) {
    engine_->rebind(std::array<exchange::moved_buffer, 2>{{{0, out}, {1, in}}});
  }
  void start() { engine_->start(); }
  bool test() { return engine_->test(); }
  void finish() { engine_->finish(); }
  std::string awaited() const { return engine_->awaited(); }

 private:
  template <class Serves>
  void append(const std::vector<share>& all, bool is_picked, Serves serves, std::vector<part>& to) const {
    for (const share& s : all)
      if (serves(s.peer)) to.push_back({s, is_picked ? end_of(to) : s.first * element_bytes_});
  }
  index_t end_of(const std::vector<part>& all) const noexcept {
    return all.empty() ? 0 : all.back().at + all.back().what.count * element_bytes_;
  }

  index_t element_bytes_;
  std::vector<part> out_, in_;
  std::unique_ptr<exchange::exchange> engine_;
};

}  // namespace nearfar::irregular
