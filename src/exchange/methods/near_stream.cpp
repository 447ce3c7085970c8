// SPDX-License-Identifier: BSD-3-Clause
// Long runs are stored past the caches as they are; others are put together in a buffer of the first-level cache
// before.
#include "near_stream.hpp"

#include <algorithm>
#include <near/past_caches.hpp>

namespace nearfar::exchange {

namespace {

constexpr index_t buffered_bytes = index_t{1} << 14, most_parts = 4096;

index_t bytes_of(const strided_box& box) { return box.elements() * box.element_bytes; }

/// Calls body(part) for parts of at most so many bytes (or one element) that follow each other in the packed message.
template <class Body>
void for_parts(const strided_box& box, index_t most_bytes, const Body& body) {
  if (box.elements() == 0) return;
  const auto slowest = std::find_if(box.extents.begin(), box.extents.end(), [](index_t n) { return n > 1; });
  if (slowest == box.extents.end() || bytes_of(box) <= most_bytes) return body(box);
  const auto d = as_size(slowest - box.extents.begin());
  const index_t slice_bytes = bytes_of(box) / *slowest, count = std::max(most_bytes / slice_bytes, index_t{1});
  for (index_t i = 0; i < box.extents[d]; i += count) {
    strided_box part = box;
    part.offset_bytes += i * box.strides_bytes[d];
    part.extents[d] = std::min(count, box.extents[d] - i);
    for_parts(part, most_bytes, body);
  }
}

}  // namespace

void stream_packer::move(const std::vector<placed_box>& sources) {
  parts_.clear();
  index_t at = 0, longest = 0;
  const auto add = [&](const placed_box& source, const strided_box& box, bool is_buffered) {
    parts_.push_back({make_joint_walk(nullptr, packed(box), source.base, box), at, bytes_of(box), is_buffered});
    if (is_buffered) longest = std::max(longest, bytes_of(box));
    at += bytes_of(box);
  };
  for (const placed_box& s : sources) {
    if (is_stored_past_caches(make_joint_walk(nullptr, packed(s.box), s.base, s.box))) {
      add(s, s.box, false);
      continue;
    }
    for_parts(s.box, std::max(buffered_bytes, bytes_of(s.box) / most_parts),
              [&](const strided_box& part) { add(s, part, true); });
  }
  if (longest > 0) buffer_ = std::make_unique_for_overwrite<std::byte[]>(as_size(longest));
}

void stream_packer::pack(std::byte* to) const {
  for (const part& p : parts_) {
    joint_walk w = p.walk;
    w.to = p.is_buffered ? buffer_.get() : to + p.at;
    copy(w, !p.is_buffered);
    if (p.is_buffered) near::copy_past_caches(to + p.at, buffer_.get(), p.bytes);
  }
  near::finish_past_caches();  // copy() has done so for its own stores
}

}  // namespace nearfar::exchange
