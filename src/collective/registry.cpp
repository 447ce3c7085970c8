// SPDX-License-Identifier: BSD-3-Clause
// The list of all algorithms, by kind.
#include <algorithm>
#include <array>
#include <base/text.hpp>
#include <collective/algorithm.hpp>
#include <tune/methods.hpp>

#include "data_movement/table.hpp"
#include "far/table.hpp"
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

std::string in_short(index_t bytes) { return bytes % (1 << 20) == 0 ? text(bytes >> 20, 'm') : text(bytes >> 10, 'k'); }

std::string in_words(const piece_cut& cut) {
  const std::string size = cut.unit % (1 << 20) == 0 ? text(cut.unit >> 20, " MB") : text(cut.unit >> 10, " kB");
  return cut.ahead == 0 ? size : text(size, ", ", cut.ahead, " ahead");
}

using lists = std::array<std::vector<algorithm>, kinds>;

lists all_algorithms() {
  lists all;
  for (const auto& table :
       {reductions_of_one_node(), reductions_in_order(), between_nodes(), data_movement_of_one_node()})
    for (const algorithm& a : table) all[static_cast<std::size_t>(a.what)].push_back(a);
  return all;
}

const lists& sorted() {
  static const lists all = all_algorithms();
  return all;
}

std::vector<method_info> methods_of(const std::string& front) {
  std::vector<method_info> all;
  for (const char* name : {"mpi", "plan-slots", "plan-slots-streamed", "plan-buffers"})
    all.push_back({name, name == std::string("mpi") ? "the MPI's own" : "of plans only; see collective_plan"});
  for (std::size_t k = 0; k < kinds; ++k)
    if (front == text("collective.", name_of(static_cast<kind>(k))))
      for (const algorithm& a : sorted()[k]) all.push_back({a.name, a.words, true, true, a.is_candidate});
  return all;
}

const bool are_entered = [] {
  for (std::size_t k = 0; k < kinds; ++k)
    tune::front_methods(text("collective.", name_of(static_cast<kind>(k))).c_str(), methods_of);
  return true;
}();

}  // namespace

void add_cuts(std::vector<algorithm>& list, const algorithm& of, std::span<const cut_case> cases) {
  for (const cut_case& c : cases) {
    algorithm& added = list.emplace_back(of);
    added.name += "-" + in_short(c.cut.unit);
    added.words.replace(added.words.find('*'), 1, in_words(c.cut));
    added.serves = c.serves;
    added.is_candidate = of.is_candidate && c.is_candidate;
    added.cut = c.cut;
  }
}

std::span<const algorithm> algorithms_of(kind what) { return sorted()[static_cast<std::size_t>(what)]; }

const algorithm* find_algorithm(kind what, std::string_view name) {
  const auto all = algorithms_of(what);
  const auto found = std::find_if(all.begin(), all.end(), [&](const algorithm& a) { return a.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace nearfar::collective
