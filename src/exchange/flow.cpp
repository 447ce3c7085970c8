// SPDX-License-Identifier: BSD-3-Clause
// Packs and delivers the pieces of a flow in their order.
#include "flow.hpp"

#include <cstring>

namespace nearfar::exchange {

namespace {

void add_runs(const walk& w, std::vector<iovec>& runs) {
  if (w.run_bytes == 0) return;
  std::array<index, max_loops> at{};
  for (index left = w.runs(); left > 0; --left) {
    index offset = 0;
    for (int d = 0; d < w.loops; ++d) offset += at[static_cast<std::size_t>(d)] * w.steps[static_cast<std::size_t>(d)];
    runs.push_back({w.first + offset, as_size(w.run_bytes)});
    for (int d = w.loops - 1; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      if (++at[i] < w.counts[i]) break;
      at[i] = 0;
    }
  }
}

std::vector<iovec> runs_of(const std::vector<piece>& pieces) {
  std::vector<iovec> runs;
  for (const piece& p : pieces) {
    if (const auto* w = std::get_if<walk>(&p.where)) {
      add_runs(*w, runs);
      continue;
    }
    const auto& [base, list] = std::get<1>(p.where);
    for (const index i : list->indices) runs.push_back({base + i * list->element_bytes, as_size(list->element_bytes)});
  }
  return runs;
}

}  // namespace

index transfer_facts::bytes() const noexcept {
  index n = element_bytes;
  for (const index e : extents) n *= e;
  return n;
}

void flow::pack_into(std::byte* to) const {
  for (const piece& p : pieces) {
    if (const auto* w = std::get_if<walk>(&p.where))
      to = pack(*w, to);
    else
      to = pack(std::get<1>(p.where).first, *std::get<1>(p.where).second, to);
  }
}

void flow::unpack_from(const std::byte* from) const {
  for (const piece& p : pieces) {
    if (const auto* w = std::get_if<walk>(&p.where))
      from = unpack(from, *w);
    else
      from = unpack(from, std::get<1>(p.where).first, *std::get<1>(p.where).second);
  }
}

void flow::deliver(const std::byte* from) {
  if (!keeps_delivery) return unpack_from(from);
  if (from != delivered.data()) std::memcpy(delivered.data(), from, as_size(bytes));
}

std::byte* flow::direct_target() { return keeps_delivery ? delivered.data() : direct_source(); }

std::byte* flow::direct_source() const {
  if (pieces.size() != 1) return nullptr;
  const auto* w = std::get_if<walk>(&pieces.front().where);
  return w != nullptr && w->loops == 0 ? w->first : nullptr;
}

void flow::add_delivered(value_type type) const {
  const std::byte* from = delivered.data();
  for (const piece& p : pieces) {
    if (const auto* w = std::get_if<walk>(&p.where))
      from = accumulate(from, *w, type);
    else
      from = accumulate(from, std::get<1>(p.where).first, *std::get<1>(p.where).second, type);
  }
}

std::vector<iovec> flow::target_runs() {
  if (keeps_delivery) return {{delivered.data(), delivered.size()}};
  return runs_of(pieces);
}

std::vector<iovec> flow::source_runs() const { return runs_of(pieces); }

}  // namespace nearfar::exchange
