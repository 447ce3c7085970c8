// SPDX-License-Identifier: BSD-3-Clause
// A run's state on disk, from which any number of ranks can go on.
#pragma once

#include <base/problem.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <output/shared_file.hpp>
#include <solver/simulation.hpp>
#include <string>

namespace adaptive_heat {

/// Writes problem, step, time, leaves and temperatures; what had the name is replaced when the new one is whole and on the disk. Collective.
/// @throws nearfar::io_error  on every rank; what had the name before is still there
/// @cost   8 bytes of the disk per point, with order 4 1 kB per element
void write_checkpoint(const nearfar::team& members, const std::string& path, const problem& what, const run_state& now,
                      const heat_solver& solver);

/// A checkpoint that is to be gone on from. Collective calls, all of them.
class checkpoint {
 public:
  /// @throws nearfar::io_error  on every rank: no such file, foreign, truncated, anything but leaves and values damaged
  checkpoint(const nearfar::team& members, const std::string& path);

  const problem& what() const noexcept { return problem_; }
  const run_state& state() const noexcept { return state_; }
  /// @throws nearfar::usage_error  on every rank if the solver's elements are of another order than the file's
  /// @throws nearfar::io_error  on every rank if leaves are not those of this mesh or values have been damaged
  void set_values(heat_solver& solver) const;

 private:
  void check_leaves(const heat_solver& solver, std::int64_t first) const;

  nearfar::team team_;
  std::string path_;
  problem problem_;
  run_state state_;
  std::optional<shared_input> file_;
};

}  // namespace adaptive_heat
