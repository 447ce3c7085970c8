// SPDX-License-Identifier: BSD-3-Clause
// Snapshots of the waves: when one is due, and how it comes from the field into a frame.
#pragma once

#include <app/frame_sink.hpp>
#include <app/snapshot_points.hpp>
#include <solver/propagator.hpp>
#include <span>

namespace seismic {

/// What snapshots are taken of: a field that ranks share.
struct snapshot_source {
  nearfar::box own;                  ///< of the grid with its layers
  std::array<index_t, 3> strides{};  ///< floats between neighbours along z, y, x; the last one is 1
  double dt_s = 0;                   ///< from the time that a step stands for to that of the next
  index_t first_step = 0;            ///< that the run begins at
  frame_copier* copier = nullptr;    ///< outlives the snapshots
  bool is_on_gpu = false;            ///< copies take their time, while the run goes on, and go to pinned frames
  index_t last_step = 0;             ///< that a snapshot can be of; 0: not known, so that there is a file per snapshot
};
/// p. Valid as long as the waves.
/// @param stretch  of the times that steps stand for: time_stretch()
snapshot_source source_of(propagator& waves, double stretch);

/// Writes p at times of the settings: every stride-th point of a part of the grid.
class snapshots {
 public:
  /// Collective. Where the source goes on from a checkpoint, so does the stream that is at the path; one that there is
  /// not begins with the next snapshot. @throws nearfar::usage_error  a part without points; what output streams throw
  /// @throws nearfar::io_error  on every rank: the stream that is there does not have the snapshots up to the
  /// checkpoint; nothing is changed then
  snapshots(const nearfar::team& team, const settings& what, const ground& on, const snapshot_source& of,
            const sink_maker& make_sink);
  ~snapshots();
  snapshots(const snapshots&) = delete;
  snapshots& operator=(const snapshots&) = delete;

  /// Takes a snapshot if one is due after so many steps, and hands over the one before when it has been copied.
  /// Collective; after each step and before the first.
  void look(index_t step);
  /// The same for a step whose blocks are taken as they come: begin() before it, and if that says that a snapshot is
  /// due take() for all blocks, of any thread, and end(). Collective but for take(). Not of a GPU.
  bool begin(index_t step);
  void take(const float* p, const block_rows& rows) const;  ///< as a block_observer
  void end(std::span<const nearfar::box> changed);          ///< boxes of the grid that have changed since take()
  void flush();                                             ///< returns when all snapshots are on disk. Collective
  void close();
  index_t written() const noexcept { return written_; }
  double waiting_s() const noexcept { return waiting_s_; }  ///< of this rank, in all calls
  double closing_s() const noexcept { return closing_s_; }  ///< of that in close()
  std::string describe() const;

 private:
  bool is_due(index_t step, index_t written) const;
  /// Times of those up to that step.
  std::vector<double> times_until(index_t step) const;
  bool has_stream_of(const nearfar::team& team, const std::vector<double>& times) const;
  bool open_frame(index_t step);
  bool is_to_be_handed_over(index_t step) const;
  /// Hands over the snapshot that is being copied, on all ranks at the same step.
  void finish_copy();
  block_rows own_rows(const nearfar::box& of_grid) const;

  snapshot_source of_;
  settings what_;
  bool is_alone_;
  frame_part frame_;  ///< of the snapshot that has begun
  std::unique_ptr<frame_sink> sink_;
  index_t written_ = 0;
  index_t copied_since_ = -1;  ///< the step of the snapshot that is being copied; -1: none is
  double waiting_s_ = 0, closing_s_ = 0;
};

}  // namespace seismic
