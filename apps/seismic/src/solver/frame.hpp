// SPDX-License-Identifier: BSD-3-Clause
// Frames: parts of a field that are copied out of it, all at once or block by block.
#pragma once

#include <array>
#include <nearfar/box.hpp>

namespace seismic {

using nearfar::index_t;

/// Own rows of a rank, counted from its first one: rows of planes.
struct block_rows {
  index_t z_begin = 0, z_end = 0, y_begin = 0, y_end = 0;
};

/// Every stride-th point of a part of a rank's field, and where they are to go.
struct frame_part {
  std::array<index_t, 3> first{}, counts{}, stride{1, 1, 1};  ///< in own points, along z, y, x
  char* to = nullptr;                                         ///< the first one's place
  std::array<index_t, 3> to_strides_bytes{};
};

/// What lies in these rows; perhaps nothing.
frame_part within(const frame_part& whole, const block_rows& rows);

/// Copies a part of a field in the processor's memory, by the calling thread. Local.
/// @param p  its own point (0, 0, 0)
/// @param strides  floats between neighbours along z, y, x; the last one is 1
void copy_frame(const float* p, const std::array<index_t, 3>& strides, const frame_part& part);
/// The same by so many threads.
void copy_frame(const float* p, const std::array<index_t, 3>& strides, const frame_part& part, int threads);

/// Copies parts of a field as it is now. All calls are local.
class frame_copier {
 public:
  virtual ~frame_copier() = default;
  /// The field may change after it; `to` has all values when is_copied() or finish_copy() says so. One copy at a time.
  virtual void start_copy(const frame_part& part) = 0;
  virtual bool is_copied() = 0;
  virtual void finish_copy() = 0;
};

/// Of a field that stays in one place of the processor's memory: copies are over when start_copy() returns.
class field_copier final : public frame_copier {
 public:
  /// Parameters as of copy_frame(); the field outlives it.
  field_copier(const float* p, const std::array<index_t, 3>& strides, int threads)
      : p_(p), strides_(strides), threads_(threads) {}
  void start_copy(const frame_part& part) override { copy_frame(p_, strides_, part, threads_); }
  bool is_copied() override { return true; }
  void finish_copy() override {}

 private:
  const float* p_;
  std::array<index_t, 3> strides_;
  int threads_;
};

}  // namespace seismic
