// SPDX-License-Identifier: BSD-3-Clause
// Moves regions to and from contiguous memory, and straight from one region to another.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <cstddef>
#include <exchange/pattern.hpp>
#include <vector>

#include "permute/plane.hpp"

namespace nearfar::exchange {

inline constexpr int max_loops = 8;

/// A strided box as nested loops over contiguous runs: dimensions that continue each other in memory are joined.
struct walk {
  std::byte* first = nullptr;
  index_t run_bytes = 0;
  int loops = 0;                            ///< 0: one run
  std::array<index_t, max_loops> counts{};  ///< outermost first
  std::array<index_t, max_loops> steps{};   ///< bytes from one run (or inner loop) to the next
  int fast_loop = -1;  ///< the loop, not the innermost, whose runs follow each other in memory; -1: none

  index_t bytes() const noexcept;
  index_t runs() const noexcept;
};
/// @throws usage_error for boxes of more than max_loops dimensions that cannot be joined
walk make_walk(std::byte* base, const strided_box& box);
/// The same bytes in the order of memory, by the longest runs that they make.
walk in_memory_order(const walk& w);

/// Two boxes of equal extents, walked together in the destination's order of memory. Where runs follow each other in
/// the destination's memory by another loop than in the source's, these two loops are the innermost and make a plane,
/// which is transposed.
struct joint_walk {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  index_t run_bytes = 0;
  int loops = 0;
  std::array<index_t, max_loops> counts{}, to_steps{}, from_steps{};
  plane_kernel kernel = nullptr;  ///< of planes; null: runs are copied one by one
};
joint_walk make_joint_walk(std::byte* to_base, const strided_box& to, const std::byte* from_base,
                           const strided_box& from);

/// A box of this rank's memory.
struct placed_box {
  std::byte* base = nullptr;
  strided_box box;
};

/// What is copied in a few dozen microseconds: between such parts far messages are moved on.
inline constexpr index_t copied_at_once_bytes = index_t{1} << 18;

/// The same copy in parts of about so many bytes, one after the other in the outermost loop.
std::vector<joint_walk> in_parts(const joint_walk& w, index_t part_bytes);

std::byte* pack(const walk& from, std::byte* to);  ///< returns the end of what it wrote
/// Returns the end of what it read. `past_caches` as below.
const std::byte* unpack(const std::byte* from, const walk& to, bool past_caches = false);
/// `past_caches`: by stores that go past the caches where lines are written whole, all of them finished at the end.
/// Faster where the destination would push what is needed out of the caches.
void copy(const joint_walk& w, bool past_caches = false);

/// Whether copy(w, true) stores whole lines past the caches wherever the destination lies: its runs are long, and no
/// planes are transposed.
bool is_stored_past_caches(const joint_walk& w);

/// `count` runs of `run_bytes` bytes, each side with its own step.
void copy_runs(std::byte* to, index_t to_step, const std::byte* from, index_t from_step, index_t count,
               index_t run_bytes);

}  // namespace nearfar::exchange
