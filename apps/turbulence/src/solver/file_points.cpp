// SPDX-License-Identifier: BSD-3-Clause
#include <solver/file_points.hpp>

namespace turbulence {

file_points::own_points::own_points(const flow& of)
    : on(of.on().on_own_points()),
      between(on, of.options().engine, of.options().has_scalar),
      three(on.layout().physical(), 3) {
  if (of.options().has_scalar) one.emplace(on.layout().physical(), 1);
}

file_points::file_points(flow& of) : of_(of) {
  if (of.on().points() != of.on().shape().points) own_.emplace(of);
}

}  // namespace turbulence
