// SPDX-License-Identifier: BSD-3-Clause
// The least of what the machine and each control group have left.
#include <algorithm>
#include <common/agreement.hpp>
#include <common/memory.hpp>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nearfar/error.hpp>

namespace apps {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The first number in a file, infinite if there is none ("max").
double number_in(const std::string& path) {
  std::ifstream file(path);
  double value = infinite;
  return file >> value ? value : infinite;
}

double system_free() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  double kilobytes = 0;
  while (file >> word)
    if (word == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
  return infinite;
}

/// Of the control group, of version 2 or 1, in which this process is the root or finds itself.
double group_free() {
  double least = infinite;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::string own = line.substr(line.rfind(':') + 1);
    for (const std::string& at : {own, std::string()}) {
      const std::string v2 = "/sys/fs/cgroup" + at + "/memory.", v1 = "/sys/fs/cgroup/memory" + at + "/memory.";
      if (const double limit = number_in(v2 + "max"); limit < infinite)
        least = std::min(least, limit - number_in(v2 + "current"));
      if (const double limit = number_in(v1 + "limit_in_bytes"); limit < 0x1p60)
        least = std::min(least, limit - number_in(v1 + "usage_in_bytes"));
    }
  }
  return least;
}

}  // namespace

double free_bytes() { return std::max(0.0, std::min(system_free(), group_free())); }

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e12 ? "%.1f GB" : "%.3g TB", bytes < 1e12 ? bytes / 1e9 : bytes / 1e12);
  return text;
}

void check_memory(const nearfar::team& team, const std::string& what, double of_rank, const std::string& remedy) {
  constexpr double of_process = 30e6;  // with the MPI library
  const double needed = team.near_size() * (of_process + of_rank), available = free_bytes();
  std::string complaint;
  if (needed > available) {
    const std::string ranks = std::to_string(team.near_size()) + (team.near_size() == 1 ? " rank" : " ranks");
    complaint = what + ' ' + gigabytes(needed) + " on each node of " + ranks + " (" + gigabytes(of_process + of_rank) +
                " each), and node " + std::to_string(team.node()) + " has " + gigabytes(available) +
                " free: " + remedy + ", or --force";
  }
  if (const std::string words = first_complaint(team, complaint); !words.empty()) throw nearfar::resource_error(words);
}

}  // namespace apps
