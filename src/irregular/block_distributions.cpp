// SPDX-License-Identifier: BSD-3-Clause
// Owner, offset and global index of the computed distributions.
#include "block_distributions.hpp"

#include <algorithm>

namespace nearfar::irregular {

namespace {

struct block : distribution_state {
  block(const team& t, index_t n) : distribution_state(t, n), cut{n, t.size()} { owned = cut.size(t.rank()); }
  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const override {
    int r = 0;
    index_t first = 0, end = cut.size(0);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const index_t g = indices[i];
      if (g < first || g >= end) {  // neighbours in the list are often neighbours in the array
        r = cut.owner(g);
        first = cut.first(r);
        end = first + cut.size(r);
      }
      owners[i] = r;
      offsets[i] = g - first;
    }
  }
  void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const override {
    const index_t first = cut.first(rank);
    for (std::size_t i = 0; i < offsets.size(); ++i) indices[i] = first + offsets[i];
  }
  std::optional<index_t> first_of_range() const noexcept override { return cut.first(members.rank()); }
  std::string name() const override { return "block"; }
  even_blocks cut;
};

struct block_sizes : distribution_state {
  block_sizes(const team& t, index_t own, std::vector<index_t> all)
      : distribution_state(t, all.back()), firsts(std::move(all)) {
    owned = own;
  }
  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const override {
    int r = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const index_t g = indices[i];
      if (g < firsts[as_size(r)] || g >= firsts[as_size(r) + 1])
        r = static_cast<int>(std::upper_bound(firsts.begin(), firsts.end(), g) - firsts.begin()) - 1;
      owners[i] = r;
      offsets[i] = g - firsts[as_size(r)];
    }
  }
  void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const override {
    for (std::size_t i = 0; i < offsets.size(); ++i) indices[i] = firsts[as_size(rank)] + offsets[i];
  }
  std::optional<index_t> first_of_range() const noexcept override { return firsts[as_size(members.rank())]; }
  std::string name() const override { return "block sizes"; }
  std::vector<index_t> firsts;  ///< one more than ranks
};

/// Blocks of `length` elements dealt out in turn; length 1 is cyclic.
struct dealt : distribution_state {
  dealt(const team& t, index_t n, index_t b, const char* what) : distribution_state(t, n), length(b), words(what) {
    const index_t round = length * t.size(), rest = n % round;
    owned = n / round * length + std::clamp<index_t>(rest - t.rank() * length, 0, length);
  }
  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const override {
    const index_t ranks = members.size();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const index_t b = indices[i] / length;
      owners[i] = static_cast<int>(b % ranks);
      offsets[i] = b / ranks * length + indices[i] % length;
    }
  }
  void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const override {
    for (std::size_t i = 0; i < offsets.size(); ++i)
      indices[i] = (offsets[i] / length * members.size() + rank) * length + offsets[i] % length;
  }
  std::string name() const override { return words; }
  index_t length;
  const char* words;
};

struct two_block : distribution_state {
  two_block(const team& t, index_t n, index_t split, bool reversed)
      : distribution_state(t, n), low{split, t.size()}, high{n - split, t.size()}, is_reversed(reversed) {
    owned = low.size(t.rank()) + high.size(turned(t.rank()));
  }
  int turned(int r) const noexcept { return is_reversed ? members.size() - 1 - r : r; }
  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const override {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const index_t g = indices[i], above = g - low.elements;
      const int r = above < 0 ? low.owner(g) : turned(high.owner(above));
      owners[i] = r;
      offsets[i] = above < 0 ? g - low.first(r) : low.size(r) + above - high.first(turned(r));
    }
  }
  void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const override {
    const index_t below = low.size(rank);
    for (std::size_t i = 0; i < offsets.size(); ++i)
      indices[i] = offsets[i] < below ? low.first(rank) + offsets[i]
                                      : low.elements + high.first(turned(rank)) + offsets[i] - below;
  }
  std::string name() const override { return is_reversed ? "reversed two-block" : "two-block"; }
  even_blocks low, high;
  bool is_reversed;
};

}  // namespace

std::shared_ptr<const distribution_state> make_block(const team& t, index_t elements) {
  return std::make_shared<block>(t, elements);
}
std::shared_ptr<const distribution_state> make_block_sizes(const team& t, index_t own, std::vector<index_t> firsts) {
  return std::make_shared<block_sizes>(t, own, std::move(firsts));
}
std::shared_ptr<const distribution_state> make_dealt(const team& t, index_t elements, index_t length,
                                                     const char* name) {
  return std::make_shared<dealt>(t, elements, length, name);
}
std::shared_ptr<const distribution_state> make_two_block(const team& t, index_t elements, index_t first,
                                                         bool is_reversed) {
  return std::make_shared<two_block>(t, elements, first, is_reversed);
}

}  // namespace nearfar::irregular
