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

void value_transfer::copy_values(std::int32_t source, double* to) const {
  if (source >= 0)
    from_->copy_values(static_cast<std::size_t>(source), to);
  else
    std::copy_n(sources_.made.data() + static_cast<std::size_t>(~source) * volume(), volume(), to);
}

/// Room for the values of so many elements more.
double* value_transfer::make(std::size_t elements) {
  const std::size_t before = sources_.made.size();
  sources_.made.resize(before + elements * volume());
  return sources_.made.data() + before;
}

void value_transfer::migrate(const migration& how) {
  if (how.is_local() && how.old_leaves() == how.new_leaves()) return;
  std::vector<double> sent(how.leaves_sent() * volume());
  double* to = sent.data();
  for (const migration::piece& p : how.sends())
    for (std::size_t n = 0; n < p.count; ++n, to += volume()) copy_values(sources_.of[p.first + n], to);
  const std::size_t before = made();
  how.exchange(sent.data(), make(how.leaves_received()), volume());

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
  reserve_space(static_cast<std::size_t>(std::count_if(change.origins.begin(), change.origins.end(), is_made)));
  for (std::size_t n = 0; n < leaves.size(); ++n) {
    const origin& from = change.origins[n];
    if (!is_made(from)) {
      fresh[n] = sources_.of[from.first];
      continue;
    }
    take(from);
    fresh[n] = ~static_cast<std::int32_t>(made());
    values_in(from_->counts().order, leaves[n], std::span(change.old_leaves).subspan(from.first, from.count),
              taken_.data(), make(1));
  }
  sources_.of = std::move(fresh);
}

/// For so many values more. Where there are none yet, the old memory goes first.
void value_transfer::reserve_space(std::size_t more) {
  std::vector<double>& made = sources_.made;
  more *= volume();
  if (made.empty() && made.capacity() < more) std::vector<double>().swap(made);
  made.reserve(made.size() + more);
}

/// The values of the old leaves that a leaf is made from: those of a split leaf serve eight times.
void value_transfer::take(const origin& from) {
  if (!taken_.empty() && taken_first_ == from.first && taken_.size() == from.count * volume()) return;
  taken_first_ = from.first;
  taken_.resize(from.count * volume());
  for (std::size_t n = 0; n < from.count; ++n) copy_values(sources_.of[from.first + n], taken_.data() + n * volume());
}

}  // namespace adaptive_heat
