// SPDX-License-Identifier: BSD-3-Clause
// Cuts boxes alike on both ends; two counters say which slots of the ring are full and which are free.
#include "near_pipe.hpp"

#include <algorithm>
#include <optional>

namespace nearfar::exchange {

namespace {

constexpr index_t chunk_bytes = index_t{1} << 17;  // a ring of four fits the second-level cache beside what is packed
constexpr index_t whole_tiles = 32;

index_t bytes_of_one(const strided_box& box, std::size_t dimension) {
  return box.element_bytes * box.elements() / box.extents[dimension];
}

/// Dimensions that are fast in neither memory first: those are what tiles and runs are made of. Packed memory is in the
/// box's order.
std::size_t dimension_to_cut(const strided_box& box) {
  std::optional<std::size_t> fast_here, fast_packed;
  for (std::size_t d = 0; d < box.extents.size(); ++d) {
    if (box.extents[d] == 1) continue;
    fast_packed = d;
    if (!fast_here || std::abs(box.strides_bytes[d]) < std::abs(box.strides_bytes[*fast_here])) fast_here = d;
  }
  std::size_t best = 0;
  for (std::size_t d = 0; d < box.extents.size(); ++d) {
    if (box.extents[d] == 1 || d == fast_here || d == fast_packed) continue;
    best = d;
    if (bytes_of_one(box, d) <= chunk_bytes) return d;
  }
  if (box.extents.empty() || (best != fast_here && best != fast_packed && box.extents[best] > 1)) return best;
  return fast_packed == fast_here || !fast_here ? fast_packed.value_or(0) : *fast_here;
}

box_cut cut_of(const strided_box& box) {
  if (box.elements() == 0 || box.extents.empty()) return {0, 1};
  const std::size_t d = dimension_to_cut(box);
  const index_t count = std::max(chunk_bytes / bytes_of_one(box, d), index_t{1});
  const bool is_within_tiles = std::abs(box.strides_bytes[d]) == box.element_bytes;
  return {as_index(d), is_within_tiles ? (count + whole_tiles - 1) / whole_tiles * whole_tiles : count};
}

/// Calls body(part) for each part of the box.
template <class Body>
void for_parts(const strided_box& box, const box_cut& cut, Body body) {
  if (box.elements() == 0) return;
  if (box.extents.empty()) return body(box);
  const auto d = as_size(cut.dimension);
  for (index_t at = 0; at < box.extents[d]; at += cut.count) {
    strided_box part = box;
    part.offset_bytes += at * box.strides_bytes[d];
    part.extents[d] = std::min(cut.count, box.extents[d] - at);
    body(part);
  }
}

}  // namespace

pipe_sender::pipe_sender(const std::vector<placed_box>& sources) {
  for (const placed_box& s : sources) {
    const box_cut cut = cuts_.emplace_back(cut_of(s.box));
    for_parts(s.box, cut, [this](const strided_box& part) {
      slot_bytes_ = std::max(slot_bytes_, part.elements() * part.element_bytes);
    });
  }
}

void pipe_sender::connect(std::byte* ring, index_t slot_bytes, near::signal* ready,
                          const near::signal* taken) noexcept {
  ring_ = ring, slot_bytes_ = slot_bytes, ready_ = ready, taken_ = taken;
}

void pipe_sender::move(const std::vector<placed_box>& sources) {
  chunks_.clear();
  for (std::size_t k = 0; k < sources.size(); ++k)
    for_parts(sources[k].box, cuts_[k], [&](const strided_box& part) {
      chunks_.push_back(make_joint_walk(ring_, packed(part), sources[k].base, part));
    });
  next_ = chunks_.size();
}

void pipe_sender::start(std::uint64_t epoch) noexcept {
  before_ = (epoch - 1) * chunks_.size();
  next_ = 0;
}

bool pipe_sender::move_on() {
  if (is_done()) return false;
  const std::uint64_t number = before_ + next_;
  if (number >= slots && !taken_->has_reached(number + 1 - slots)) return false;
  joint_walk chunk = chunks_[next_];
  chunk.to = ring_ + as_index(number % slots) * slot_bytes_;
  copy(chunk);
  ready_->set(number + 1);
  ++next_;
  return true;
}

pipe_receiver::pipe_receiver(std::vector<box_cut> cuts, const std::byte* ring, index_t slot_bytes,
                             const near::signal* ready, near::signal* taken)
    : cuts_(std::move(cuts)), ring_(ring), slot_bytes_(slot_bytes), ready_(ready), taken_(taken) {}

void pipe_receiver::move(const std::vector<placed_box>& targets) {
  chunks_.clear();
  for (std::size_t k = 0; k < targets.size(); ++k)
    for_parts(targets[k].box, cuts_[k], [&](const strided_box& part) {
      chunks_.push_back(make_joint_walk(targets[k].base, part, ring_, packed(part)));
    });
  next_ = chunks_.size();
}

void pipe_receiver::start(std::uint64_t epoch) noexcept {
  before_ = (epoch - 1) * chunks_.size();
  next_ = 0;
}

bool pipe_receiver::move_on(bool past_caches) {
  if (is_done()) return false;
  const std::uint64_t number = before_ + next_;
  if (!ready_->has_reached(number + 1)) return false;
  joint_walk chunk = chunks_[next_];
  chunk.from = ring_ + as_index(number % pipe_sender::slots) * slot_bytes_;
  copy(chunk, past_caches);
  taken_->set(number + 1);
  ++next_;
  return true;
}

}  // namespace nearfar::exchange
