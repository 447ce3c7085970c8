// SPDX-License-Identifier: BSD-3-Clause
// Frames that a GPU copies to are locked in memory, so that it writes them itself.
#include <algorithm>
#include <utility>
#include <vector>

#include "stream_state.hpp"

namespace nearfar {

using namespace output;

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

/// This rank's parts of each frame, once; the parts of others are theirs to pin. Where CUDA refuses, copies are slower.
void output_state::pin_frames() {
  if (is_pinning_tried_) return;
  is_pinning_tried_ = true;
  ranges parts;
  for (int f = 0; f < depth_; ++f) {
    const auto frame = reinterpret_cast<index_t>(ring_.frame(static_cast<std::uint64_t>(f)));
    for (std::size_t a = 0; a < places_.size(); ++a) {
      const place& p = places_[a];
      if (p.in == nullptr) continue;
      index_t bytes = shape(a).element_bytes;  // from the first element of the box to its last
      for (int d = 0; d < arrays_[a].own.dimensions; ++d)
        bytes += (arrays_[a].own.extent(d) - 1) * p.strides_bytes[as_size(d)];
      const index_t begin = frame + p.in->base + p.offset_bytes;
      // Files shift the data within a page.
      parts.emplace_back(begin / page_bytes * page_bytes, round_to_pages(begin + bytes + page_bytes));
    }
  }
  for (const auto& [begin, end] : joined(std::move(parts)))
    pinned_.emplace_back(reinterpret_cast<void*>(begin), end - begin);
  are_frames_pinned_ = std::all_of(pinned_.begin(), pinned_.end(), [](const auto& p) { return p.is_pinned(); });
}

std::string output_state::describe_pinning() const {
  if (!is_pinning_tried_) return "";
  return are_frames_pinned_ ? ", pinned for the GPU" : ", which CUDA does not pin";
}

}  // namespace nearfar
