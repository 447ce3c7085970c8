// SPDX-License-Identifier: BSD-3-Clause
// Sums over all copies of a shared point in one round of messages: every rank sends its part to all that have a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <mortar/layout.hpp>
#include <nearfar/irregular_plan.hpp>
#include <optional>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Sums are made by ascending rank everywhere, so that all copies have the same bits. A point of k ranks costs k (k -
/// 1) values that travel, where sums by the owner take 2 (k - 1) in two rounds. @source direct stiffness summation as
/// in gslib
class copy_sums {
 public:
  explicit copy_sums(const nearfar::team& members) : team_(members) {}
  void renew(const mortar_layout& layout);  ///< collective
  void start(double* vector);  ///< of shared points and ghosts; until finish() they must not change. Collective
  void finish();
  void sum(double* a, double* b);  ///< both at once. Collective
  const nearfar::irregular_plan& plan() const noexcept { return *plan_; }

 private:
  /// Points of two ranks: `count` values that arrive next to each other, for copies that lie next to each other.
  struct run {
    std::int32_t copy, from, count;
  };
  /// A point of more ranks: where the values of its others begin in `arrivals_`, and how many there are of lower and of
  /// higher ranks.
  struct overlap {
    std::int32_t copy, first, lower, higher;
  };
  std::vector<std::int64_t> references() const;
  std::int64_t first_copy() const;  ///< number of this rank's first copy
  void arrange();
  void add_to_runs(std::int32_t copy, std::int32_t from);
  std::span<double> leaving(const double* vector, double* to) const;
  void add_arrived(const double* values, double* vector) const;
  void reserve_space();
  double* buffer() noexcept { return own_memory_.empty() ? static_cast<double*>(memory_.get()) : own_memory_.data(); }

  nearfar::team team_;
  const mortar_layout* layout_ = nullptr;
  std::vector<run> runs_;
  std::vector<overlap> overlaps_;
  std::vector<std::int32_t> arrivals_;  ///< where values of overlaps arrive
  std::shared_ptr<void> memory_;        ///< copies, then what arrives: in near memory
  std::vector<double> own_memory_;      ///< the same where that does not suffice
  std::vector<std::int64_t>
      foreseen_;  ///< copies that each rank may have before all take more memory: the same on all ranks
  std::int64_t capacity_ = 0;
  std::optional<nearfar::irregular_plan> plan_;
  double* vector_ = nullptr;
};

}  // namespace adaptive_heat
