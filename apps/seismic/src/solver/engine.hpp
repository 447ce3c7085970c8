// SPDX-License-Identifier: BSD-3-Clause
// What makes the steps of a rank's part of the waves: a processor or a GPU.
//
// An engine works on the tile_waves that it was made for: on their memory, or on a copy of its own that fetch() and
// store() copy from and to. Calls may return before the work is done; each sees what those before it have done.
#pragma once

#include <functional>
#include <memory>
#include <points/points.hpp>
#include <solver/frame.hpp>
#include <solver/tile_waves.hpp>
#include <span>
#include <string>
#include <vector>

namespace seismic {

/// A point that drives the waves.
struct driven_point {
  point_weights where;
  bool is_physical =
      true;  ///< what drives is multiplied by dt^2 vp^2 over the volume of a cell; else it is added as it is
};

/// Sees p at the new time while it is in a cache.
/// @param p  its own point (0, 0, 0), with the strides of field_view
using block_observer = std::function<void(const float* p, const block_rows& rows)>;

/// As a frame_copier it copies p now.
class engine : public frame_copier {
 public:
  engine() = default;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Of its kernels: of one name they give the same bits.
  virtual std::string name() const = 0;
  virtual std::string describe() const = 0;  ///< local

  /// Fields at time n + 1 over those at n - 1; the caller then swaps them. Collective over neighbours.
  /// @param has_layers  with what absorbing layers add
  /// @param done  called by the threads, each time one has computed a block, before layers add to it
  virtual void advance(bool has_layers, const block_observer& done) = 0;
  /// advance() computes block by block; else it calls no observer.
  virtual bool has_blocks() const = 0;

  /// Of all fields now, of own points, in double. Local.
  virtual double sum_of_squares() = 0;
  virtual void hold() = 0;                 ///< before = now
  virtual void subtract(double norm) = 0;  ///< before = (before - now) / norm
  virtual void clear() = 0;                ///< fields at both times are zero

  virtual void fetch() = 0;  ///< returns when the tile's memory has the fields and the layers' memories
  virtual void store() = 0;  ///< takes them from there
  virtual void wait() = 0;   ///< returns when all work is done

  /// What drive() and record() are about, in place of what was before. Local.
  virtual void set_points(std::vector<driven_point> driven, std::vector<point_weights> receivers) = 0;
  /// Adds to the fields now, by each point that is physical or by each that is not.
  /// @param amplitudes  of all points, in their order
  virtual void drive(std::span<const double> amplitudes, bool is_physical) = 0;
  /// A sample of p before, with its ghosts, at all receivers. After advance() and the swap.
  virtual void record() = 0;
  /// What has been recorded, by receivers; may be replaced.
  virtual std::vector<std::vector<float>>& recorded() = 0;
};

/// Collective. @throws nearfar::usage_error, nearfar::resource_error  on every rank
std::unique_ptr<engine> host_engine_of(tile_waves& waves);
std::unique_ptr<engine> gpu_engine_of(tile_waves& waves);

}  // namespace seismic
