// SPDX-License-Identifier: BSD-3-Clause
// The points at which files have a flow: those of grid.points, whatever the dealiasing.
#pragma once

#include <optional>
#include <solver/flow.hpp>

namespace turbulence {

/// Arrays at these points and the transforms to and from them. Where the flow computes its products at the same points,
/// they are the flow's own, whose contents are nobody's between steps.
class file_points {
 public:
  /// Collective. @param of  lives longer
  explicit file_points(flow& of);
  file_points(const file_points&) = delete;
  file_points& operator=(const file_points&) = delete;

  const space& on() const { return own_ ? own_->on : of_.on(); }
  transforms& between() { return own_ ? own_->between : of_.between(); }
  const real_fields& three() const { return own_ ? own_->three : of_.points_a(); }   ///< of three fields
  const real_fields& one() const { return own_ ? *own_->one : of_.point_scalar(); }  ///< where there is a scalar

 private:
  struct own_points {
    explicit own_points(const flow& of);
    space on;
    transforms between;
    real_fields three;
    std::optional<real_fields> one;
  };
  flow& of_;
  std::optional<own_points> own_;
};

}  // namespace turbulence
