// SPDX-License-Identifier: BSD-3-Clause
// Boxes to bricks, bricks to pieces of the files.
#include "layout.hpp"

#include <algorithm>
#include <base/axis_names.hpp>

namespace nearfar::output {

namespace {

box bounds(const std::vector<box>& boxes, int dimensions) {
  box b{dimensions, {}, {}};
  bool is_first = true;
  for (const box& own : boxes) {
    if (own.is_empty()) continue;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      b.lower[d] = is_first ? own.lower[d] : std::min(b.lower[d], own.lower[d]);
      b.upper[d] = is_first ? own.upper[d] : std::max(b.upper[d], own.upper[d]);
    }
    is_first = false;
  }
  return b;
}

void require_inside(const std::string& what, const array_shape& array, const box& own, std::size_t rank) {
  const int dims = static_cast<int>(array.extents.size());
  if (own.is_empty()) return;
  bool is_inside = own.dimensions == dims;
  for (std::size_t d = 0; is_inside && d < array.extents.size(); ++d)
    is_inside = own.lower[d] >= 0 && own.upper[d] <= array.extents[d];
  if (!is_inside)
    throw usage_error(text(what, ": the box ", box_in_words(own), " of rank ", rank,
                           " is not inside the array of extents ", extents_in_words(array.extents)));
}

}  // namespace

index_t round_to_pages(index_t bytes) noexcept { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

array_shape shape_of(const output_array& a) { return {a.extents, bytes_of(a.type), a.is_varying, a.is_constant}; }

index_t array_shape::frame_bytes() const noexcept {
  index_t bytes = element_bytes;
  for (const index_t e : extents) bytes *= e;
  return bytes;
}

box whole_of(const array_shape& array) noexcept {
  box b{static_cast<int>(array.extents.size()), {}, {}};
  for (std::size_t d = 0; d < array.extents.size(); ++d) b.upper[d] = array.extents[d];
  return b;
}

index_t frame_layout::bytes_of(const brick& b) const noexcept {
  return b.where.cells() * arrays[as_size(b.array)].element_bytes;
}

index_t frame_layout::data_bytes() const noexcept {
  index_t bytes = 0;
  for (const brick& b : bricks)
    if (has(b, 1)) bytes += bytes_of(b);
  return bytes;
}

frame_layout make_layout(std::vector<array_shape> arrays, const std::vector<std::vector<box>>& boxes_of_members,
                         index_t table_bytes) {
  frame_layout l{std::move(arrays), {}, round_to_pages(table_bytes), round_to_pages(table_bytes)};
  for (std::size_t a = 0; a < l.arrays.size(); ++a) {
    const auto& boxes = boxes_of_members[a];
    const box all = bounds(boxes, static_cast<int>(l.arrays[a].extents.size()));
    index_t cells = 0;
    for (const box& b : boxes) cells += b.cells();
    const int array = static_cast<int>(a);
    if (all.cells() == cells && !l.arrays[a].is_varying) {
      if (cells > 0) l.bricks.push_back({array, all, 0});
      continue;
    }
    for (const box& b : boxes)
      if (!b.is_empty()) l.bricks.push_back({array, b, 0});
  }
  for (brick& b : l.bricks) {
    b.base = l.frame_bytes;
    l.frame_bytes += round_to_pages(l.bytes_of(b)) + page_bytes;
  }
  return l;
}

index_t offset_in(const box& whole, const box& part) noexcept {
  index_t offset = 0;
  for (int d = 0; d < whole.dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    offset = offset * whole.extent(d) + part.lower[i] - whole.lower[i];
  }
  return offset;
}

int first_cut(const array_shape& array, const box& part) noexcept {
  int cut = part.dimensions - 1;
  while (cut > 0 && part.extent(cut) == array.extents[as_size(cut)]) --cut;
  // Leading dimensions of one cell cut nothing.
  while (cut > 0 && part.extent(cut - 1) == 1) --cut;
  return cut;
}

void require_cover(const std::string& what, const array_shape& array, const std::vector<box>& boxes) {
  index_t cells = 0;
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    require_inside(what, array, boxes[r], r);
    cells += boxes[r].cells();
    for (std::size_t other = 0; other < r; ++other)
      if (const box both = intersection(boxes[r], boxes[other]); !both.is_empty())
        throw usage_error(text(what, ": element ",
                               index_in_words({both.lower.begin(), both.lower.begin() + both.dimensions}),
                               " is given by ranks ", other, " and ", r, "; each element has one rank"));
  }
  if (const index_t wanted = whole_of(array).cells(); cells != wanted)
    throw usage_error(
        text(what, ": the boxes of the ranks have ", cells, " elements together, the array has ", wanted));
}

}  // namespace nearfar::output
