// SPDX-License-Identifier: BSD-3-Clause
// Owners know who refers to their points, and introduce the sharers to each other; a gather plan over all copies does the rest.
#include <algorithm>
#include <base/list_exchange.hpp>
#include <mortar/copy_sums.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/gathered_vector.hpp>

namespace adaptive_heat {
namespace {

constexpr int claim_tag = 0, introduction_tag = 1;

/// A copy at a rank that does not own the point.
struct claim {
  std::int64_t point;  ///< offset among the owner's shared points
  std::int64_t copy;
};

rank_lists<claim> claims_to_owners(const nearfar::team& members, const mortar_layout& layout, std::int64_t first_copy) {
  const auto where = nearfar::distribution::block_sizes(members, layout.shared_sizes);
  const std::size_t count = layout.ghost_index.size();
  std::vector<int> owners(count);
  std::vector<std::int64_t> offsets(count);
  where.locate(layout.ghost_index, owners, offsets);
  rank_lists<claim> claims(members.size());
  for (std::size_t g = 0; g < count; ++g) {
    claims.records.push_back({offsets[g], first_copy + layout.own_shared + static_cast<std::int64_t>(g)});
    ++claims.first[static_cast<std::size_t>(owners[g]) + 1];
  }
  for (std::size_t r = 1; r < claims.first.size(); ++r) claims.first[r] += claims.first[r - 1];
  return claims;
}

/// The copies of an owner's shared points, the owner's among them, by point and ascending rank.
struct copies_of_points {
  std::vector<std::size_t> first;
  std::vector<std::int64_t> copies;

  copies_of_points(const nearfar::team& members, std::int64_t points, std::int64_t first_copy,
                   const rank_lists<claim>& claims)
      : first(static_cast<std::size_t>(points) + 1) {
    for (std::size_t p = 1; p < first.size(); ++p) first[p] = 1;
    for (const claim& c : claims.records) ++first[static_cast<std::size_t>(c.point) + 1];
    for (std::size_t p = 1; p < first.size(); ++p) first[p] += first[p - 1];
    copies.resize(first.back());
    std::vector<std::size_t> at(first.begin(), first.end() - 1);
    for (int r = 0; r < members.size(); ++r) {
      for (const claim& c : claims.of(r)) copies[at[static_cast<std::size_t>(c.point)]++] = c.copy;
      if (r == members.rank())
        for (std::size_t p = 0; p < at.size(); ++p) copies[at[p]++] = first_copy + static_cast<std::int64_t>(p);
    }
  }
  std::span<const std::int64_t> of(std::int64_t point) const {
    const auto p = static_cast<std::size_t>(point);
    return std::span(copies).subspan(first[p], first[p + 1] - first[p]);
  }
};

/// How many copies there are, then all of them.
rank_lists<std::int64_t> introductions(const nearfar::team& members, const rank_lists<claim>& claims,
                                       const copies_of_points& all) {
  rank_lists<std::int64_t> out(members.size());
  for (int r = 0; r < members.size(); ++r) {
    for (const claim& c : claims.of(r)) {
      const auto copies = all.of(c.point);
      out.records.push_back(static_cast<std::int64_t>(copies.size()));
      out.records.insert(out.records.end(), copies.begin(), copies.end());
    }
    out.first[static_cast<std::size_t>(r) + 1] = static_cast<std::int64_t>(out.records.size());
  }
  return out;
}

void add(sharer_lists& lists, std::span<const std::int64_t> copies) {
  const auto own = lists.first_copy + static_cast<std::int64_t>(lists.copies());
  for (const std::int64_t copy : copies)
    if (copy != own) lists.others.push_back(copy);
  lists.first.push_back(lists.others.size());
}

}  // namespace

sharer_lists find_sharers(const nearfar::team& members, MPI_Comm comm, const mortar_layout& layout,
                          const nearfar::distribution& all_copies) {
  sharer_lists lists{.first = {0}, .others = {}};
  if (const std::int64_t zero = 0; all_copies.owned() > 0) all_copies.globals({&zero, 1}, {&lists.first_copy, 1});
  const rank_lists<claim> claims =
      exchange_lists(comm, claim_tag, layout.partners, claims_to_owners(members, layout, lists.first_copy));
  const copies_of_points own(members, layout.own_shared, lists.first_copy, claims);
  const rank_lists<std::int64_t> heard =
      exchange_lists(comm, introduction_tag, layout.partners, introductions(members, claims, own));
  for (std::int64_t p = 0; p < layout.own_shared; ++p) add(lists, own.of(p));
  // Ghosts are sorted by owner, and so are the answers.
  std::span<const std::int64_t> rest(heard.records);
  for (std::int64_t g = 0; g < layout.ghosts; ++g) {
    const auto count = static_cast<std::size_t>(rest[0]);
    add(lists, rest.subspan(1, count));
    rest = rest.subspan(1 + count);
  }
  return lists;
}

void copy_sums::renew(const mortar_layout& layout) {
  layout_ = &layout;
  const auto where = nearfar::distribution::block_sizes(team_, layout.copy_sizes);
  const sharer_lists lists = find_sharers(team_, comm_, layout, where);
  if (plan_)
    plan_->update(where, lists.others);
  else
    plan_.emplace(where, lists.others, nearfar::gather_options{.name = "mortars"});
  arrange(lists);
  make_room();
}

void copy_sums::arrange(const sharer_lists& lists) {
  const std::span<const std::int32_t> places = plan_->local_indices();  // of what arrives, behind the copies
  runs_.clear(), meetings_.clear(), arrivals_.clear();
  for (std::size_t i = 0; i < lists.copies(); ++i) {
    const std::size_t first = lists.first[i], end = lists.first[i + 1];
    const auto copy = static_cast<std::int32_t>(i);
    if (end - first == 1) {
      if (runs_.empty() || runs_.back().copy + runs_.back().count != copy ||
          runs_.back().from + runs_.back().count != places[first])
        runs_.push_back({copy, places[first], 0});
      ++runs_.back().count;
      continue;
    }
    meeting m{copy, static_cast<std::int32_t>(arrivals_.size()), 0, 0};
    for (std::size_t k = first; k < end; ++k) {
      ++(lists.others[k] < lists.first_copy ? m.lower : m.higher);
      arrivals_.push_back(places[k]);
    }
    meetings_.push_back(m);
  }
}

void copy_sums::make_room() {
  const int is_short = room_ < plan_->map().total() ? 1 : 0;
  if (nearfar::allreduce(team_, is_short, nearfar::op::max) == 0) return;
  room_ = plan_->map().total() * 5 / 4 + 64;
  memory_.reset();
  memory_ = nearfar::allocate_near_memory(team_, sizeof(double) * static_cast<std::size_t>(room_));
}

/// They leave from a place of their own, so that nobody's lines are read while sums are made in them.
void copy_sums::start(double* vector) {
  vector_ = vector + layout_->own_private;
  double* const out = static_cast<double*>(memory_.get());
  std::copy_n(vector_, layout_->own_shared + layout_->ghosts, out);
  pending_ = plan_->start_gather_ghosts(std::span<double>(out, static_cast<std::size_t>(plan_->map().total())));
}

void copy_sums::finish() {
  pending_->finish();
  pending_.reset();
  const double* const values = static_cast<const double*>(memory_.get());
  for (const run& r : runs_)
    for (std::int32_t i = 0; i < r.count; ++i) vector_[r.copy + i] += values[r.from + i];
  for (const meeting& m : meetings_) {
    const std::int32_t* from = arrivals_.data() + m.first;
    double sum = 0;
    for (std::int32_t k = 0; k < m.lower; ++k) sum += values[*from++];
    sum += vector_[m.copy];
    for (std::int32_t k = 0; k < m.higher; ++k) sum += values[*from++];
    vector_[m.copy] = sum;
  }
}

}  // namespace adaptive_heat
