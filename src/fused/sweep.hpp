// SPDX-License-Identifier: BSD-3-Clause
// The work of a fused stage on one rank: which lines are transformed together, in which order, in which buffer.
#pragma once

#include <array>
#include <cstdlib>
#include <exchange/lending.hpp>
#include <fourier/pieces.hpp>
#include <fused/stage.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regions.hpp"

namespace nearfar::fused {

template <class Real>
index_t element_bytes(bool is_complex) {
  return index_t{sizeof(Real)} * (is_complex ? 2 : 1);
}

/// Runs over one field at a time. Nothing is allocated while it runs.
template <class Real>
class sweep {
 public:
  /// `parts`: the boxes that the elements come in, whose dimensions the lent boxes list as shape.from's order of memory
  /// does.
  sweep(const stage_shape& shape, std::vector<box> parts);

  /// `past_caches`: see fourier::bundle_engine::run.
  void run(std::span<const exchange::lent_box> boxes, std::byte* out, bool past_caches);
  std::string describe() const;

 private:
  using place = std::array<index_t, max_dimensions>;
  struct view {
    const std::byte* first;
    place strides;  ///< in elements, by axis
  };

  void choose_axes();
  void look_at(std::span<const exchange::lent_box> boxes);
  void run_plane(std::size_t first, std::size_t last, const place& where);
  void gather(const region& r, const place& where);
  void finish_plane(const place& where);
  const void* source_of(const line_part& p, const region& r, const place& where) const;
  std::byte* target_of(const place& where) const;
  index_t extent(int axis) const { return axis < 0 ? 1 : own_.extent(axis); }

  std::vector<box> parts_;
  box own_;  ///< of `through`
  array_shape to_;
  std::vector<int> from_order_, to_order_;
  int axis_ = 0, side_ = -1,
      second_ = -1;         ///< lines along `axis_`, bundles along `side_`, `second_` the next loop; -1: none
  std::vector<int> outer_;  ///< the other axes, slowest first
  std::vector<region> regions_;
  std::vector<std::size_t> groups_;  ///< where regions of other planes begin, and the end
  fourier::bundle_engine<Real> gathering_;
  std::optional<fourier::bundle_engine<Real>> finishing_;
  index_t in_bytes_, middle_bytes_, out_bytes_, middle_length_, out_length_ = 0;
  index_t pitch_ = 0;  ///< elements of the buffer from one element of a line to the next
  std::unique_ptr<std::byte, void (*)(void*)> plane_{nullptr, std::free};
  std::vector<view> views_;
  std::vector<fourier::source_piece> pieces_;
  std::byte* out_ = nullptr;
  bool is_past_caches_ = false;
};

/// Elements along the axis of step `k`: those of real numbers where one of the sides has complex ones.
index_t length_of(const stage_shape& shape, std::size_t k);

}  // namespace nearfar::fused
