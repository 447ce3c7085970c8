// SPDX-License-Identifier: BSD-3-Clause
// Log lines: whole lines at a time, so that those of several ranks do not mix.
#include <array>
#include <atomic>
#include <base/axis_names.hpp>
#include <base/env.hpp>
#include <base/log.hpp>
#include <cstdio>
#include <string_view>

namespace nearfar::log {
namespace {

constexpr std::array<std::string_view, 4> names{"error", "warning", "info", "debug"};

std::atomic<int> own_rank{-1};

std::string prefix(level at) {
  // Relaxed: the rank is only a label, no other data is published with it.
  const int rank = own_rank.load(std::memory_order_relaxed);
  const std::string_view name = names[static_cast<std::size_t>(at)];
  return rank < 0 ? text("nearfar ", name, ": ") : text("nearfar[", rank, "] ", name, ": ");
}

level read_level() {
  const std::string wanted = env::string_or("NEARFAR_LOG", "warning");
  for (std::size_t i = 0; i < names.size(); ++i)
    if (wanted == names[i]) return static_cast<level>(i);
  // Not an exception: a misspelt log level must not stop a run, whoever logs first.
  write(level::warning, text("NEARFAR_LOG=", wanted, " is none of error, warning, info, debug; taking warning"));
  return level::warning;
}

}  // namespace

void set_rank(int rank) { own_rank.store(rank, std::memory_order_relaxed); }

bool is_on(level wanted) {
  static const level limit = read_level();
  return wanted <= limit;
}

void write(level at, const std::string& line) {
  const std::string whole = prefix(at) + from_zero(line) + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
  std::fflush(stderr);
}

}  // namespace nearfar::log
