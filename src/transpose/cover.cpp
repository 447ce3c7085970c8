// SPDX-License-Identifier: BSD-3-Clause
// Whether the boxes given by ranks cover the grid exactly once.
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <optional>
#include <transpose/decomposition.hpp>

namespace nearfar {

namespace {

std::string first_of(const box& b) { return index_in_words({b.lower.begin(), b.lower.begin() + b.dimensions}); }

/// An element of `whole` that none of the boxes from `first` on has.
std::optional<box> uncovered(const box& whole, const std::vector<box>& boxes, std::size_t first) {
  if (whole.is_empty()) return std::nullopt;
  for (std::size_t r = first; r < boxes.size(); ++r) {
    const box hole = intersection(whole, boxes[r]);
    if (hole.is_empty()) continue;
    box left = whole;  // what is not yet looked at; shrinks to the hole
    for (std::size_t d = 0; d < at(whole.dimensions); ++d) {
      box below = left, above = left;
      below.upper[d] = left.lower[d] = hole.lower[d];
      above.lower[d] = left.upper[d] = hole.upper[d];
      for (const box& piece : {below, above})
        if (auto found = uncovered(piece, boxes, r + 1)) return found;
    }
    return std::nullopt;
  }
  return whole;
}

void check_within(const std::vector<index_t>& extents, const std::vector<box>& boxes) {
  for (std::size_t r = 0; r < boxes.size(); ++r)
    for (std::size_t d = 0; d < extents.size(); ++d)
      if (!boxes[r].is_empty() && (boxes[r].lower[d] < 0 || boxes[r].upper[d] > extents[d]))
        throw usage_error(text("rank ", r, " owns ", box_in_words(boxes[r]), ", which reaches outside axis ",
                               axis_number(as_index(d), as_index(extents.size())),
                               " of the grid: ", index_range(0, extents[d])));
}

void check_disjoint(const std::vector<box>& boxes) {
  for (std::size_t a = 0; a < boxes.size(); ++a)
    for (std::size_t b = a + 1; b < boxes.size(); ++b) {
      const box both = intersection(boxes[a], boxes[b]);
      if (!both.is_empty())
        throw usage_error(text("element ", first_of(both), " has two owners: rank ", a, " with ",
                               box_in_words(boxes[a]), " and rank ", b, " with ", box_in_words(boxes[b])));
    }
}

}  // namespace

void check_cover(const std::vector<index_t>& extents, const std::vector<box>& boxes) {
  check_within(extents, boxes);
  check_disjoint(boxes);
  box whole{static_cast<int>(extents.size()), {}, {}};
  for (std::size_t d = 0; d < extents.size(); ++d) whole.upper[d] = extents[d];
  if (const auto missing = uncovered(whole, boxes, 0))
    throw usage_error(text("element ", first_of(*missing), " of the grid ", extents_in_words(extents),
                           " has no owner among the ", boxes.size(), " ranks"));
}

}  // namespace nearfar
