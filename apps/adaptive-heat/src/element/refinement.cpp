// SPDX-License-Identifier: BSD-3-Clause
// Tensor products of one-dimensional interpolation.
#include <algorithm>
#include <element/refinement.hpp>

namespace adaptive_heat {
namespace {

/// Values i of all lines along one axis (stride 1, 5 or 25): the sums of factors times values.
template <std::size_t stride>
void combine_lines(const std::array<double, points>& factors, std::size_t i, const element_values& in,
                   element_values& out) {
  for (std::size_t block = 0; block < volume; block += points * stride)
    for (std::size_t n = block; n < block + stride; ++n) {
      double sum = 0;
      for (std::size_t j = 0; j < points; ++j) sum += factors[j] * in[n + j * stride];
      out[n + i * stride] = sum;
    }
}

/// Along one axis: out = matrix in.
template <std::size_t stride>
element_values along(const square_matrix& matrix, const element_values& in) {
  element_values out;
  for (std::size_t i = 0; i < points; ++i) combine_lines<stride>(matrix[i], i, in, out);
  return out;
}

/// Along one axis the values of the whole from its two halves.
template <std::size_t stride>
element_values merge_along(const element_values& low, const element_values& high) {
  const operators& o = ops();
  element_values out;
  for (std::size_t i = 0; i < points; ++i)
    combine_lines<stride>(o.coarsen[i], i, o.coarsen_half[i] == 0 ? low : high, out);
  return out;
}

element_values refined(const octant& leaf, const octant& from, element_values values) {
  for (int level = from.level + 1; level <= leaf.level; ++level)
    values = refine_to_child(values, leaf.ancestor(level).child_index());
  return values;
}

}  // namespace

element_values refine_to_child(const element_values& whole, int c) {
  const auto& half = ops().refine;
  const auto bit = [c](int axis) { return static_cast<std::size_t>(c >> axis & 1); };
  return along<25>(half[bit(2)], along<5>(half[bit(1)], along<1>(half[bit(0)], whole)));
}

element_values merge_children(const std::array<element_values, 8>& children) {
  const auto pair_x = [&](std::size_t c) { return merge_along<1>(children[c], children[c + 1]); };
  return merge_along<25>(merge_along<5>(pair_x(0), pair_x(2)), merge_along<5>(pair_x(4), pair_x(6)));
}

element_values values_in(const octant& leaf, std::span<const octant> old, std::span<const element_values> values) {
  const auto first =
      std::partition_point(old.begin(), old.end(), [&](const octant& o) { return o.end_key() <= leaf.key(); });
  const auto at = static_cast<std::size_t>(first - old.begin());
  if (first->level == leaf.level) return values[at];
  if (first->level < leaf.level) return refined(leaf, *first, values[at]);
  std::array<element_values, 8> children;
  for (int c = 0; c < 8; ++c) children[static_cast<std::size_t>(c)] = values_in(leaf.child(c), old, values);
  return merge_children(children);
}

}  // namespace adaptive_heat
