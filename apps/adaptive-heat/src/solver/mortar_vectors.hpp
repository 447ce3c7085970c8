// SPDX-License-Identifier: BSD-3-Clause
// The vectors of mortar points that a rank computes with, in memory that near ranks read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nearfar/team.hpp>
#include <vector>

namespace adaptive_heat {

struct vector_sizes {
  std::int64_t points, size, largest;   ///< values that belong to points, all values, and the most of any rank
  std::int64_t behind, largest_behind;  ///< zeros behind vectors that elements give to, and the most of any rank
};

class mortar_vectors {
 public:
  explicit mortar_vectors(const nearfar::team& members) : team_(members) {}

  /// Values of all vectors that belong to no point are zero. Memory is kept where it suffices on all ranks. Collective.
  void renew(const vector_sizes& sizes);
  void clear(double* vector) const noexcept;
  void divide_by_weights(double* vector, std::int64_t first, std::int64_t last) const noexcept;
  std::int64_t size() const noexcept { return size_; }

  // Two pieces of memory have two names, for what they hold before the iterations and in them.
  double* residual = nullptr;
  double* preconditioned = nullptr;  ///< M times the residual, where the residual was
  double* average = nullptr;         ///< first guess: weighted averages of the elements' values
  double* product = nullptr;         ///< of the matrix and M times the residual, where the averages were
  double* direction = nullptr;
  double* image = nullptr;             ///< of the matrix and the direction
  double* solution = nullptr;          ///< with the first guess
  double* inverse_diagonal = nullptr;  ///< of the assembled matrix
  std::vector<std::uint8_t> weights;   ///< of the averages, in sixths: sums over the elements at a point, 1 to 48

 private:
  nearfar::team team_;
  std::shared_ptr<void> memory_;
  std::int64_t size_ = 0, capacity_ = 0;
};

}  // namespace adaptive_heat
