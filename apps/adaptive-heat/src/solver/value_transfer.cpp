// SPDX-License-Identifier: BSD-3-Clause
// Follows where values come from; copies only those that change.
#include <algorithm>
#include <numeric>
#include <solver/value_transfer.hpp>

namespace adaptive_heat {

void value_transfer::start(const element_set& from) {
  from_ = &from;
  sources_.made.clear();
  sources_.of.resize(from.elements());
  std::iota(sources_.of.begin(), sources_.of.end(), 0);
}

element_values value_transfer::values(std::int32_t source) const {
  return source >= 0 ? from_->values(static_cast<std::size_t>(source))
                     : sources_.made[static_cast<std::size_t>(~source)];
}

std::int32_t value_transfer::keep(const element_values& made) {
  sources_.made.push_back(made);
  return ~static_cast<std::int32_t>(sources_.made.size() - 1);
}

void value_transfer::migrate(const migration& how) {
  if (how.is_local() && how.old_leaves() == how.new_leaves()) return;
  std::vector<element_values> sent;
  sent.reserve(how.leaves_sent());
  for (const migration::piece& p : how.sends())
    for (std::size_t n = 0; n < p.count; ++n) sent.push_back(values(sources_.of[p.first + n]));
  const std::size_t before = sources_.made.size();
  sources_.made.resize(before + how.leaves_received());
  how.exchange(sent.data(), sources_.made.data() + before, 1);

  std::vector<std::int32_t> moved(how.new_leaves());
  for (std::size_t n = 0; n < how.kept().count; ++n) moved[how.kept_to() + n] = sources_.of[how.kept().first + n];
  std::size_t at = before;
  for (const migration::piece& p : how.receives())
    for (std::size_t n = 0; n < p.count; ++n) moved[p.first + n] = ~static_cast<std::int32_t>(at++);
  sources_.of = std::move(moved);
}

void value_transfer::interpolate(const adaptation& change, std::span<const octant> leaves) {
  std::vector<std::int32_t> fresh(leaves.size());
  taken_.clear();
  const auto is_made = [](const origin& from) { return from.kind != origin_kind::same; };
  make_room(static_cast<std::size_t>(std::count_if(change.origins.begin(), change.origins.end(), is_made)));
  for (std::size_t n = 0; n < leaves.size(); ++n) {
    const origin& from = change.origins[n];
    if (!is_made(from)) {
      fresh[n] = sources_.of[from.first];
      continue;
    }
    take(from);
    fresh[n] = keep(values_in(leaves[n], std::span(change.old_leaves).subspan(from.first, from.count), taken_));
  }
  sources_.of = std::move(fresh);
}

/// For so many values more. Where there are none yet, the old memory goes first.
void value_transfer::make_room(std::size_t more) {
  std::vector<element_values>& made = sources_.made;
  if (made.empty() && made.capacity() < more) std::vector<element_values>().swap(made);
  made.reserve(made.size() + more);
}

/// The values of the old leaves that a leaf is made from: those of a split leaf serve eight times.
void value_transfer::take(const origin& from) {
  if (!taken_.empty() && taken_first_ == from.first && taken_.size() == from.count) return;
  taken_first_ = from.first;
  taken_.clear();
  for (std::size_t n = 0; n < from.count; ++n) taken_.push_back(values(sources_.of[from.first + n]));
}

}  // namespace adaptive_heat
