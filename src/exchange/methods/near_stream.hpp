// SPDX-License-Identifier: BSD-3-Clause
// A message packed into shared buffers by non-temporal stores. If cores share no cache, ordinary stores into memory
// that a peer has read wait until the peer's cache has given up each line, which can take five times as long.
#pragma once

#include <memory>
#include <vector>

#include "../copy.hpp"

namespace nearfar::exchange {

/// Shorter messages are not worth a wait for main memory.
inline constexpr index_t shortest_streamed_bytes = 8192;

class stream_packer {
 public:
  /// Boxes that follow each other in the message.
  void move(const std::vector<placed_box>& sources);
  /// The message at `to`, which is near memory. When this returns it is there for whoever acquires what this thread
  /// releases next.
  void pack(std::byte* to) const;

 private:
  struct part {
    joint_walk walk;
    index_t at = 0, bytes = 0;  ///< of the message
    bool is_buffered = false;   ///< its runs are shorter than what is worth storing so
  };
  std::vector<part> parts_;
  std::unique_ptr<std::byte[]> buffer_;  ///< of one part
};

}  // namespace nearfar::exchange
