// SPDX-License-Identifier: BSD-3-Clause
// Random halo plans and their brute-force oracle, which knows nothing of tiles: it does arithmetic on single cells.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <random>
#include <string>
#include <vector>

namespace nearfar::test {

using place = std::array<index_t, max_dimensions>;

/// The same numbers on every rank for the same seed.
class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  int roll(int lowest, int highest) {
    return lowest + static_cast<int>(engine_() % static_cast<std::uint64_t>(highest - lowest + 1));
  }
  bool flip(int one_in = 2) { return roll(1, one_in) == 1; }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(roll(0, static_cast<int>(i) - 1))]);
  }

 private:
  std::mt19937_64 engine_;
};

/// A grid, an array on it and the ghosts to fill.
class random_part {
 public:
  random_part(dice& d, const team& members, int number);

  halo_part part() const;
  /// Every byte of the array gets a new value; own cells get values that follow from their global index.
  void refill(int epoch);
  /// True if exactly the ghosts to be filled have changed, each to the value of the cell that it stands for.
  bool is_as_expected(stencil shape, std::string& difference) const;
  std::string describe() const;

 private:
  void choose_grid(dice& d, const team& members);
  void choose_widths(dice& d, const team& members);
  void choose_memory(dice& d);
  std::size_t offset_of(const place& cell) const;
  void write_value(std::byte* to, const place& cell) const;
  bool is_filled(const place& cell, stencil shape, place& source) const;

  int number_, epoch_ = 0;
  int dimensions_ = 1;
  std::vector<index_t> extents_;
  std::vector<bool> periodic_;
  std::vector<grid> grid_;  // one; a grid has no default state
  ghosts widths_, fill_;
  std::size_t element_bytes_ = 1;
  std::vector<field_base> field_;  // one, or none where the memory is the test's own
  std::vector<std::byte> memory_;
  std::byte* bytes_ = nullptr;  // all bytes of the array
  std::size_t byte_count_ = 0;
  array_layout layout_;
  std::vector<std::byte> before_;  // the array's bytes after refill()
};

inline std::size_t sz(int i) { return static_cast<std::size_t>(i); }

inline std::uint64_t scrambled(std::uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline void for_each_cell(const box& cells, const std::function<void(const place&)>& visit) {
  if (cells.is_empty()) return;
  place c = cells.lower;
  for (;;) {
    visit(c);
    int d = cells.dimensions - 1;
    while (d >= 0 && c[sz(d)] + 1 == cells.upper[sz(d)]) c[sz(d)] = cells.lower[sz(d)], --d;
    if (d < 0) return;
    ++c[sz(d)];
  }
}

/// `count` boxes that cover `whole`: cut at random, the rest empty where nothing is left to cut.
inline void cut_at_random(dice& d, const box& whole, int count, std::vector<box>& tiles) {
  std::vector<int> cuttable;
  for (int e = 0; e < whole.dimensions; ++e)
    if (whole.extent(e) > 1) cuttable.push_back(e);
  if (count == 1 || cuttable.empty()) {
    tiles.push_back(whole);
    tiles.insert(tiles.end(), sz(count - 1), box{});
    return;
  }
  const int e = cuttable[sz(d.roll(0, static_cast<int>(cuttable.size()) - 1))];
  box first = whole, second = whole;
  first.upper[sz(e)] = second.lower[sz(e)] = whole.lower[sz(e)] + d.roll(1, static_cast<int>(whole.extent(e)) - 1);
  const int in_first = d.roll(1, count - 1);
  cut_at_random(d, first, in_first, tiles);
  cut_at_random(d, second, count - in_first, tiles);
}

/// Sizes of `tiles` tiles that make up `extent`, none empty.
inline std::vector<index_t> widths_at_random(dice& d, index_t extent, int tiles) {
  std::vector<index_t> widths(sz(tiles), 1);
  for (index_t left = extent - tiles; left > 0; --left) ++widths[sz(d.roll(0, tiles - 1))];
  return widths;
}

inline random_part::random_part(dice& d, const team& members, int number) : number_(number) {
  choose_grid(d, members);
  choose_widths(d, members);
  choose_memory(d);
}

inline void random_part::choose_grid(dice& d, const team& members) {
  constexpr std::array<int, max_dimensions> longest{60, 16, 9, 6};
  dimensions_ = d.roll(1, max_dimensions);
  for (int e = 0; e < dimensions_; ++e) {
    extents_.push_back(d.roll(d.flip(5) ? 1 : 3, longest[sz(dimensions_ - 1)]));
    periodic_.push_back(d.flip());
  }
  if (d.flip(3)) {
    box all{dimensions_, {}, {}};
    std::copy(extents_.begin(), extents_.end(), all.upper.begin());
    std::vector<box> tiles;
    cut_at_random(d, all, members.size(), tiles);
    d.shuffle(tiles);
    grid_.push_back(grid::from_tiles(members, extents_, tiles[sz(members.rank())], periodic_));
    return;
  }
  grid_options options{
      .periodic = periodic_, .placement = d.flip() ? placement::node_tiles : placement::rank_order, .allow_idle = true};
  if (d.flip()) {  // uneven cuts along one dimension
    const int e = d.roll(0, dimensions_ - 1);
    const int most = std::min(members.size(), static_cast<int>(extents_[sz(e)]));
    options.tile_extents.resize(sz(dimensions_));
    options.tile_extents[sz(e)] = widths_at_random(d, extents_[sz(e)], d.roll(1, most));
  }
  grid_.emplace_back(members, extents_, options);
}

/// Per dimension the widest layer that every tile can give, from the tiles of all ranks.
inline std::vector<int> widest_layers(const grid& g) {
  const int dimensions = g.dimensions();
  std::vector<index_t> narrowest(sz(dimensions)), result(sz(dimensions));
  for (int e = 0; e < dimensions; ++e) narrowest[sz(e)] = g.own().is_empty() ? g.extents()[sz(e)] : g.own().extent(e);
  MPI_Allreduce(narrowest.data(), result.data(), dimensions, MPI_INT64_T, MPI_MIN, g.team().comm());
  return {result.begin(), result.end()};
}

inline void random_part::choose_widths(dice& d, const team&) {
  const std::vector<int> widest = widest_layers(grid_.front());
  for (int e = 0; e < dimensions_; ++e) {
    const int most = std::min(3, widest[sz(e)]);
    const auto one = [&] { return d.flip(4) ? 0 : d.roll(0, most); };
    const int low = one(), high = one();
    fill_.set(e, low, high);
    widths_.set(e, low + d.roll(0, 1), high + d.roll(0, 1));
  }
}

inline void random_part::choose_memory(dice& d) {
  element_bytes_ = sz(d.roll(1, 16));
  std::vector<int> order;
  for (int e = 0; e < dimensions_; ++e) order.push_back(e);
  d.shuffle(order);
  const bool is_field = d.flip();
  std::array<int, max_dimensions> padding{}, direction{1, 1, 1, 1};
  for (int e = 0; e < dimensions_; ++e) padding[sz(e)] = d.roll(0, 3), direction[sz(e)] = d.flip(6) ? -1 : 1;
  if (is_field) {
    field_.emplace_back(grid_.front(), element_bytes_, field_options{.ghosts = widths_, .memory_order = order});
    layout_ = field_.front().layout();
    bytes_ = static_cast<std::byte*>(layout_.data);
    byte_count_ = element_bytes_;
    for (int e = 0; e < dimensions_; ++e) byte_count_ *= static_cast<std::size_t>(layout_.extents[sz(e)]);
    return;
  }
  layout_.element_bytes = element_bytes_;
  if (grid_.front().own().is_empty()) return;
  index_t stride = static_cast<index_t>(element_bytes_), first = 0;
  for (auto e = order.rbegin(); e != order.rend(); ++e) {
    const index_t extent = grid_.front().own().extent(*e) + widths_.low(*e) + widths_.high(*e);
    stride += padding[sz(*e)];  // bytes: not even a multiple of the element
    layout_.extents[sz(*e)] = extent;
    layout_.strides_bytes[sz(*e)] = direction[sz(*e)] * stride;
    if (direction[sz(*e)] < 0) first += (extent - 1) * stride;
    stride *= extent;
  }
  memory_.resize(static_cast<std::size_t>(stride));
  bytes_ = memory_.data();
  byte_count_ = memory_.size();
  layout_.data = bytes_ + first;
}

inline halo_part random_part::part() const {
  if (!field_.empty()) return {field_.front(), fill_};
  return {grid_.front(), layout_, widths_, fill_};
}

inline std::size_t random_part::offset_of(const place& cell) const {
  index_t offset = static_cast<std::byte*>(layout_.data) - bytes_;
  for (int e = 0; e < dimensions_; ++e)
    offset += (cell[sz(e)] - grid_.front().own().lower[sz(e)] + widths_.low(e)) * layout_.strides_bytes[sz(e)];
  return static_cast<std::size_t>(offset);
}

inline void random_part::write_value(std::byte* to, const place& cell) const {
  std::uint64_t id = static_cast<std::uint64_t>(number_ * 1000 + epoch_);
  for (int e = 0; e < dimensions_; ++e) id = scrambled(id ^ static_cast<std::uint64_t>(cell[sz(e)]));
  for (std::size_t b = 0; b < element_bytes_; ++b) to[b] = static_cast<std::byte>(scrambled(id + b));
}

inline void random_part::refill(int epoch) {
  epoch_ = epoch;
  for (std::size_t b = 0; b < byte_count_; ++b)
    bytes_[b] = static_cast<std::byte>(scrambled(b) + static_cast<std::uint64_t>(epoch));
  for_each_cell(grid_.front().own(), [&](const place& c) { write_value(bytes_ + offset_of(c), c); });
  before_.assign(bytes_, bytes_ + byte_count_);
}

/// Whether a ghost cell is to be filled, and from which cell of the grid.
inline bool random_part::is_filled(const place& cell, stencil shape, place& source) const {
  const box& own = grid_.front().own();
  int outside = 0;
  for (int e = 0; e < dimensions_; ++e) {
    const index_t below = own.lower[sz(e)] - cell[sz(e)], above = cell[sz(e)] - own.upper[sz(e)] + 1;
    if (below > fill_.low(e) || above > fill_.high(e)) return false;
    if (below > 0 || above > 0) ++outside;
    const index_t n = extents_[sz(e)];
    if (!periodic_[sz(e)] && (cell[sz(e)] < 0 || cell[sz(e)] >= n)) return false;
    source[sz(e)] = (cell[sz(e)] + n) % n;
  }
  return outside > 0 && (shape == stencil::box || outside == 1);
}

inline bool random_part::is_as_expected(stencil shape, std::string& difference) const {
  if (byte_count_ == 0) return true;
  std::vector<std::byte> expected = before_;
  box array = grid_.front().own();
  for (int e = 0; e < dimensions_; ++e) array.lower[sz(e)] -= widths_.low(e), array.upper[sz(e)] += widths_.high(e);
  std::string where;
  for_each_cell(array, [&](const place& c) {
    place source{};
    const std::size_t at = offset_of(c);
    const bool must_fill = is_filled(c, shape, source);
    if (must_fill) write_value(&expected[at], source);
    if (!where.empty() || std::memcmp(&expected[at], bytes_ + at, element_bytes_) == 0) return;
    where = must_fill ? "ghost cell not as its owner has it:" : "cell was changed that must not be:";
    for (int e = 0; e < dimensions_; ++e) where += " " + std::to_string(c[sz(e)]);
  });
  difference = where.empty() ? "padding was changed" : where;
  return std::memcmp(expected.data(), bytes_, byte_count_) == 0;
}

inline std::string random_part::describe() const {
  std::string all = grid_.front().describe() + "  own ";
  const box& own = grid_.front().own();
  for (int e = 0; e < dimensions_; ++e)
    all += "[" + std::to_string(own.lower[sz(e)]) + "," + std::to_string(own.upper[sz(e)]) + ") fills (" +
           std::to_string(fill_.low(e)) + "," + std::to_string(fill_.high(e)) + ") ";
  return all + (field_.empty() ? "own memory\n" : "field\n");
}

}  // namespace nearfar::test
