// SPDX-License-Identifier: BSD-3-Clause
// The list of all algorithms, by kind.
#include <algorithm>
#include <array>
#include <collective/algorithm.hpp>

#include "far/table.hpp"
#include "movers/table.hpp"
#include "reductions/table.hpp"

namespace nearfar {

const char* name_of(collective_kind kind) noexcept {
  static constexpr std::array<const char*, collective::kinds> names{
      "barrier",  "bcast",     "reduce",    "allreduce",  "gather",         "gatherv",
      "scatter",  "scatterv",  "allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block",
      "alltoall", "alltoallv", "alltoallw", "scan",       "exscan"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace nearfar

namespace nearfar::collective {

namespace {

using lists = std::array<std::vector<algorithm>, kinds>;

lists all_algorithms() {
  lists all;
  for (const auto& table : {reductions_of_one_node(), reductions_in_order(), between_nodes(), movers_of_one_node()})
    for (const algorithm& a : table) all[static_cast<std::size_t>(a.what)].push_back(a);
  return all;
}

const lists& sorted() {
  static const lists all = all_algorithms();
  return all;
}

}  // namespace

std::span<const algorithm> algorithms_of(kind what) { return sorted()[static_cast<std::size_t>(what)]; }

const algorithm* find_algorithm(kind what, std::string_view name) {
  const auto all = algorithms_of(what);
  const auto found = std::find_if(all.begin(), all.end(), [&](const algorithm& a) { return a.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace nearfar::collective
