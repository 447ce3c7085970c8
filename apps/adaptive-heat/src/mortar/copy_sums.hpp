// SPDX-License-Identifier: BSD-3-Clause
// Sums over all copies of a shared point in one round of messages: every rank sends its part to all that have a copy.
#pragma once

#include <base/mpi_check.hpp>
#include <cstdint>
#include <memory>
#include <mortar/layout.hpp>
#include <nearfar/gather_plan.hpp>
#include <optional>
#include <span>
#include <vector>

namespace adaptive_heat {

/// Who else has a copy of each point that a rank shares. Copies of a rank lie in the order of its mortar vectors: own shared points,
/// then ghosts. Copies of all ranks are numbered by rank, then in that order.
struct sharer_lists {
  std::vector<std::size_t> first;    ///< per copy where its others begin in `others`, and the end
  std::vector<std::int64_t> others;  ///< by copy, then by ascending rank
  std::int64_t first_copy = 0;       ///< number of this rank's first copy
  std::size_t copies() const noexcept { return first.size() - 1; }
};
/// Collective; `comm` has the ranks of the team and nobody else's messages. @cost a letter to, and one from, each rank that owns ghosts of this one
sharer_lists find_sharers(const nearfar::team& members, MPI_Comm comm, const mortar_layout& layout,
                          const nearfar::distribution& all_copies);

/// Sums are made by ascending rank everywhere, so that all copies have the same bits. A point of k ranks costs k (k - 1) values that
/// travel, where sums by the owner take 2 (k - 1) in two rounds. @source direct stiffness summation as in gslib
class copy_sums {
 public:
  explicit copy_sums(const nearfar::team& members) : team_(members), comm_(members) {}
  void renew(const mortar_layout& layout);  ///< collective
  void start(double* vector);  ///< of shared points and ghosts; until finish() they must not change. Collective
  void finish();
  const nearfar::gather_plan& plan() const noexcept { return *plan_; }

 private:
  /// Points of two ranks: `count` values that arrive next to each other, for copies that lie next to each other.
  struct run {
    std::int32_t copy, from, count;
  };
  /// A point of more ranks: where the values of its others begin in `arrivals_`, and how many there are of lower and of higher ranks.
  struct meeting {
    std::int32_t copy, first, lower, higher;
  };
  void arrange(const sharer_lists& lists);
  void make_room();

  nearfar::team team_;
  own_comm comm_;
  const mortar_layout* layout_ = nullptr;
  std::vector<run> runs_;
  std::vector<meeting> meetings_;
  std::vector<std::int32_t> arrivals_;  ///< where values of meetings arrive
  std::shared_ptr<void> memory_;        ///< copies, then what arrives: in near memory
  std::int64_t room_ = 0;
  std::optional<nearfar::gather_plan> plan_;
  std::optional<nearfar::gather_token> pending_;
  double* vector_ = nullptr;
};

}  // namespace adaptive_heat
