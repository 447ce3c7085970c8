// SPDX-License-Identifier: BSD-3-Clause
// The moves of a route as flows.
#include <base/internals.hpp>
#include <fft/lowering.hpp>
#include <transpose/lowering.hpp>

#include "chain.hpp"

namespace nearfar {

std::vector<exchange::rank_flows> fft_flows(const fft_layout& layout, index_t real_bytes) {
  std::vector<exchange::rank_flows> moves;
  for (const fft::step& s : state_of(layout).forward)
    if (s.is_move())
      moves.push_back(transpose_flows(s.from.side, s.to.side, 1, fft::element_bytes(s.from, real_bytes)));
  return moves;
}

}  // namespace nearfar
