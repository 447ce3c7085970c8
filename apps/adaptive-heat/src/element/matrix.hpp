// SPDX-License-Identifier: BSD-3-Clause
// A small matrix whose size is known at run time only.
#pragma once

#include <cstddef>
#include <vector>

namespace adaptive_heat {

template <class T>
class dense_matrix {
 public:
  dense_matrix() = default;
  dense_matrix(int rows, int columns)
      : columns_(columns), values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

  int columns() const noexcept { return columns_; }
  int rows() const noexcept { return columns_ == 0 ? 0 : static_cast<int>(values_.size()) / columns_; }
  /// The values of a row, next to each other; rows follow each other.
  template <class Index>
  const T* operator[](Index row) const noexcept {
    return values_.data() + static_cast<std::ptrdiff_t>(row) * columns_;
  }
  template <class Index>
  T* operator[](Index row) noexcept {
    return values_.data() + static_cast<std::ptrdiff_t>(row) * columns_;
  }

 private:
  int columns_ = 0;
  std::vector<T> values_;
};

}  // namespace adaptive_heat
