// SPDX-License-Identifier: BSD-3-Clause
// Random patterns that every rank draws alike, and a serial oracle of what they must do.
#pragma once

#include <algorithm>
#include <cstring>
#include <exchange/pattern.hpp>
#include <numeric>
#include <random>
#include <vector>

namespace nearfar::exchange::test {

/// A movement of the whole team: one region of one rank's buffer to one of another's.
struct movement {
  int from, to;
  strided_box source, target;
};

/// Buffers of all ranks as bytes.
using memory = std::vector<std::vector<std::byte>>;

class random_pattern {
 public:
  random_pattern(unsigned seed, int ranks) : ranks_(ranks), random_(seed) {
    element_bytes_ = std::vector<index_t>{1, 2, 3, 4, 8, 12, 16}[as_size(draw(0, 6))];
    next_target_.assign(as_size(ranks), 0);
    const index_t count = draw(0, 3 * ranks);
    for (index_t i = 0; i < count; ++i) movements_.push_back(draw_movement());
    index_t most = 4096;
    for (const auto& m : movements_) most = std::max({most, reach(m.source), reach(m.target)});
    bytes_ = most + 64;
  }

  index_t buffer_bytes() const { return bytes_; }

  pattern of_rank(int rank, std::byte* source, std::byte* target) const {
    pattern p;
    p.buffers = {{source, bytes_}, {target, bytes_}};
    for (const auto& m : movements_) {
      if (m.from == rank) p.sends.push_back({m.to, 0, m.source});
      if (m.to == rank) p.receives.push_back({m.from, 1, m.target});
    }
    return p;
  }

  /// What the target of `rank` must hold after one exchange.
  std::vector<std::byte> expected(int rank, const memory& sources, std::vector<std::byte> target) const {
    for (int from = 0; from < ranks_; ++from)
      for (const auto& m : movements_) {
        if (m.to != rank || m.from != from) continue;
        const auto source = places(m.source), goal = places(m.target);
        for (std::size_t k = 0; k < source.size(); ++k)
          std::memcpy(&target[as_size(goal[k])], &sources[as_size(from)][as_size(source[k])], as_size(element_bytes_));
      }
    return target;
  }

  /// Contents that depend on rank, place and round.
  std::vector<std::byte> contents(int rank, int round) const {
    std::vector<std::byte> bytes(as_size(bytes_));
    std::mt19937 generator(static_cast<unsigned>(rank * 7919 + round));
    for (auto& b : bytes) b = static_cast<std::byte>(generator());
    return bytes;
  }

 private:
  index_t draw(index_t low, index_t high) { return std::uniform_int_distribution<index_t>(low, high)(random_); }

  movement draw_movement() {
    movement m;
    m.from = static_cast<int>(draw(0, ranks_ - 1));
    m.to = static_cast<int>(draw(0, ranks_ - 1));
    std::vector<index_t> extents(as_size(draw(1, 4)));
    for (auto& e : extents) e = draw(0, 19) == 0 ? 0 : draw(1, draw(0, 3) == 0 ? 40 : 5);
    index_t elements = 1;
    for (const index_t e : extents) elements *= e;
    m.source = draw_box(extents, draw(0, 20) * element_bytes_);
    index_t& at = next_target_[as_size(m.to)];  // targets must not overlap
    m.target = draw_box(draw(0, 3) == 0 ? std::vector<index_t>{elements} : extents, at);
    at = std::max(at, (reach(m.target) + element_bytes_ - 1) / element_bytes_ * element_bytes_);
    return m;
  }

  strided_box draw_box(const std::vector<index_t>& extents, index_t offset) {
    strided_box b{offset, element_bytes_, extents, std::vector<index_t>(extents.size())};
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    index_t step = element_bytes_;
    for (const std::size_t d : order) {
      step += draw(0, 2) == 0 ? draw(0, 3) * element_bytes_ : 0;
      b.strides_bytes[d] = step;
      step *= std::max<index_t>(extents[d], 1);
    }
    return b;
  }

  std::vector<index_t> places(const strided_box& b) const {
    std::vector<index_t> list;
    for (index_t k = 0; k < b.elements(); ++k) {
      index_t rest = k, at = b.offset_bytes;
      for (std::size_t d = b.extents.size(); d-- > 0;) {
        at += rest % b.extents[d] * b.strides_bytes[d];
        rest /= b.extents[d];
      }
      list.push_back(at);
    }
    return list;
  }

  index_t reach(const strided_box& b) const {
    index_t most = 0;
    for (const index_t p : places(b)) most = std::max(most, p + element_bytes_);
    return most;
  }

  int ranks_;
  index_t element_bytes_ = 1, bytes_ = 0;
  std::mt19937 random_;
  std::vector<index_t> next_target_;
  std::vector<movement> movements_;
};

}  // namespace nearfar::exchange::test
