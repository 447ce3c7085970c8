// SPDX-License-Identifier: BSD-3-Clause
// Reads the environment of the preloaded library.
#include <base/env.hpp>
#include <base/log.hpp>
#include <nearfar/error.hpp>

#include "settings.hpp"

namespace nearfar::interpose {
namespace {

constexpr long many = 1'000'000'000;

bool is_off(const char* name) {
  const std::string value = env::string_or(name, "on");
  if (value == "off" || value == "0") return true;
  if (value != "on" && value != "1") log::warning(name, "=", value, " is neither on nor off; taking on");
  return false;
}

long number(const char* name, long fallback, long lowest) {
  try {
    return static_cast<long>(env::integer_or(name, fallback, lowest, many));
  } catch (const usage_error& e) {
    log::warning(e.what());
    return fallback;
  }
}

settings read() {
  settings s;
  s.is_on = !is_off("NEARFAR") && !is_off("NEARFAR_PRELOAD");
  s.first_call = number("NEARFAR_PRELOAD_AFTER", s.first_call, 1);
  s.is_first_call_strict = !env::string_or("NEARFAR_PRELOAD_AFTER", "").empty();
  // A sum that MPI makes is not in the order of ranks: not even the first.
  if (env::string_or("NEARFAR_REPRODUCIBLE", "off") != "off") {
    s.keeps_order = true;
    s.first_call = 1;
    s.is_first_call_strict = true;
  }
  s.engines = number("NEARFAR_PRELOAD_ENGINES", s.engines, 0);
  s.gives_near_memory = !is_off("NEARFAR_PRELOAD_ALLOC");
  s.handshake_s = number("NEARFAR_PRELOAD_HANDSHAKE", s.handshake_s, 0);
  s.report = env::string_or("NEARFAR_REPORT", "");
  if (s.report == "0" || s.report == "off") s.report.clear();
  return s;
}

}  // namespace

const settings& wanted() {
  // Never destroyed: calls may come while the program's own objects are already being taken down.
  static const settings& once = *new settings(read());
  return once;
}

}  // namespace nearfar::interpose
