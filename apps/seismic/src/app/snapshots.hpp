// SPDX-License-Identifier: BSD-3-Clause
// Snapshots of the waves, through an output stream or what an experiment has in its place.
#pragma once

#include <app/ground.hpp>
#include <functional>
#include <memory>
#include <nearfar/output.hpp>
#include <solver/propagator.hpp>
#include <span>

namespace seismic {

/// Where frames go, one after the other. All calls are collective, errors as of nearfar::output_stream.
class frame_sink {
 public:
  virtual ~frame_sink() = default;
  virtual nearfar::output_slot begin(double time) = 0;  ///< memory for the own points, to be filled until end()
  virtual void end() = 0;
  virtual void flush() = 0;  ///< returns when all are on disk
  virtual void close() = 0;
  virtual std::string describe() const = 0;
};
using sink_maker = std::function<std::unique_ptr<frame_sink>(const nearfar::team&, const std::string& path,
                                                             const nearfar::output_array&, nearfar::output_options)>;

/// Output streams, as programs use them. @param crew  for output_policy::writer
sink_maker streams(const nearfar::output_crew* crew = nullptr);

/// What snapshots are taken of: a field that ranks share.
struct snapshot_source {
  nearfar::box own;                ///< of the grid with its layers
  std::array<index, 3> strides{};  ///< floats between neighbours along z, y, x; the last one is 1
  double dt_s = 0;
  int threads = 1;
  index first_step = 0;               ///< that the run begins at
  std::function<const float*()> now;  ///< its first own point
};
/// p. Valid as long as the waves.
snapshot_source source_of(propagator& waves);

/// Writes p at times of the settings: every stride-th point of a part of the grid.
class snapshots {
 public:
  /// Collective. Where the source goes on from a checkpoint, so does the stream that is at the path; one that there is not
  /// begins with the next snapshot. @throws nearfar::usage_error  a part without points; what output streams throw
  /// @throws nearfar::io_error  on every rank: the stream that is there does not have the snapshots up to the
  /// checkpoint; nothing is changed then
  snapshots(const nearfar::team& team, const settings& what, const ground& on, snapshot_source of,
            const sink_maker& make_sink);

  /// Writes a snapshot if one is due after so many steps. Collective; after each step and before the first.
  void look(index step);
  /// The same for a step whose blocks are taken as they come: begin() before it, and if that says that a snapshot is due
  /// take() for all blocks, of any thread, and end(). Collective but for take().
  bool begin(index step);
  void take(const float* p, const block_rows& rows) const;  ///< as a block_observer
  void end(std::span<const nearfar::box> changed);          ///< boxes of the grid that have changed since take()
  void flush();                                             ///< returns when all snapshots are on disk. Collective
  void close();
  index written() const noexcept { return written_; }
  double waiting_s() const noexcept { return waiting_s_; }  ///< of this rank, in all calls
  double closing_s() const noexcept { return closing_s_; }  ///< of these, in close()
  std::string describe() const;

 private:
  bool is_due(index step, index written) const;
  /// Times of those up to that step.
  std::vector<double> times_until(index step) const;
  bool has_stream_of(const nearfar::team& team, const std::vector<double>& times) const;
  index first_of(std::size_t dimension) const;
  std::array<index, 2> snapshot_range(std::size_t dimension, index begin, index end) const;

  snapshot_source of_;
  settings what_;
  nearfar::box part_;  ///< of the grid with its layers
  std::array<index, 3> stride_{};
  nearfar::box own_;  ///< own points of the snapshot, counted in its own points
  std::unique_ptr<frame_sink> sink_;
  nearfar::output_slot slot_;  ///< of the snapshot that has begun
  index written_ = 0;
  double waiting_s_ = 0, closing_s_ = 0;
};

}  // namespace seismic
