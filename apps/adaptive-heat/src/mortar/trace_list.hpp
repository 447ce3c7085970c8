// SPDX-License-Identifier: BSD-3-Clause
// Lines, or faces, of coarse elements whose other side is finer: their values are projections of mortar values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Traces have places in mortar vectors, one after the other.
class trace_list {
 public:
  struct trace {
    std::int32_t place;                    ///< of its values in mortar vectors
    std::span<const std::int32_t> points;  ///< mortar points, ends included, of a face the lower axis first
  };

  /// Forgets all; traces will have `values` values each, from place `begin` on, and `points` mortar points.
  void start(std::int64_t begin, int values, int points) {
    begin_ = static_cast<std::int32_t>(begin), values_ = values, points_ = static_cast<std::size_t>(points);
    all_.clear();
  }
  /// Room for the points of the next one, until there is another.
  std::span<std::int32_t> add() {
    all_.resize(all_.size() + points_);
    return std::span(all_).last(points_);
  }

  std::size_t size() const noexcept { return points_ == 0 ? 0 : all_.size() / points_; }
  std::int32_t place(std::size_t n) const noexcept { return begin_ + values_ * static_cast<std::int32_t>(n); }
  std::int32_t end() const noexcept { return place(size()); }  ///< one past the last place
  trace operator[](std::size_t n) const noexcept { return {place(n), points(n, 1)}; }
  trace at_place(std::int32_t place) const noexcept {
    return (*this)[static_cast<std::size_t>((place - begin_) / values_)];
  }
  /// Of `count` traces from the n-th on.
  std::span<const std::int32_t> points(std::size_t n, std::size_t count) const noexcept {
    return std::span(all_).subspan(n * points_, count * points_);
  }
  bool operator==(const trace_list&) const = default;

 private:
  std::int32_t begin_ = 0, values_ = 1;
  std::size_t points_ = 0;
  std::vector<std::int32_t> all_;
};

}  // namespace adaptive_heat
