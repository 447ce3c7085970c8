// SPDX-License-Identifier: BSD-3-Clause
// A long message between near ranks in chunks that stay in the caches:
//
//   sender    packs chunk k into slot k mod 4 of a ring in its near memory when taken > k - 4, then ready = k + 1
//   receiver  unpacks chunk k when ready > k, then taken = k + 1
//
// (counting the chunks of all epochs). Each end makes only one pass over main memory; the ring stays in the caches.
#pragma once

#include <near/signal.hpp>
#include <span>
#include <vector>

#include "../copy.hpp"

namespace nearfar::exchange {

/// How a box is cut into chunks: by some of one dimension at a time.
struct box_cut {
  index_t dimension = 0, count = 0;
};

/// Messages this long or longer are cut.
inline constexpr index_t shortest_piped_bytes = index_t{1} << 19;

/// The end that packs. Signals count the chunks of all epochs.
class pipe_sender {
 public:
  static constexpr index_t slots = 4;

  /// Cuts along a dimension that is slow in the memory of both ends, so that chunks are made of long runs or of whole
  /// tiles.
  explicit pipe_sender(const std::vector<placed_box>& sources);

  const std::vector<box_cut>& cuts() const noexcept { return cuts_; }
  index_t slot_bytes() const noexcept { return slot_bytes_; }
  /// `ring`: slots of near memory, of `slot_bytes` >= slot_bytes() each. `ready` is set here, `taken` by the receiver.
  void connect(std::byte* ring, index_t slot_bytes, near::signal* ready, const near::signal* taken) noexcept;
  /// Where the boxes lie, after connect() and between epochs.
  void move(const std::vector<placed_box>& sources);

  void start(std::uint64_t epoch) noexcept;
  /// Packs and announces the next chunk if there is one and room for it; says whether.
  bool move_on();
  bool is_done() const noexcept { return next_ == chunks_.size(); }

 private:
  std::vector<box_cut> cuts_;
  std::vector<joint_walk> chunks_;  ///< each to the start of a slot
  index_t slot_bytes_ = 0;
  std::byte* ring_ = nullptr;
  near::signal* ready_ = nullptr;
  const near::signal* taken_ = nullptr;
  std::uint64_t before_ = 0;  ///< chunks of earlier epochs
  std::size_t next_ = 0;
};

/// The end that unpacks.
class pipe_receiver {
 public:
  pipe_receiver(std::vector<box_cut> cuts, const std::byte* ring, index_t slot_bytes, const near::signal* ready,
                near::signal* taken);
  /// Where the boxes lie, at first and between epochs.
  void move(const std::vector<placed_box>& targets);

  void start(std::uint64_t epoch) noexcept;
  /// Unpacks the next chunk if it is there; says whether.
  bool move_on(bool past_caches);
  bool is_done() const noexcept { return next_ == chunks_.size(); }

 private:
  std::vector<box_cut> cuts_;
  std::vector<joint_walk> chunks_;  ///< each from the start of a slot
  const std::byte* ring_;
  index_t slot_bytes_;
  const near::signal* ready_;
  near::signal* taken_;
  std::uint64_t before_ = 0;
  std::size_t next_ = 0;
};

}  // namespace nearfar::exchange
