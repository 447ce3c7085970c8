// SPDX-License-Identifier: BSD-3-Clause
// The cores that this process may run on, by the operating system, hwloc and the launcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearfar::detail {

/// A set of the operating system's CPU numbers, 64 to a word.
using cpu_set = std::vector<std::uint64_t>;

/// CPUs that this thread is allowed to run on. Local.
cpu_set allowed_cpus();

struct cpu_counts {
  int cores = 1;            ///< physical cores that hold one of the CPUs; hardware threads if nobody knows
  int threads = 1;          ///< hardware threads in the set, at most the container's quota
  int machine_threads = 1;  ///< hardware threads of the machine, whether in the set or not, at most the quota
};

/// Asks hwloc where the library was built with it. Takes milliseconds: one rank of a node does it for all.
cpu_counts count(const cpu_set& cpus);

/// The last-level cache that all these CPUs share, named by its lowest CPU; -1 if they share none or nobody knows.
/// Local.
int cache_domain(const cpu_set& cpus);

/// Where the groups of ranks begin that share a last-level cache, of these domains by rank; {0} if one is not known.
std::vector<int> groups_by_cache(const std::vector<int>& domains);

/// CPUs' worth of time that the control groups of a container allow, rounded down, at least 1; 0: no limit.
int cpu_quota();

/// Ranks of the whole job on this node, as the launcher says in the environment; 0 if it does not.
int ranks_launched_here();

std::string host_name();
std::string processor_model();

}  // namespace nearfar::detail
