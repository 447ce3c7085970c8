// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the maps: who has which entity, then who gives to those that several threads have.
#include <algorithm>
#include <solver/thread_overlaps.hpp>

namespace adaptive_heat {
namespace {

/// Calls act(thread, block) for all blocks in ascending order.
template <class Act>
void for_blocks(const thread_team& threads, const element_set& elements, Act&& act) {
  const index_t boundary = elements.boundary_blocks(), all = elements.blocks();
  for (const auto& [first, last] : {std::pair{index_t{0}, boundary}, {boundary, all}})
    for (int n = 0; n < threads.threads(); ++n)
      for (index_t b = first + threads.begin_of(n, last - first); b < first + threads.begin_of(n + 1, last - first);
           ++b)
        act(n, b);
}

bool is_with_other_ranks(const mortar_layout& layout, std::int32_t place) {
  if (place < layout.traces_begin) return place >= layout.own_private;
  const auto is_shared = [place](const trace_list& traces, index_t shared) {
    return place < traces.place(static_cast<std::size_t>(shared));
  };
  return place < layout.edge_traces.end() ? is_shared(layout.edge_traces, layout.shared_edge_traces)
                                          : is_shared(layout.face_traces, layout.shared_face_traces);
}

/// Contributions lie behind all else, from a multiple of 8 on.
index_t first_place(const mortar_layout& layout) { return (layout.size + 15) / 8 * 8; }

}  // namespace

void thread_overlaps::renew(const thread_team& threads, const mortar_layout& layout, element_set& elements) {
  overlaps_.clear(), hits_.clear(), contributions_.clear();
  shared_ = places_ = 0;
  elements.give_apart({}, {});
  if (threads.threads() == 1 || elements.fields().contributions != nullptr) return;
  find(threads, layout, elements);
  sort(layout);
  collect(layout, elements);
  give_places(layout, elements);
}

void thread_overlaps::find(const thread_team& threads, const mortar_layout& layout, const element_set& elements) {
  marks_.assign(static_cast<std::size_t>(layout.size), 0);
  const auto unused = static_cast<std::int32_t>(layout.unused());
  for_blocks(threads, elements, [&](int thread, index_t block) {
    const block_map& map = elements.fields().map[block];
    for (int e = 0; e < entities; ++e)
      for (const std::int32_t place : map.of[e]) {
        std::int32_t& mark = marks_[static_cast<std::size_t>(place)];
        if (mark == 0) mark = thread + 1;
        if (mark < 0 || mark == thread + 1 || place == unused) continue;
        mark = ~static_cast<std::int32_t>(overlaps_.size());
        overlaps_.push_back({place, layout.counts.of_entity(e)});
      }
  });
}

/// Those that other ranks wait for come first.
void thread_overlaps::sort(const mortar_layout& layout) {
  const auto others = std::stable_partition(overlaps_.begin(), overlaps_.end(),
                                            [&](const overlap& m) { return is_with_other_ranks(layout, m.place); });
  shared_ = others - overlaps_.begin();
  for (std::size_t m = 0; m < overlaps_.size(); ++m)
    marks_[static_cast<std::size_t>(overlaps_[m].place)] = ~static_cast<std::int32_t>(m);
}

void thread_overlaps::collect(const mortar_layout& layout, const element_set& elements) {
  const auto unused = static_cast<std::int32_t>(layout.unused());
  for (index_t block = 0; block < elements.blocks(); ++block)
    for (std::uint8_t simd_lane = 0; simd_lane < simd_lanes; ++simd_lane)
      for (std::uint8_t e = 0; e < entities; ++e) {
        const std::int32_t place = elements.fields().map[block].of[e][simd_lane];
        const std::int32_t mark = marks_[static_cast<std::size_t>(place)];
        if (mark >= 0 || place == unused) continue;
        hits_.push_back({~mark, static_cast<std::int32_t>(block), simd_lane, e});
        ++overlaps_[static_cast<std::size_t>(~mark)].count;
      }
}

void thread_overlaps::give_places(const mortar_layout& layout, element_set& elements) {
  std::int32_t first = 0;
  index_t place = first_place(layout);
  for (overlap& m : overlaps_) {
    m.first = first;
    first += m.count;
    m.count = 0;
  }
  contributions_.resize(hits_.size());
  std::vector<std::int32_t> apart_of_block(static_cast<std::size_t>(elements.blocks()), -1);
  std::vector<block_map, aligned_allocator<block_map>> maps;
  for (const hit& h : hits_) {
    std::int32_t& apart = apart_of_block[static_cast<std::size_t>(h.block)];
    if (apart < 0) {
      apart = static_cast<std::int32_t>(maps.size());
      maps.push_back(elements.fields().map[h.block]);
    }
    overlap& m = overlaps_[static_cast<std::size_t>(h.overlap)];
    contributions_[static_cast<std::size_t>(m.first + m.count++)] = static_cast<std::int32_t>(place);
    maps[static_cast<std::size_t>(apart)].of[h.entity][h.simd_lane] = static_cast<std::int32_t>(place);
    place += m.points;
  }
  places_ = place - first_place(layout);
  elements.give_apart(std::move(maps), std::move(apart_of_block));
}

void thread_overlaps::add(const thread_team& threads, part which, double* vector) const {
  const auto all = static_cast<std::int64_t>(overlaps_.size());
  const bool is_shared = which == part::shared;
  threads.share(is_shared ? 0 : shared_, is_shared ? shared_ : all, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t n = first; n < last; ++n) {
      const overlap& m = overlaps_[static_cast<std::size_t>(n)];
      double* const to = vector + m.place;
      for (std::int32_t k = m.first; k < m.first + m.count; ++k) {
        double* const from = vector + contributions_[static_cast<std::size_t>(k)];
        for (std::int32_t p = 0; p < m.points; ++p) to[p] += from[p], from[p] = 0;
      }
    }
  });
}

}  // namespace adaptive_heat
