// SPDX-License-Identifier: BSD-3-Clause
// Chooses the places between steps.
#include "chain.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <near/signal.hpp>
#include <topology/team_state.hpp>

namespace nearfar::fft {
namespace {

/// Between steps: rows of whole cache lines, all fields in one array.
resting work_side(const resting& r, index_t real_bytes) {
  const index_t unit = index_t{near::cache_line_bytes} / element_bytes(r, real_bytes);
  resting aligned = r;
  aligned.side = {r.side.parts, order_of(r.side)};
  aligned.side.padding = row_padding(aligned.side, unit);
  aligned.side.field_stride = std::max<index_t>((shape_of(aligned.side).elements + unit - 1) / unit * unit, 1);
  return aligned;
}

bool keeps_lengths(const step& s) {
  return !s.is_move() && s.from.is_complex == s.to.is_complex && are_same_parts(s.from.side.parts, s.to.side.parts);
}

bool are_alike(const transpose_side& a, const transpose_side& b) {
  return order_of(a) == order_of(b) && a.padding == b.padding && a.field_stride == b.field_stride;
}

/// True if the step can be done within one memory.
bool stays(const step& s) { return keeps_lengths(s) && are_alike(s.from.side, s.to.side); }

/// Where the caller's sides are compared, whose paddings may differ between ranks. Collective.
bool stays_everywhere(const step& s) { return everywhere(state_of(s.from.side.parts.team()), stays(s)); }

/// The first place from which on all elements can be in the output: each later step keeps the lengths, and the one that
/// gets there is no obstacle.
std::size_t first_in_output(const std::vector<step>& steps, bool is_in_place) {
  std::size_t first = steps.size();
  while (first > 1 && keeps_lengths(steps[first - 1])) --first;
  const bool is_too_early = is_in_place && first == 1 && first < steps.size() && !stays_everywhere(steps[0]);
  return is_too_early ? 2 : first;
}

/// In place and with one step of transforms that change lengths, or order, elements go through a work array.
void add_copy(std::vector<step>& steps, index_t real_bytes) {
  const resting between = work_side(steps[0].to, real_bytes);
  steps.push_back({between, steps[0].to});
  steps[0].to = between;
}

void join(std::vector<step>& steps, std::size_t i, const resting& between) {
  steps[i - 1].to = between;
  steps[i].from = between;
}

}  // namespace

chain placed(std::vector<step> steps, bool is_in_place, index_t real_bytes) {
  if (is_in_place && steps.size() == 1 && !steps[0].is_move() && !stays_everywhere(steps[0]))
    add_copy(steps, real_bytes);
  for (std::size_t i = 1; i < steps.size(); ++i) join(steps, i, work_side(steps[i].from, real_bytes));
  const resting last = steps.back().to;
  const auto lies_in_output = [&](std::size_t i) {
    resting r = steps[i].from;
    r.side = {r.side.parts, order_of(last.side), last.side.padding, last.side.field_stride};
    return r;
  };
  for (std::size_t i = steps.size() - 1; i >= 1 && keeps_lengths(steps[i]); --i) join(steps, i, lies_in_output(i));
  const std::size_t first = first_in_output(steps, is_in_place);
  for (std::size_t i = 1; i < first; ++i) join(steps, i, work_side(steps[i].from, real_bytes));
  chain c{std::move(steps), {place::input}};
  for (std::size_t i = 1; i <= c.steps.size(); ++i) {
    const place before = c.places.back();
    const place other = before == place::first_work ? place::second_work : place::first_work;
    const bool is_same = before != place::input && stays(c.steps[i - 1]);
    c.places.push_back(i >= first ? place::output : is_same ? before : other);
  }
  return c;
}

std::array<index_t, 2> work_bytes(const chain& c, index_t fields, index_t real_bytes) {
  std::array<index_t, 2> bytes{};
  for (std::size_t i = 1; i < c.steps.size(); ++i) {
    if (c.places[i] != place::first_work && c.places[i] != place::second_work) continue;
    const resting& r = c.steps[i].from;
    index_t& most = bytes[c.places[i] == place::second_work];
    most = std::max(most, r.side.field_stride * fields * element_bytes(r, real_bytes));
  }
  return bytes;
}

}  // namespace nearfar::fft
