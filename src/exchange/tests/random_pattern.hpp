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
  region source, target;
};

/// Buffers of all ranks as bytes.
using memory = std::vector<std::vector<std::byte>>;

class random_pattern {
 public:
  random_pattern(unsigned seed, int ranks, combine how) : ranks_(ranks), how_(how), random_(seed) {
    type_ = how == combine::copy ? value_type::bytes : (draw(0, 1) != 0 ? value_type::float64 : value_type::float32);
    element_bytes_ = how == combine::copy           ? std::vector<index_t>{1, 2, 3, 4, 8, 12, 16}[as_size(draw(0, 6))]
                     : type_ == value_type::float64 ? 8 * draw(1, 2)
                                                    : 4 * draw(1, 3);
    next_target_.assign(as_size(ranks), 0);
    const index_t count = draw(0, 3 * ranks);
    for (index_t i = 0; i < count; ++i) movements_.push_back(draw_movement());
    index_t most = 4096;
    for (const auto& m : movements_) most = std::max({most, reach(m.source), reach(m.target)});
    bytes_ = most + 64;
  }

  index_t buffer_bytes() const { return bytes_; }
  combine how() const { return how_; }
  value_type type() const { return type_; }

  pattern of_rank(int rank, std::byte* source, std::byte* target) const {
    pattern p;
    p.buffers = {{source, bytes_}, {target, bytes_}};
    p.how = how_;
    p.type = type_;
    for (const auto& m : movements_) {
      if (m.from == rank) p.sends.push_back({m.to, 0, m.source});
      if (m.to == rank) p.receives.push_back({m.from, 1, m.target});
    }
    return p;
  }

  /// What the target of `rank` must hold after one exchange: additions by ascending source rank, then in the order given.
  std::vector<std::byte> expected(int rank, const memory& sources, std::vector<std::byte> target) const {
    for (int from = 0; from < ranks_; ++from)
      for (const auto& m : movements_) {
        if (m.to != rank || m.from != from) continue;
        const auto source = places(m.source), goal = places(m.target);
        for (std::size_t k = 0; k < source.size(); ++k)
          move_element(&sources[as_size(from)][as_size(source[k])], &target[as_size(goal[k])]);
      }
    return target;
  }

  /// Contents that depend on rank, place and round; as values of the type when they are added.
  std::vector<std::byte> contents(int rank, int round) const {
    std::vector<std::byte> bytes(as_size(bytes_));
    std::mt19937 generator(static_cast<unsigned>(rank * 7919 + round));
    if (type_ == value_type::float64)
      fill<double>(bytes, generator);
    else if (type_ == value_type::float32)
      fill<float>(bytes, generator);
    else
      for (auto& b : bytes) b = static_cast<std::byte>(generator());
    return bytes;
  }

 private:
  index_t draw(index_t low, index_t high) { return std::uniform_int_distribution<index_t>(low, high)(random_); }

  template <class T>
  static void fill(std::vector<std::byte>& bytes, std::mt19937& generator) {
    std::uniform_real_distribution<T> values(-1, 1);
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      const T v = values(generator);
      std::memcpy(&bytes[at], &v, sizeof v);
    }
  }

  movement draw_movement() {
    movement m;
    m.from = static_cast<int>(draw(0, ranks_ - 1));
    m.to = static_cast<int>(draw(0, ranks_ - 1));
    std::vector<index_t> extents(as_size(draw(1, 4)));
    for (auto& e : extents) e = draw(0, 19) == 0 ? 0 : draw(1, draw(0, 3) == 0 ? 40 : 5);
    index_t elements = 1;
    for (const index_t e : extents) elements *= e;
    m.source = draw(0, 3) == 0 ? region(draw_list(elements, draw(0, 20) * element_bytes_, true))
                               : region(draw_box(extents, draw(0, 20) * element_bytes_));
    // Targets of copies must not overlap; those of additions may, and do.
    index_t& at = next_target_[as_size(m.to)];
    const index_t offset = how_ == combine::copy ? at : draw(0, 10) * element_bytes_;
    m.target =
        draw(0, 3) == 0 ? region(draw_list(elements, offset, how_ == combine::add)) : region(draw_box(extents, offset));
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

  index_list draw_list(index_t elements, index_t offset, bool may_repeat) {
    index_list l{offset, element_bytes_, std::vector<index_t>(as_size(elements))};
    std::iota(l.indices.begin(), l.indices.end(), index_t{0});
    std::shuffle(l.indices.begin(), l.indices.end(), random_);
    if (may_repeat)
      for (auto& i : l.indices) i = draw(0, std::max<index_t>(elements - 1, 0));
    return l;
  }

  std::vector<index_t> places(const region& r) const {
    std::vector<index_t> list;
    if (const auto* l = std::get_if<index_list>(&r)) {
      for (const index_t i : l->indices) list.push_back(l->offset_bytes + i * l->element_bytes);
      return list;
    }
    const auto& b = std::get<strided_box>(r);
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

  index_t reach(const region& r) const {
    index_t most = 0;
    for (const index_t p : places(r)) most = std::max(most, p + element_bytes_);
    return most;
  }

  void move_element(const std::byte* from, std::byte* to) const {
    if (type_ == value_type::float64)
      add<double>(from, to);
    else if (type_ == value_type::float32)
      add<float>(from, to);
    else
      std::memcpy(to, from, as_size(element_bytes_));
  }

  template <class T>
  void add(const std::byte* from, std::byte* to) const {
    for (index_t at = 0; at < element_bytes_; at += index_t{sizeof(T)}) {
      T a, b;
      std::memcpy(&a, to + at, sizeof a);
      std::memcpy(&b, from + at, sizeof b);
      a += b;
      std::memcpy(to + at, &a, sizeof a);
    }
  }

  int ranks_;
  combine how_;
  value_type type_ = value_type::bytes;
  index_t element_bytes_ = 1, bytes_ = 0;
  std::mt19937 random_;
  std::vector<index_t> next_target_;
  std::vector<movement> movements_;
};

}  // namespace nearfar::exchange::test
