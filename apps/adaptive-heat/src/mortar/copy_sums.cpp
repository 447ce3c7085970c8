// SPDX-License-Identifier: BSD-3-Clause
// An irregular plan over all copies: each rank refers to the copies of others.
#include <algorithm>
#include <functional>
#include <mortar/copy_sums.hpp>
#include <nearfar/irregular_vector.hpp>
#include <numeric>

namespace adaptive_heat {

void copy_sums::renew(const mortar_layout& layout) {
  layout_ = &layout;
  const auto where = nearfar::distribution::block_sizes(team_, layout.copy_sizes);
  const std::vector<std::int64_t> others = references();
  if (plan_)
    plan_->update(where, others);
  else
    plan_.emplace(where, others, nearfar::irregular_options{.name = "mortars"});
  arrange();
  reserve_space();
}

/// The others of each point, point by point.
std::vector<std::int64_t> copy_sums::references() const {
  std::vector<std::int64_t> all;
  for (std::size_t n = 0; n < layout_->sharers.entities(); ++n)
    for (int p = 0; p < layout_->points_of_entity(layout_->private_entities + n); ++p)
      for (const std::int64_t first : layout_->sharers.of(n)) all.push_back(first + p);
  return all;
}

void copy_sums::arrange() {
  const std::int32_t* from = plan_->local_indices().data();  // of what arrives, behind the copies
  runs_.clear(), overlaps_.clear(), arrivals_.clear();
  const std::int64_t me = first_copy();
  std::int32_t copy = 0;
  for (std::size_t n = 0; n < layout_->sharers.entities(); ++n) {
    const auto others = layout_->sharers.of(n);
    const auto lower = static_cast<std::int32_t>(std::lower_bound(others.begin(), others.end(), me) - others.begin());
    const auto higher = static_cast<std::int32_t>(others.size()) - lower;
    for (const std::int32_t end = copy + layout_->points_of_entity(layout_->private_entities + n); copy < end; ++copy) {
      if (others.size() == 1) {
        add_to_runs(copy, *from++);
        continue;
      }
      overlaps_.push_back({copy, static_cast<std::int32_t>(arrivals_.size()), lower, higher});
      arrivals_.insert(arrivals_.end(), from, from + others.size());
      from += others.size();
    }
  }
}

void copy_sums::add_to_runs(std::int32_t copy, std::int32_t from) {
  if (runs_.empty() || runs_.back().copy + runs_.back().count != copy || runs_.back().from + runs_.back().count != from)
    runs_.push_back({copy, from, 0});
  ++runs_.back().count;
}

std::int64_t copy_sums::first_copy() const {
  return std::accumulate(layout_->copy_sizes.begin(), layout_->copy_sizes.begin() + team_.rank(), std::int64_t{0});
}

/// When to take more follows from what all ranks know of each other. How many values arrive only a rank itself knows:
/// should these be too many in between, it makes do with memory that is not shared, from which values are copied once
/// more.
void copy_sums::reserve_space() {
  const auto& copies = layout_->copy_sizes;
  foreseen_.resize(copies.size(), -1);
  const std::int64_t needed = plan_->map().total();
  if (!std::equal(copies.begin(), copies.end(), foreseen_.begin(), std::less_equal<>())) {
    for (std::size_t r = 0; r < copies.size(); ++r) foreseen_[r] = copies[r] + copies[r] / 8;
    capacity_ = needed * 5 / 4 + 64;
    memory_.reset();
    memory_ = nearfar::allocate_near_memory(team_, sizeof(double) * static_cast<std::size_t>(capacity_));
  }
  std::vector<double>(capacity_ < needed ? static_cast<std::size_t>(needed) : 0).swap(own_memory_);
}

/// They leave from a place of their own, so that nobody's lines are read while sums are made in them.
void copy_sums::start(double* vector) {
  vector_ = vector;
  plan_->start_gather_ghosts(leaving(vector, buffer()));
}

void copy_sums::finish() {
  plan_->finish();
  add_arrived(buffer(), vector_);
}

void copy_sums::sum(double* a, double* b) {
  std::vector<double> second(static_cast<std::size_t>(plan_->map().total()));
  plan_->gather_ghosts(leaving(a, buffer()), leaving(b, second.data()));
  add_arrived(buffer(), a);
  add_arrived(second.data(), b);
}

/// A vector's copies at `to`, where others' will follow.
std::span<double> copy_sums::leaving(const double* vector, double* to) const {
  std::copy_n(vector + layout_->own_private, layout_->own_shared + layout_->ghosts, to);
  return {to, static_cast<std::size_t>(plan_->map().total())};
}

void copy_sums::add_arrived(const double* values, double* vector) const {
  double* const copies = vector + layout_->own_private;
  for (const run& r : runs_)
    for (std::int32_t i = 0; i < r.count; ++i) copies[r.copy + i] += values[r.from + i];
  for (const overlap& m : overlaps_) {
    const std::int32_t* from = arrivals_.data() + m.first;
    double sum = 0;
    for (std::int32_t k = 0; k < m.lower; ++k) sum += values[*from++];
    sum += copies[m.copy];
    for (std::int32_t k = 0; k < m.higher; ++k) sum += values[*from++];
    copies[m.copy] = sum;
  }
}

}  // namespace adaptive_heat
