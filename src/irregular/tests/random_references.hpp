// SPDX-License-Identifier: BSD-3-Clause
// Random distributions and references that every rank draws alike, and serial oracles: out = x[index], and the orders
// of additions.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <nearfar/nearfar.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace nearfar::test {

/// Owner and offset of each element, as a program's own rule.
struct table_rule : distribution_rule {
  std::vector<int> owner;
  std::vector<index_t> offset;
  std::vector<std::vector<index_t>> owned;  ///< per rank

  table_rule(std::vector<int> owners, int ranks)
      : owner(std::move(owners)), offset(owner.size()), owned(static_cast<std::size_t>(ranks)) {
    for (std::size_t g = 0; g < owner.size(); ++g) {
      auto& list = owned[static_cast<std::size_t>(owner[g])];
      offset[g] = static_cast<index_t>(list.size());
      list.push_back(static_cast<index_t>(g));
    }
  }
  index_t elements() const override { return static_cast<index_t>(owner.size()); }
  index_t owned_by(int rank) const override {
    return static_cast<index_t>(owned[static_cast<std::size_t>(rank)].size());
  }
  void locate(std::span<const index_t> g, std::span<int> owners, std::span<index_t> offsets) const override {
    for (std::size_t i = 0; i < g.size(); ++i) {
      owners[i] = owner[static_cast<std::size_t>(g[i])];
      offsets[i] = offset[static_cast<std::size_t>(g[i])];
    }
  }
  void globals(int rank, std::span<const index_t> offsets, std::span<index_t> g) const override {
    for (std::size_t i = 0; i < g.size(); ++i)
      g[i] = owned[static_cast<std::size_t>(rank)][static_cast<std::size_t>(offsets[i])];
  }
};

struct random_references {
  index_t elements = 0;
  std::vector<int> owner;                        ///< per element
  std::vector<std::vector<index_t>> owned;       ///< per rank, by offset
  std::vector<std::vector<index_t>> references;  ///< per rank
  std::mt19937_64 random;

  index_t draw(index_t low, index_t high) { return std::uniform_int_distribution<index_t>(low, high)(random); }

  random_references(unsigned seed, const team& t) : random(seed) {
    elements = draw(0, 9) == 0 ? draw(1, 3) : draw(1, 400);
    owned.resize(static_cast<std::size_t>(t.size()));
    owner.resize(static_cast<std::size_t>(elements));
    draw_references();
  }

  /// Some ranks refer to nothing, some to a few places, some to all.
  void draw_references() {
    references.assign(owned.size(), {});
    for (auto& mine : references) {
      if (draw(0, 4) == 0) continue;
      const index_t low = draw(0, elements - 1), high = draw(0, 1) == 0 ? elements - 1 : draw(low, elements - 1);
      mine.resize(static_cast<std::size_t>(draw(0, 600)));
      for (index_t& g : mine) g = draw(low, high);
    }
  }

  /// One of all kinds of distributions; fills owner and owned with what it must be.
  distribution make_distribution(const team& t) {
    const int ranks = t.size();
    const auto even = [ranks](index_t n, index_t g) {
      index_t first = 0;
      for (int r = 0;; ++r) {
        const index_t size = n / ranks + (r < n % ranks ? 1 : 0);
        if (g < first + size) return r;
        first += size;
      }
    };
    const auto fill = [&](auto owner_of) {
      for (index_t g = 0; g < elements; ++g) {
        const int r = owner_of(g);
        owner[static_cast<std::size_t>(g)] = r;
        owned[static_cast<std::size_t>(r)].push_back(g);
      }
    };
    const index_t split = draw(0, elements), length = draw(1, 7);
    const auto mine = static_cast<std::size_t>(t.rank());
    switch (draw(0, 7)) {
      case 0:
        fill([&](index_t g) { return even(elements, g); });
        return distribution::block(t, elements);
      case 1: {
        std::vector<int> cuts(static_cast<std::size_t>(elements));
        for (int& r : cuts) r = static_cast<int>(draw(0, ranks - 1));
        std::sort(cuts.begin(), cuts.end());
        fill([&](index_t g) { return cuts[static_cast<std::size_t>(g)]; });
        if (length % 2 == 0) return distribution::block_sizes(t, static_cast<index_t>(owned[mine].size()));
        std::vector<index_t> sizes;
        for (const auto& of_rank : owned) sizes.push_back(static_cast<index_t>(of_rank.size()));
        return distribution::block_sizes(t, sizes);
      }
      case 2:
        fill([&](index_t g) { return static_cast<int>(g % ranks); });
        return distribution::cyclic(t, elements);
      case 3:
        fill([&](index_t g) { return static_cast<int>(g / length % ranks); });
        return distribution::block_cyclic(t, elements, length);
      case 4:
        fill([&](index_t g) { return g < split ? even(split, g) : even(elements - split, g - split); });
        return distribution::two_block(t, elements, split);
      case 5:
        fill([&](index_t g) { return g < split ? even(split, g) : ranks - 1 - even(elements - split, g - split); });
        return distribution::reversed_two_block(t, elements, split);
      case 6: {
        std::vector<index_t> order(static_cast<std::size_t>(elements));
        std::iota(order.begin(), order.end(), index_t{0});
        std::shuffle(order.begin(), order.end(), random);
        for (const index_t g : order) {
          const auto r = static_cast<std::size_t>(draw(0, ranks - 1));
          owner[static_cast<std::size_t>(g)] = static_cast<int>(r);
          owned[r].push_back(g);
        }
        return distribution::from_owned(t, owned[mine]);
      }
      default:
        fill([&](index_t) { return static_cast<int>(draw(0, ranks - 1)); });
        return distribution::from_rule(t, std::make_shared<table_rule>(owner, ranks));
    }
  }
};

/// A value that only depends on its arguments; of doubles and floats all bits are used.
template <class T>
T value_of(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h =
      a * 0x9e3779b97f4a7c15ULL ^ (b + 0x7f4a7c15) * 0xbf58476d1ce4e5b9ULL ^ (c + 1) * 0x94d049bb133111ebULL;
  h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ULL;
  h ^= h >> 32;
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<double>(h >> 11) * 0x1p-53 - 0.5);
  else
    return static_cast<T>(h);
}

/// x after x[g] = op over the contributions of all ranks, in the order that is asked for. values[r][k * components +
/// c].
template <class T, class Op>
std::vector<T> scattered(const random_references& c, std::vector<T> x, const std::vector<std::vector<T>>& values,
                         index_t components, scatter_order order, Op op) {
  struct partial {
    T value{};
    bool is_there = false;
  };
  const auto apply = [&](T& to, T v) { to = op(to, v); };
  std::vector<std::vector<partial>> partials(values.size(), std::vector<partial>(x.size()));
  for (std::size_t r = 0; r < values.size(); ++r)
    for (std::size_t k = 0; k < c.references[r].size(); ++k)
      for (index_t i = 0; i < components; ++i) {
        const auto g = static_cast<std::size_t>(c.references[r][k] * components + i);
        const T v = values[r][k * static_cast<std::size_t>(components) + static_cast<std::size_t>(i)];
        const bool is_own = c.owner[static_cast<std::size_t>(c.references[r][k])] == static_cast<int>(r);
        if (order == scatter_order::canonical || is_own) {
          apply(x[g], v);
        } else {
          partial& p = partials[r][g];
          if (p.is_there)
            apply(p.value, v);
          else
            p = {v, true};
        }
      }
  for (const auto& of_rank : partials)
    for (std::size_t g = 0; g < x.size(); ++g)
      if (of_rank[g].is_there) apply(x[g], of_rank[g].value);
  return x;
}

}  // namespace nearfar::test
