// SPDX-License-Identifier: BSD-3-Clause
// Buffers of packed messages.
#include "packed.hpp"

namespace nearfar::exchange {

packed_flow::packed_flow(flow* of, bool is_outgoing)
    : f(of), buffer(is_outgoing ? of->one_piece() : of->one_piece()), type(of->bytes), is_sent(is_outgoing) {
  if (buffer != nullptr) return;
  own.resize(as_size(of->bytes));
  buffer = own.data();
}

void packed_flow::rebind() {
  if (!is_staged()) buffer = is_sent ? f->one_piece() : f->one_piece();
}

std::vector<packed_flow> packed(const std::vector<flow*>& flows, bool is_outgoing) {
  std::vector<packed_flow> list;
  list.reserve(flows.size());
  for (flow* f : flows) list.emplace_back(f, is_outgoing);
  return list;
}

}  // namespace nearfar::exchange
