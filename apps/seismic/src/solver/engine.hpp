// SPDX-License-Identifier: BSD-3-Clause
// What makes the steps of a rank's part of the waves: a processor or a GPU.
//
// An engine works on the tile_waves that it was made for: on their memory, or on a copy of its own that fetch() and
// store() compare notes with. Calls may return before the work is done; each sees what those before it have done.
#pragma once

#include <memory>
#include <points/points.hpp>
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

/// Every stride-th point of a part of a rank's p, and where they are to go.
struct frame_part {
  std::array<index, 3> first{}, counts{}, stride{1, 1, 1};  ///< in own points, along z, y, x
  char* to = nullptr;                                       ///< the first one's place
  std::array<index, 3> to_strides_bytes{};
};

class engine {
 public:
  engine() = default;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  /// Of its kernels: of one name they give the same bits.
  virtual std::string name() const = 0;
  virtual std::string describe() const = 0;  ///< local

  /// Fields at time n + 1 over those at n - 1; the caller then swaps them. Collective over neighbours.
  /// @param has_layers  with what absorbing layers add
  virtual void advance(bool has_layers) = 0;

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

  /// Copies a part of p now. The fields may change after it; `to` has all values when is_copied() or finish_copy() says
  /// so. One copy at a time.
  virtual void start_copy(const frame_part& part) = 0;
  virtual bool is_copied() = 0;
  virtual void finish_copy() = 0;
};

/// Collective. @throws nearfar::usage_error, nearfar::resource_error  on every rank
std::unique_ptr<engine> host_engine_of(tile_waves& waves);
std::unique_ptr<engine> gpu_engine_of(tile_waves& waves);

}  // namespace seismic
