// SPDX-License-Identifier: BSD-3-Clause
// Locks frames in memory, so that a GPU copies to them directly.
#include "frame_pinning.hpp"

#include <algorithm>
#include <utility>

namespace nearfar::output {

namespace {

/// Ranges of bytes in order; those that share a page are one.
using ranges = std::vector<std::pair<index_t, index_t>>;

ranges joined(ranges all) {
  std::sort(all.begin(), all.end());
  ranges apart;
  for (const auto& [begin, end] : all) {
    if (apart.empty() || begin > apart.back().second)
      apart.emplace_back(begin, end);
    else
      apart.back().second = std::max(apart.back().second, end);
  }
  return apart;
}

}  // namespace

void frame_pinning::pin(const stream_layout& layout, const ring& frames) {
  if (is_tried_) return;
  is_tried_ = true;
  ranges parts;
  for (int f = 0; f < frames.depth(); ++f) {
    const auto of_frame = layout.pages_in(frames.frame(static_cast<std::uint64_t>(f)));
    parts.insert(parts.end(), of_frame.begin(), of_frame.end());
  }
  for (const auto& [begin, end] : joined(std::move(parts)))
    pinned_.emplace_back(reinterpret_cast<void*>(begin), end - begin);
  is_done_ = std::all_of(pinned_.begin(), pinned_.end(), [](const auto& p) { return p.is_pinned(); });
}

std::string frame_pinning::describe() const {
  if (!is_tried_) return "";
  return is_done_ ? ", pinned for the GPU" : ", which CUDA does not pin";
}

}  // namespace nearfar::output
