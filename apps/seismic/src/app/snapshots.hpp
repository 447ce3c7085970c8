// SPDX-License-Identifier: BSD-3-Clause
// Snapshots of the waves, through an output stream.
#pragma once

#include <app/ground.hpp>
#include <nearfar/output.hpp>
#include <optional>
#include <solver/propagator.hpp>

namespace seismic {

/// Writes p at times of the settings: every stride-th point of a part of the grid.
class snapshots {
 public:
  /// Collective. Where `waves` go on from a checkpoint, so does the stream that is at the path; one that there is not
  /// begins with the next snapshot. @throws nearfar::usage_error  a part without points; what output streams throw
  /// @throws nearfar::io_error  on every rank: the stream that is there does not have the snapshots up to the
  /// checkpoint; nothing is changed then
  snapshots(const nearfar::team& team, const settings& what, const ground& on, propagator& waves,
            const nearfar::output_crew* crew);
  ~snapshots();
  snapshots(const snapshots&) = delete;
  snapshots& operator=(const snapshots&) = delete;

  /// Begins a snapshot if one is due, and hands over the one before when it has been copied. Collective; after each
  /// step and before the first.
  void look();
  void flush();  ///< returns when all snapshots are on disk. Collective
  void close();
  index written() const noexcept { return written_; }
  double waiting_s() const noexcept { return waiting_s_; }  ///< of this rank, in all calls
  double closing_s() const noexcept { return closing_s_; }  ///< of that in close()
  std::string describe() const;

 private:
  bool is_due(index step, index written) const;
  /// Times of those up to that step.
  std::vector<double> times_until(index step) const;
  bool has_stream_of(const nearfar::team& team, const std::vector<double>& times) const;
  bool is_to_be_handed_over(index step);
  void start_copy();
  /// Hands over the snapshot that is being copied, on all ranks at the same step.
  void finish_copy();

  propagator& waves_;
  settings what_;
  nearfar::box part_;  ///< of the grid with its layers
  std::array<index, 3> stride_{};
  nearfar::box own_;  ///< own points of the snapshot, counted in its own points
  std::optional<nearfar::output_stream> stream_;
  index written_ = 0;
  index copied_since_ = -1;  ///< the step of the snapshot that is being copied; -1: none is
  double waiting_s_ = 0, closing_s_ = 0;
};

}  // namespace seismic
