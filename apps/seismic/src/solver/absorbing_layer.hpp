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
  double fastest_m_s = 0;    ///< in the whole medium
  double frequency_hz = 10;  ///< of the waves: below it the layer absorbs waves along the side, too
  double reflection = 1e-7;  ///< of a wave that hits the layer head-on, in theory; waves along it need less than 1e-5
  bool has_free_surface = false;  ///< no layer at the top
  bool is_transposed = false;     ///< see absorbing_loops.hpp; isotropic media
  system_kind system = system_kind::isotropic;
};

/// The slabs of all sides that a tile has, and of media with tilt those of edges. The layers lie in the outermost cells
/// of the grid.
class absorbing_layers {
 public:
  /// That of one side, or of an edge.
  struct slab {
    slab_arguments common;
    index_t offset = 0;                 ///< of its first point in the fields
    std::vector<huge_array> psi, zeta;  ///< of each field; of an edge no psi, and chi
    std::vector<float> from, keep;
    int beside = -1;  ///< of an edge: the slab that has the other side's psi, and its first point there
    index_t beside_offset = 0;
  };

  absorbing_layers() = default;
  /// Local. @throws nearfar::usage_error  a tile that holds a part of a layer only
  absorbing_layers(const grid& points, const nearfar::box& own, const tile_shape& shape,
                   const absorbing_options& options);

  /// Floats of the memories of a tile's layers.
  struct floats {
    double taken = 0;  ///< with what pads rows, and ghosts
    double state = 0;  ///< of points alone: state() has them
  };
  /// Of no tile that the constructor refuses. Local.
  static floats expected_floats(const grid& points, const nearfar::box& own, const tile_shape& shape,
                                const absorbing_options& options);

  bool is_empty() const noexcept { return slabs_.empty(); }
  std::vector<slab>& slabs() noexcept { return slabs_; }
  /// What a step does, in this order, each to all slabs that it is for.
  std::span<const slab_pass> passes() const noexcept;
  static bool is_for(slab_pass pass, const slab& s) noexcept {
    return s.common.e < 0 ? pass != slab_pass::add_edge : pass == slab_pass::add_edge;
  }
  /// The arguments of a slab's passes by a step's, all but for planes, the pass and the pointers to memories.
  static slab_arguments arguments(const slab& s, const step_arguments& of);
  /// Adds to the fields what the layers do, after that step has been made. Local.
  void add(const kernel_table& kernels, const step_arguments& step, int threads);
  /// The memories of all sides of the grid, whether this rank has a part of them or not.
  std::vector<state_array> state();

 private:
  /// A side of the grid that has a layer.
  struct side {
    int d = 0;
    bool is_upper = false;
    bool has_part = false;  ///< of this rank
    int slab = -1;          ///< this rank's part of it; -1: none
  };
  static std::vector<side> sides_of(const grid& points, const nearfar::box& own, const absorbing_options& options);
  /// Where two sides meet.
  struct edge {
    side of, beside;
    int slab = -1;
  };
  void add_side(const tile_shape& shape, const absorbing_options& options, int d, bool is_upper);
  void add_edges();
  void add_edge(edge& e);
  index_t first_of(const side& s) const;  ///< in own points
  state_array part_of(const side& s) const;
  void add_state(std::vector<state_array>& all, state_array a, std::vector<huge_array>& of, const tile_shape& shape,
                 const std::string& name) const;
  std::size_t fields() const { return static_cast<std::size_t>(fields_of(system_)); }
  bool has_tilt() const;

  grid points_;
  nearfar::box own_;
  index_t width_ = 0;  ///< of all slabs, across their side
  bool is_transposed_ = false;
  system_kind system_ = system_kind::isotropic;
  std::vector<side> sides_;
  std::vector<edge> edges_;
  std::vector<slab> slabs_;
};

}  // namespace seismic
