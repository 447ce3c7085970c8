// SPDX-License-Identifier: BSD-3-Clause
// This rank's parts of the frames of a ring, locked in memory for a GPU.
#pragma once

#include <device/device.hpp>
#include <string>
#include <vector>

#include "ring.hpp"
#include "stream_layout.hpp"

namespace nearfar::output {

class frame_pinning {
 public:
  /// Once; the parts of others are theirs to pin. Where CUDA refuses, copies are slower. Local.
  void pin(const stream_layout& layout, const ring& frames);
  /// Before the memory goes.
  void release() noexcept { pinned_.clear(); }
  std::string describe() const;  ///< "" where nothing was to be pinned

 private:
  std::vector<device::pinned> pinned_;
  bool is_tried_ = false, is_done_ = false;
};

}  // namespace nearfar::output
