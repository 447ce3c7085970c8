// SPDX-License-Identifier: BSD-3-Clause
// Cuts along each axis wherever a box begins; between cuts all elements belong to one rank.
#include "regions.hpp"

#include <algorithm>
#include <array>
#include <base/numbers.hpp>

namespace nearfar::fused {

namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

using cut_list = std::array<std::vector<index_t>, max_dimensions>;

cut_list cuts_of(const box& own, const std::vector<box>& parts) {
  cut_list cuts;
  for (int d = 0; d < own.dimensions; ++d) {
    auto& list = cuts[at(d)];
    list = {own.lower[at(d)], own.upper[at(d)]};
    for (const box& p : parts) list.push_back(p.lower[at(d)]), list.push_back(p.upper[at(d)]);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return cuts;
}

std::size_t part_with(const std::vector<box>& parts, const std::array<index_t, max_dimensions>& element) {
  const auto has = [&](const box& p) {
    for (int d = 0; d < p.dimensions; ++d)
      if (element[at(d)] < p.lower[at(d)] || element[at(d)] >= p.upper[at(d)]) return false;
    return true;
  };
  return static_cast<std::size_t>(std::find_if(parts.begin(), parts.end(), has) - parts.begin());
}

std::vector<line_part> parts_along(const std::vector<box>& parts, const std::vector<index_t>& cuts, int axis,
                                   std::array<index_t, max_dimensions> element) {
  std::vector<line_part> list;
  const index_t first = cuts.front();
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    element[at(axis)] = cuts[i];
    const std::size_t part = part_with(parts, element);
    if (!list.empty() && list.back().part == part)
      list.back().end = cuts[i + 1] - first;
    else
      list.push_back({part, cuts[i] - first, cuts[i + 1] - first});
  }
  return list;
}

}  // namespace

std::vector<region> regions_of(const box& own, const std::vector<box>& parts, int axis, const std::vector<int>& order) {
  std::vector<region> all;
  if (own.is_empty()) return all;
  const cut_list cuts = cuts_of(own, parts);
  std::array<std::size_t, max_dimensions> cell{};
  for (;;) {
    region r{own, {}};
    for (const int d : order)
      if (d != axis)
        r.lines.lower[at(d)] = cuts[at(d)][cell[at(d)]], r.lines.upper[at(d)] = cuts[at(d)][cell[at(d)] + 1];
    r.parts = parts_along(parts, cuts[at(axis)], axis, r.lines.lower);
    all.push_back(std::move(r));
    auto d = order.rbegin();
    for (; d != order.rend(); ++d) {
      if (*d == axis) continue;
      if (++cell[at(*d)] + 1 < cuts[at(*d)].size()) break;
      cell[at(*d)] = 0;
    }
    if (d == order.rend()) return all;
  }
}

}  // namespace nearfar::fused
