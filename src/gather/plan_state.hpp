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

struct gather_plan_state {
  gather_plan_state(const distribution& d, std::span<const index_t> indices, gather_options o,
                    const std::source_location& where);
  ~gather_plan_state();
  gather_plan_state(const gather_plan_state&) = delete;
  gather_plan_state& operator=(const gather_plan_state&) = delete;

  void update(const distribution& d, std::span<const index_t> indices);

  /// Of at most max_arrays arrays, all in memory of the host.
  void start_on_host(const gather_call& call);
  /// Of any number, and wherever they are.
  void start_looked_at(const gather_call& call);
  void start_gather_there(std::span<const gather_item> items);  ///< all arrays in GPU memory
  void start_gather_ghosts(std::span<const gather_array> x);
  void start_scatter_ghosts(std::span<const gather_array> x, const combiner& how);
  void start_gather(std::span<const gather_item> items);
  void start_scatter(std::span<const gather_item> items, const combiner& how);
  void start_assemble_ghosts(std::span<const gather_array> x, const combiner& how);
  void start_assemble(std::span<const gather_array> values, const combiner& how);
  bool test();
  void finish();

  std::string describe() const;
  tune::selection selected() const;  ///< with the method in use by now
  index_t elements_here() const noexcept { return lists.map.total(); }
  /// Near memory of the plan's own, of at least so many bytes; local. What was there is lost.
  std::byte* scratch(index_t bytes);

  plan_identity identity;
  gather_options options;
  distribution where;
  gathering::notification_lease notifications;
  gathering::plan_lists lists;
  gathering::executor moves;
  gathering::selection chosen;
  std::string method;
  bool is_in_flight = false, is_broken = false;
  /// Calls with more arrays are looked at: those of a plan that was made in a process with a driver of CUDA all are.
  std::size_t most_host_arrays;

 private:
  gathering::plan_lists inspect(const distribution& d, std::span<const index_t> indices,
                                const std::function<void()>& check);
  std::string relayed() const;  ///< for describe()
  void select(bool is_new);
  void launch(gathering::movement_kind kind, std::span<const gathering::moved_array> arrays, const combiner* how,
              std::span<const gathering::own_turn> own = {}, bool is_rewritten = false);
  void require_idle(const char* call) const;
  void finish_movement();
  bool follow_up();  ///< true if another movement was started
  template <class Step>
  void guarded(Step step);

  bool decided_near_ = false, decided_far_ = false;
  std::optional<gathering::raced_array> raced_;  ///< while methods are raced
  near::block scratch_;
  index_t scratch_bytes_ = 0;
  combiner how_;                                            ///< of what is in flight
  std::array<gather_item, gather_plan::max_arrays> picks_;  ///< of a full gather: to be copied to the references
  std::array<std::byte*, gather_plan::max_arrays> pick_ghosts_{};
  std::size_t pick_count_ = 0;
  enum class second { none, bring_up, gather_ghosts, gather };  ///< the first two move nothing between ranks
  second then_ = second::none;                                  ///< of an assembly: what follows the scatter
  second last_ = second::none;                                  ///< after all movements: of arrays in GPU memory
  std::array<gather_item, gather_plan::max_arrays> follows_;    ///< its arrays
  std::size_t follow_count_ = 0;
  std::unique_ptr<gathering::gpu_arrays> on_gpu_;  ///< once there were such
};

}  // namespace nearfar
