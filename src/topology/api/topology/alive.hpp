// SPDX-License-Identifier: BSD-3-Clause
// Checked first in every call of a plan: does the plan exist, and is MPI initialised and not finalised?
#pragma once

#include <atomic>
#include <memory>

namespace nearfar {

/// MPI_Finalize has begun: set by an attribute of MPI_COMM_SELF, which MPI_Finalize deletes first. Other such callbacks
/// may still use MPI then, so who reads true asks MPI_Finalized.
extern std::atomic<bool> is_mpi_ending;

/// Sets the attribute, once. After MPI_Init.
void watch_for_the_end();

/// Throws usage_error where there is no plan (`what`: "halo plan") or MPI is finalized; else returns.
void require_alive(bool has_plan, const char* what);

/// For calls that need no plan. One branch. @throws usage_error  MPI is finalized
inline void require_running_mpi() {
  if (is_mpi_ending.load(std::memory_order_relaxed)) require_alive(true, "");
}

/// The plan behind an object of the interface. One branch. @throws usage_error  it was moved from or given up, or MPI
/// is finalized
template <class State>
State& alive(const std::unique_ptr<State>& state, const char* what) {
  const int is_dead = int{state == nullptr} | int{is_mpi_ending.load(std::memory_order_relaxed)};
  if (is_dead != 0) require_alive(state != nullptr, what);
  return *state;
}

}  // namespace nearfar
