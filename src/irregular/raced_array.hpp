// SPDX-License-Identifier: BSD-3-Clause
// What methods are raced on: an array that is no longer than the references need, and lists that fit it.
#pragma once

#include <near/arena.hpp>

#include "executor.hpp"
#include "selection.hpp"

namespace nearfar::irregular {

/// A rank may own far more elements than it has memory for, and the others refer to a few. So the own part of the array
/// has some elements for each that is wanted, and no more. Where that is less than ranks own, lists are *folded*:
/// elements that lie that many apart share a place, for their owner as for those who read them there.
class raced_array {
 public:
  /// Collective over the team. `of` and `moves` outlive it. @throws resource_error on every rank
  raced_array(const team& members, near::arena& memory, const plan_lists& of, index_t element_bytes, executor& moves);
  raced_array(const raced_array&) = delete;
  raced_array& operator=(const raced_array&) = delete;

  raced_moves raced();
  bool is_folded() const noexcept { return is_folded_; }  ///< the same on all ranks

 private:
  void fold();
  void gather_and_scatter(const choice& c);
  void write_own();

  const plan_lists& of_;
  executor& moves_;
  index_t element_bytes_;
  index_t most_own_ = 0;  ///< elements of the own part on any rank
  bool is_folded_ = false;
  plan_lists folded_;
  near::block memory_;
  nearfar::detail::combiner how_;

  const plan_lists& lists() const noexcept { return is_folded_ ? folded_ : of_; }
};

}  // namespace nearfar::irregular
