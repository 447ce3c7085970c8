// SPDX-License-Identifier: BSD-3-Clause
// Cores, quotas and names of the machine, from Linux and hwloc.
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <base/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <memory>

#ifdef NEARFAR_HAVE_HWLOC
#include <hwloc.h>
#endif

#include "hardware.hpp"

namespace nearfar::detail {
namespace {

constexpr int bits = 64;

int online_cpus() { return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN))); }

void insert(cpu_set& cpus, int cpu) {
  const auto word = static_cast<std::size_t>(cpu / bits);
  if (cpus.size() <= word) cpus.resize(word + 1);
  cpus[word] |= std::uint64_t{1} << (cpu % bits);
}

int size_of(const cpu_set& cpus) {
  int count = 0;
  for (const std::uint64_t word : cpus) count += std::popcount(word);
  return count;
}

cpu_set first_cpus(int count) {
  cpu_set cpus;
  for (int cpu = 0; cpu < count; ++cpu) insert(cpus, cpu);
  return cpus;
}

// Empty if the kernel's set has more than `capacity` CPUs.
cpu_set ask_kernel(int capacity) {
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<std::size_t>(capacity)),
                                                             [](cpu_set_t* s) { CPU_FREE(s); });
  const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
  cpu_set cpus;
  if (!set || ::sched_getaffinity(0, bytes, set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < capacity; ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) insert(cpus, cpu);
  return cpus;
}

#ifdef NEARFAR_HAVE_HWLOC
bool has(const cpu_set& cpus, int cpu) {
  const auto word = static_cast<std::size_t>(cpu / bits);
  return word < cpus.size() && (cpus[word] >> (cpu % bits) & 1U) != 0;
}

using topology_handle = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;

topology_handle load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, hwloc_topology_destroy};
  topology_handle topology(raw, hwloc_topology_destroy);
  // Cores are all that is asked for: caches and groups only make discovery slow.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) topology.reset();
  return topology;
}

bool holds_any(hwloc_obj_t core, const cpu_set& cpus) {
  int cpu = -1;
  while ((cpu = hwloc_bitmap_next(core->cpuset, cpu)) >= 0)
    if (has(cpus, cpu)) return true;
  return false;
}

void ask_hwloc(const cpu_set& cpus, cpu_counts& counts) {
  const topology_handle topology = load_topology();
  if (!topology) return;
  int cores = 0;
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_CORE, core));)
    cores += holds_any(core, cpus) ? 1 : 0;
  if (cores > 0) counts.cores = cores;
  // Leaves out CPUs that the container or batch system took away, which the number of online CPUs does not.
  const int allowed = hwloc_bitmap_weight(hwloc_topology_get_allowed_cpuset(topology.get()));
  if (allowed > 0) counts.machine_threads = std::max(allowed, counts.threads);
}
#else
void ask_hwloc(const cpu_set&, cpu_counts&) {}
#endif

// Version 2 of control groups writes "quota period" or "max period" in one file, version 1 two files.
double quota_in(const std::string& folder) {
  double quota = -1;
  double period = 0;
  if (text_file both(folder + "/cpu.max"); both >> quota >> period) return period > 0 ? quota / period : -1;
  text_file(folder + "/cpu/cpu.cfs_quota_us") >> quota;
  text_file(folder + "/cpu/cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : -1;
}

// The group of this process below the mount point, "" where it is the mount point's own (as in containers).
std::string own_group() {
  text_file file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.size() > 4 ? line.substr(3) : "";
  return "";
}

}  // namespace

cpu_set allowed_cpus() {
  for (int capacity = 1024; capacity <= 65536; capacity *= 4) {
    errno = 0;
    cpu_set cpus = ask_kernel(capacity);
    if (!cpus.empty()) return cpus;
    if (errno != EINVAL) break;
  }
  return first_cpus(online_cpus());
}

cpu_counts count(const cpu_set& cpus) {
  cpu_counts counts;
  counts.threads = counts.cores = std::max(1, size_of(cpus));
  counts.machine_threads = std::max(online_cpus(), counts.threads);
  ask_hwloc(cpus, counts);
  if (const int quota = cpu_quota(); quota > 0)
    for (int* n : {&counts.cores, &counts.threads, &counts.machine_threads}) *n = std::min(*n, quota);
  return counts;
}

int cpu_quota() {
  double lowest = quota_in("/sys/fs/cgroup");
  for (std::string group = own_group(); !group.empty(); group.resize(group.rfind('/')))
    if (const double quota = quota_in("/sys/fs/cgroup" + group); quota > 0)
      lowest = lowest > 0 ? std::min(lowest, quota) : quota;
  return lowest > 0 ? std::max(1, static_cast<int>(std::min(lowest, 1e6))) : 0;
}

int ranks_launched_here() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"})
    if (const char* value = std::getenv(name)) return std::max(0, std::atoi(value));
  return 0;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

std::string processor_model() {
  text_file file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "unknown processor";
}

}  // namespace nearfar::detail
