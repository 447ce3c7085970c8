// SPDX-License-Identifier: BSD-3-Clause
// gslib's operations on their way: one of a handle is in flight, those begun after it wait for it.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "gather_arrays.hpp"

namespace nearfar::capi {

/// One call, with its arrays as they are the caller's.
struct gs_request {
  std::vector<void*> arrays;
  int components = 1;
  nearfar_type type{};
  nearfar_scatter_op op{};
  bool is_transposed = false;
};

/// @throws usage_error  NULL, or freed with its team
gather_plan& plan_of(nearfar_gs_data* g);

/// A request between its start and its end. What goes wrong in between is kept for result().
class gs_call {
 public:
  /// Local. @throws usage_error  nothing may be wrong once ranks have begun to talk
  gs_call(nearfar_gs_data* g, gs_request r);
  ~gs_call();
  void start() noexcept;   ///< collective: what contributes leaves
  void finish() noexcept;  ///< collective; starts it where that was not done
  void
  abandon() noexcept;  ///< collective: what is in flight is finished, and nothing else will be; before the plan goes
  bool is_over() const noexcept { return state_ == state::over; }
  void result() const;  ///< @throws what went wrong

 private:
  enum class state { waiting, in_flight, over };
  class packed_values;
  template <class Step>
  void attempt(Step step) noexcept;
  void start_arrays(std::size_t first);

  nearfar_gs_data* g_;
  gs_request r_;
  gather_array sample_;
  combiner how_;
  std::unique_ptr<packed_values> packed_;  ///< where not all entries take part, or some are flagged
  std::size_t end_ = 0;                    ///< of the arrays that were started
  std::optional<gather_token> flight_;
  std::exception_ptr error_;
  state state_ = state::waiting;
};

/// Calls of one handle, in the order in which all ranks make them. A plan has one operation in flight, so that the first is and the
/// others wait. Part of nearfar_gs_data, gone before its plan is.
class gs_queue {
 public:
  ~gs_queue();
  /// Starts it where no other is in flight. Collective. @throws usage_error
  std::shared_ptr<gs_call> post(nearfar_gs_data* g, gs_request r);
  /// Finishes those before it, too, and starts the next. Collective. @throws what went wrong with it
  void complete(const gs_call& c);

 private:
  std::deque<std::shared_ptr<gs_call>> calls_;
};

}  // namespace nearfar::capi
