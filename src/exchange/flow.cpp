// SPDX-License-Identifier: BSD-3-Clause
// Packs and delivers the pieces of a flow in their order.
#include "flow.hpp"

#include <base/test_values.hpp>
#include <cstring>

namespace nearfar::exchange {

namespace {

/// Calls body(run) for each contiguous run of the walk.
template <class Body>
void for_runs(const walk& w, Body body) {
  if (w.run_bytes == 0) return;
  std::array<index_t, max_loops> at{};
  for (index_t left = w.runs(); left > 0; --left) {
    index_t offset = 0;
    for (int d = 0; d < w.loops; ++d) offset += at[static_cast<std::size_t>(d)] * w.steps[static_cast<std::size_t>(d)];
    body(w.first + offset);
    for (int d = w.loops - 1; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      if (++at[i] < w.counts[i]) break;
      at[i] = 0;
    }
  }
}

constexpr index_t cache_line_bytes = 64;

void touch_run(std::byte* at, index_t bytes) {
  for (index_t i = 0; i < bytes; i += cache_line_bytes) {
    volatile std::byte& b = at[i];
    b = b;
  }
}

/// Calls body(run, bytes) for all memory of the pieces, in the order of its addresses within each.
template <class Body>
void for_memory(const std::vector<piece>& pieces, Body body) {
  for (const piece& p : pieces) {
    const walk in_order = in_memory_order(p.where);
    for_runs(in_order, [&](std::byte* run) { body(run, in_order.run_bytes); });
  }
}

}  // namespace

index_t transfer_facts::bytes() const noexcept {
  index_t n = element_bytes;
  for (const index_t e : extents) n *= e;
  return n;
}

void flow::pack_into(std::byte* to) const {
  for (const piece& p : pieces) to = pack(p.where, to);
}

void flow::touch() const { for_memory(pieces, touch_run); }

bool flow::holds_zeros() const {
  bool is_zero = true;
  for_memory(pieces, [&](const std::byte* run, index_t run_bytes) { is_zero = is_zero && are_zeros(run, run_bytes); });
  return is_zero;
}

void flow::fill_with_test_values() const {
  for_memory(pieces, [](std::byte* run, index_t run_bytes) { nearfar::fill_with_test_values(run, run_bytes); });
}

void flow::fill_with_zeros() const {
  for_memory(pieces, [](std::byte* run, index_t run_bytes) { std::memset(run, 0, as_size(run_bytes)); });
}

void flow::unpack_from(const std::byte* from) const {
  for (const piece& p : pieces) from = unpack(from, p.where, stores_past_caches);
}

std::byte* flow::one_piece() const {
  return pieces.size() == 1 && pieces.front().where.loops == 0 ? pieces.front().where.first : nullptr;
}

std::vector<iovec> flow::runs() const {
  std::vector<iovec> all;
  for (const piece& p : pieces)
    for_runs(p.where, [&](std::byte* run) { all.push_back({run, as_size(p.where.run_bytes)}); });
  return all;
}

}  // namespace nearfar::exchange
