// SPDX-License-Identifier: BSD-3-Clause
// Sorted lists of nodes.
#include <algorithm>
#include <mesh/node_list.hpp>

namespace adaptive_heat {

void sort_unique(codes& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void merge_into(codes& list, const codes& more) {
  if (more.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(list.size());
  list.insert(list.end(), more.begin(), more.end());
  std::inplace_merge(list.begin(), list.begin() + middle, list.end());
}

}  // namespace adaptive_heat
