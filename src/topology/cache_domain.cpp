// SPDX-License-Identifier: BSD-3-Clause
// Which last-level cache a rank belongs to and how large it is, from Linux's sysfs: asking hwloc for caches takes tens
// of milliseconds.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <base/text.hpp>
#include <filesystem>
#include <limits>
#include <topology/cache_size.hpp>

#include "hardware.hpp"

namespace nearfar::detail {

namespace {

int first_in(const cpu_set& cpus) {
  for (std::size_t word = 0; word < cpus.size(); ++word)
    if (cpus[word] != 0) return static_cast<int>(word * 64) + __builtin_ctzll(cpus[word]);
  return -1;
}

// "0-3,8-11" as a set; empty when it cannot be read.
cpu_set read_list(const std::filesystem::path& file) {
  cpu_set set;
  text_file in(file);
  for (int first = 0; in >> first;) {
    int last = first;
    if (in.peek() == '-') in.ignore() >> last;
    for (int cpu = first; cpu <= last; ++cpu) {
      const auto word = static_cast<std::size_t>(cpu / 64);
      if (word >= set.size()) set.resize(word + 1);
      set[word] |= std::uint64_t{1} << (cpu % 64);
    }
    if (in.peek() == ',') in.ignore();
  }
  return set;
}

bool contains(const cpu_set& outer, const cpu_set& inner) {
  for (std::size_t word = 0; word < inner.size(); ++word)
    if ((inner[word] & ~(word < outer.size() ? outer[word] : 0)) != 0) return false;
  return true;
}

// The folder of a CPU's outermost cache up to this level.
std::filesystem::path outermost_of(int cpu, int most_levels) {
  const std::filesystem::path all = text("/sys/devices/system/cpu/cpu", cpu, "/cache");
  std::filesystem::path last;
  int highest = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(all, none)) {
    int level = 0;
    if (text_file(entry.path() / "level") >> level && level > highest && level <= most_levels) {
      highest = level;
      last = entry.path();
    }
  }
  return last;
}

std::filesystem::path last_level_of(int cpu) { return outermost_of(cpu, std::numeric_limits<int>::max()); }

// 0 where Linux does not say.
index_t bytes_of(const std::filesystem::path& cache) {
  std::string words;
  return std::getline(text_file(cache / "size"), words) ? cache_bytes_from(words) : 0;
}

index_t sysconf_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  return std::max<index_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
#else
  return 0;
#endif
}

}  // namespace

int cache_domain(const cpu_set& cpus) {
  const int cpu = first_in(cpus);
  if (cpu < 0) return -1;
  const cpu_set shared = read_list(last_level_of(cpu) / "shared_cpu_list");
  return !shared.empty() && contains(shared, cpus) ? first_in(shared) : -1;
}

std::vector<int> groups_by_cache(const std::vector<int>& domains) {
  std::vector<int> begins{0};
  if (std::find(domains.begin(), domains.end(), -1) != domains.end()) return begins;
  for (std::size_t r = 1; r < domains.size(); ++r)
    if (domains[r] != domains[r - 1]) begins.push_back(static_cast<int>(r));
  return begins;
}

}  // namespace nearfar::detail

namespace nearfar {

index_t cache_bytes_from(const std::string& words) {
  text_reader in(words);
  index_t bytes = 0;
  char unit = 0;
  if (!(in >> bytes) || bytes < 0) return 0;
  in >> unit;
  return unit == 0 ? bytes : unit == 'K' ? bytes << 10 : unit == 'M' ? bytes << 20 : 0;
}

index_t last_level_cache_bytes() {
  const int cpu = sched_getcpu();
  const index_t bytes = cpu >= 0 ? detail::bytes_of(detail::last_level_of(cpu)) : 0;
  return bytes > 0 ? bytes : detail::sysconf_bytes();
}

index_t core_cache_bytes() {
  constexpr index_t usual_bytes = index_t{1} << 20;
  const int cpu = sched_getcpu();
  const index_t bytes = cpu >= 0 ? detail::bytes_of(detail::outermost_of(cpu, 2)) : 0;
  return bytes > 0 ? bytes : usual_bytes;
}

}  // namespace nearfar
