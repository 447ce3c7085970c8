// SPDX-License-Identifier: BSD-3-Clause
// Convolutional perfectly matched layers at the sides of a rank's tile.
#pragma once

#include <grid/grid.hpp>
#include <kernels/kernels.hpp>
#include <memory/huge_array.hpp>
#include <solver/state_array.hpp>
#include <span>
#include <string>
#include <vector>

namespace seismic {

struct absorbing_options {
  int cells = 20;  ///< of each layer
  double dt_s = 0.001;
  double fastest_m_s = 0;         ///< in the whole medium
  double frequency_hz = 10;       ///< of the waves: below it the layer absorbs waves along the side, too
  double reflection = 1e-5;       ///< of a wave that hits the layer head-on, in theory
  bool has_free_surface = false;  ///< no layer at the top
  bool is_transposed = false;     ///< see absorbing_loops.hpp
};

/// The slabs of all sides that a tile has. The layers lie in the outermost cells of the grid.
class absorbing_layers {
 public:
  /// Those of one side.
  struct slab {
    slab_arguments common;
    index_t offset = 0;  ///< of its first point in the fields
    huge_array psi, zeta;
    std::vector<float> from, keep;
  };

  absorbing_layers() = default;
  /// Local. @throws nearfar::usage_error  a tile that holds a part of a layer only
  absorbing_layers(const grid& points, const nearfar::box& own, const tile_shape& shape,
                   const absorbing_options& options);

  bool is_empty() const noexcept { return slabs_.empty(); }
  std::vector<slab>& slabs() noexcept { return slabs_; }
  /// What a step does to each slab, in this order.
  std::span<const slab_pass> passes() const noexcept;
  /// Adds to `next` what the layers do, after a step from `now` has been made. Local; pointers to own point (0, 0, 0).
  void add(const kernel_table& kernels, const float* now, float* next, const float* vp2, int threads);
  /// The memories of all sides of the grid, whether this rank has a part of them or not.
  std::vector<state_array> state();

 private:
  /// A side of the grid.
  struct side {
    int d = 0;
    bool is_upper = false;
    int slab = -1;  ///< this rank's part of it; -1: none
  };
  void add_side(const grid& points, const nearfar::box& own, const tile_shape& shape, const absorbing_options& options,
                int d, bool is_upper);

  grid points_;
  nearfar::box own_;
  index_t width_ = 0;  ///< of all slabs, across their side
  bool is_transposed_ = false;
  std::vector<side> sides_;
  std::vector<slab> slabs_;
};

}  // namespace seismic
