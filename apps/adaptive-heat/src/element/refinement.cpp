// SPDX-License-Identifier: BSD-3-Clause
// Tensor products of one-dimensional interpolation.
#include <algorithm>
#include <array>
#include <element/refinement.hpp>

namespace adaptive_heat {
namespace {

template <int N>
struct interpolation {
  static constexpr std::size_t points = N + 1, volume = points * points * points;
  using values = std::array<double, volume>;

  /// Values i of all lines along one axis (stride 1, points or points^2): the sums of factors times values.
  template <std::size_t stride>
  static void combine_lines(const double* factors, std::size_t i, const values& in, values& out) {
    for (std::size_t block = 0; block < volume; block += points * stride)
      for (std::size_t n = block; n < block + stride; ++n) {
        double sum = 0;
        for (std::size_t j = 0; j < points; ++j) sum += factors[j] * in[n + j * stride];
        out[n + i * stride] = sum;
      }
  }

  /// Along one axis: out = m in.
  template <std::size_t stride>
  static values along(const matrix& m, const values& in) {
    values out;
    for (std::size_t i = 0; i < points; ++i) combine_lines<stride>(m[i], i, in, out);
    return out;
  }

  /// Along one axis the values of the whole from its two halves.
  template <std::size_t stride>
  static values merge_along(const values& low, const values& high) {
    const operators& o = ops(N);
    values out;
    for (std::size_t i = 0; i < points; ++i)
      combine_lines<stride>(o.coarsen[i], i, o.coarsen_half[i] == 0 ? low : high, out);
    return out;
  }

  static values refined(const values& whole, int c) {
    const auto& half = ops(N).refine;
    const auto bit = [c](int axis) { return static_cast<std::size_t>(c >> axis & 1); };
    return along<points * points>(half[bit(2)], along<points>(half[bit(1)], along<1>(half[bit(0)], whole)));
  }

  static values merged(const double* children) {
    const auto pair_x = [&](std::size_t c) {
      return merge_along<1>(taken(children + c * volume), taken(children + (c + 1) * volume));
    };
    return merge_along<points * points>(merge_along<points>(pair_x(0), pair_x(2)),
                                        merge_along<points>(pair_x(4), pair_x(6)));
  }

  static values taken(const double* from) {
    values v;
    std::copy_n(from, volume, v.data());
    return v;
  }
};

}  // namespace

void refine_to_child(int order, const double* whole, int c, double* child) {
  with_order(order, [&](auto n) {
    const auto made = interpolation<n>::refined(interpolation<n>::taken(whole), c);
    std::copy(made.begin(), made.end(), child);
  });
}

void merge_children(int order, const double* children, double* whole) {
  with_order(order, [&](auto n) {
    const auto made = interpolation<n>::merged(children);
    std::copy(made.begin(), made.end(), whole);
  });
}

void values_in(int order, const octant& leaf, std::span<const octant> old, const double* values, double* result) {
  const auto volume = static_cast<std::size_t>(point_counts{order}.volume());
  const auto first =
      std::partition_point(old.begin(), old.end(), [&](const octant& o) { return o.end_key() <= leaf.key(); });
  const double* const of_first = values + static_cast<std::size_t>(first - old.begin()) * volume;
  if (first->level <= leaf.level) {
    std::copy_n(of_first, volume, result);
    for (int level = first->level + 1; level <= leaf.level; ++level)
      refine_to_child(order, result, leaf.ancestor(level).child_index(), result);
    return;
  }
  element_values children(8 * volume);
  for (int c = 0; c < 8; ++c)
    values_in(order, leaf.child(c), old, values, children.data() + static_cast<std::size_t>(c) * volume);
  merge_children(order, children.data(), result);
}

}  // namespace adaptive_heat
