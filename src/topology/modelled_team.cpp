// SPDX-License-Identifier: BSD-3-Clause
// A team's state by arithmetic alone.
#include <base/internals.hpp>
#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <numeric>
#include <topology/modelled_team.hpp>
#include <topology/team_state.hpp>

namespace nearfar {

team modelled_team(const node_shape& shape, int rank) {
  if (shape.ranks < 1 || shape.per_node < 1)
    throw usage_error(text("a modelled machine has ", shape.ranks, " ranks, ", shape.per_node,
                           " on each node; 1 or more are possible"));
  if (rank < 0 || rank >= shape.ranks)
    throw usage_error(text("there is no rank ", rank, "; ranks are 0 to ", shape.ranks - 1));
  auto s = std::make_shared<team_state>();
  s->rank = rank, s->size = shape.ranks;
  s->node = shape.node_of(rank), s->nodes = shape.nodes();
  s->near_rank = rank - shape.first_of(s->node), s->near_size = shape.size_of(s->node);
  s->near_ranks.resize(as_size(s->near_size));
  std::iota(s->near_ranks.begin(), s->near_ranks.end(), shape.first_of(s->node));
  s->largest_node = shape.size_of(0), s->smallest_node = shape.size_of(s->nodes - 1);
  s->is_block_mapped = s->largest_node == s->smallest_node;
  s->is_cyclic_mapped = s->is_block_mapped && (s->nodes == 1 || s->near_size == 1);
  s->ranks_here = s->cores = s->hardware_threads = s->near_size;
  s->host = s->processor = "modelled";
  return internals::made_of<team>(std::move(s));
}

}  // namespace nearfar
