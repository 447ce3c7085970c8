// SPDX-License-Identifier: BSD-3-Clause
// The state of a plan and of its operation in flight.
#pragma once

#include <near/arena.hpp>
#include <optional>
#include <topology/plan_identity.hpp>

#include "executor.hpp"
#include "gpu_arrays.hpp"
#include "raced_array.hpp"
#include "selection.hpp"

namespace nearfar {

struct irregular_plan_state {
  irregular_plan_state(const distribution& d, std::span<const index_t> indices, irregular_options o,
                       const std::source_location& where);
  ~irregular_plan_state();
  irregular_plan_state(const irregular_plan_state&) = delete;
  irregular_plan_state& operator=(const irregular_plan_state&) = delete;

  void update(const distribution& d, std::span<const index_t> indices);

  /// Of at most max_arrays arrays, all in memory of the host.
  void start_on_host(const irregular_call& call);
  /// Of any number, and wherever they are.
  void start_looked_at(const irregular_call& call);
  void start_gather_there(std::span<const irregular_item> items);  ///< all arrays in GPU memory
  void start_gather_ghosts(std::span<const irregular_array> x);
  void start_scatter_ghosts(std::span<const irregular_array> x, const nearfar::detail::combiner& how);
  void start_gather(std::span<const irregular_item> items);
  void start_scatter(std::span<const irregular_item> items, const nearfar::detail::combiner& how);
  void start_assemble_ghosts(std::span<const irregular_array> x, const nearfar::detail::combiner& how);
  void start_assemble(std::span<const irregular_array> values, const nearfar::detail::combiner& how);
  bool test();
  void finish();

  std::string describe() const;
  tune::selection selected() const;  ///< with the method in use by now
  index_t elements_here() const noexcept { return lists.map.total(); }
  /// Near memory of the plan's own, of at least so many bytes; local. What was there is lost.
  std::byte* scratch(index_t bytes);

  plan_identity identity;
  irregular_options options;
  distribution where;
  irregular::notification_lease notifications;
  irregular::plan_lists lists;
  irregular::executor moves;
  irregular::selection chosen;
  std::string method;
  bool is_in_flight = false, is_broken = false;
  /// Calls with more arrays are looked at: those of a plan that was made in a process with a driver of CUDA all are.
  std::size_t most_host_arrays;

 private:
  irregular::plan_lists inspect(const distribution& d, std::span<const index_t> indices,
                                const std::function<void()>& check);
  std::string relayed() const;  ///< for describe()
  void select(bool is_new);
  void launch(irregular::movement_kind kind, std::span<const irregular::moved_array> arrays,
              const nearfar::detail::combiner* how, std::span<const irregular::own_turn> own = {},
              bool is_rewritten = false);
  void require_idle(const char* call) const;
  void finish_movement();
  bool follow_up();  ///< true if another movement was started
  template <class Step>
  void guarded(Step step);

  bool decided_near_ = false, decided_far_ = false;
  std::optional<irregular::raced_array> raced_;  ///< while methods are raced
  near::block scratch_;
  index_t scratch_bytes_ = 0;
  nearfar::detail::combiner how_;                                 ///< of what is in flight
  std::array<irregular_item, irregular_plan::max_arrays> picks_;  ///< of a full gather: to be copied to the references
  std::array<std::byte*, irregular_plan::max_arrays> pick_ghosts_{};
  std::size_t pick_count_ = 0;
  enum class second { none, bring_up, gather_ghosts, gather };      ///< the first two move nothing between ranks
  second then_ = second::none;                                      ///< of an assembly: what follows the scatter
  second last_ = second::none;                                      ///< after all movements: of arrays in GPU memory
  std::array<irregular_item, irregular_plan::max_arrays> follows_;  ///< its arrays
  std::size_t follow_count_ = 0;
  std::unique_ptr<irregular::gpu_arrays> on_gpu_;  ///< once there were such
};

}  // namespace nearfar
