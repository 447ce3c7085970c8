// SPDX-License-Identifier: BSD-3-Clause
// The state of a plan, and the choice of its methods.
#pragma once

#include <collective/algorithm.hpp>
#include <collective/call.hpp>
#include <memory>
#include <nearfar/collective_plan.hpp>
#include <string>
#include <topology/plan_identity.hpp>
#include <tune/ranking.hpp>
#include <tune/selection.hpp>
#include <vector>

#include "../normal.hpp"
#include "operation.hpp"
#include "team_engine.hpp"

namespace nearfar {

struct plan_state {
  plan_state(const team& members, const collective_call& c, plan_options options, const std::source_location& where);
  ~plan_state();
  plan_state(const plan_state&) = delete;
  plan_state& operator=(const plan_state&) = delete;

  void run_blocking();
  void wait(collective::operation& started);
  void settle() noexcept;

  team members;
  plan_options options;
  plan_identity identity;
  collective::call what;
  std::vector<int> lists[4];             ///< copies of the caller's, as far as they fit an int
  std::vector<MPI_Count> wide_lists[4];  ///< and where they do not
  std::vector<MPI_Datatype> types[2];
  bool fits = true;  ///< all numbers of all ranks fit an int
  collective::team_engine* engine = nullptr;

  collective::setting around;  ///< of this call, where there is an engine
  std::unique_ptr<collective::operation> slots, buffers, by_mpi;
  const collective::algorithm* runner = nullptr;   ///< run(): an algorithm of the engine,
  collective::operation* run_operation = nullptr;  ///< else start and finish of this,
  bool runs_by_engine = false;                     ///< else the engine's own choice, else MPI
  collective::operation* starter = nullptr;        ///< start(); null: the call is carried out at once
  near::stores run_stores{}, start_stores{};       ///< of these operations
  std::string run_name = "mpi", start_name = "mpi";
  tune::selection why;  ///< of the first choice
  double seconds = 0;
  std::unique_ptr<tune::ranking> races;  ///< null: the choice stays
  bool is_understood = false;            ///< by the engine
  std::int64_t runs_to_race = 0;         ///< run() calls before the next one

  collective::job job;
  collective::job_memory memory;
  near::wait_policy policy;
  std::function<std::string()> whom;
  collective::operation* awaited = nullptr;
  bool is_in_flight = false, is_broken = false;
};

namespace collective {

/// Makes the operations and decides, by pin, wisdom, race or table. Collective over the team. @throws usage_error on
/// every rank
void choose_methods(plan_state& p);

/// Before a run(): another race where one is due, since machines change while programs run. Collective over the team.
void race_if_due(plan_state& p);

/// One call by an algorithm of the engine; what it declines goes to MPI.
void run_algorithm(plan_state& p, const algorithm& a);
void run_plainly(plan_state& p);

}  // namespace collective
}  // namespace nearfar
