// SPDX-License-Identifier: BSD-3-Clause
// NEARFAR_… variables, read whole or refused.
#include <base/env.hpp>
#include <base/text.hpp>
#include <charconv>
#include <cstdlib>
#include <nearfar/error.hpp>
#include <string_view>

namespace nearfar::env {
namespace {

// Unset and empty are the same: `NEARFAR_METHOD= ./program` is how a shell takes a variable back.
std::string_view find(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

// strtod would follow the program's locale; from_chars reads "0.5" everywhere.
template <class T>
T parse(const char* name, T fallback, T lowest, T highest, const char* kind) {
  const std::string_view value = find(name);
  if (value.empty()) return fallback;
  T number{};
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
  // The comparison is written so that a NaN is refused too.
  if (code != std::errc() || end != value.data() + value.size() || !(number >= lowest && number <= highest))
    throw usage_error(
        text(name, "=", value, " is not ", kind, " from ", lowest, " to ", highest, "; unset, it is ", fallback));
  return number;
}

}  // namespace

std::string string_or(const char* name, const std::string& fallback) {
  const std::string_view value = find(name);
  return value.empty() ? fallback : std::string(value);
}

std::int64_t integer_or(const char* name, std::int64_t fallback, std::int64_t lowest, std::int64_t highest) {
  return parse(name, fallback, lowest, highest, "a whole number");
}

double number_or(const char* name, double fallback, double lowest, double highest) {
  return parse(name, fallback, lowest, highest, "a number");
}

double limit_s(const char* name) {
  constexpr double shortest_s = 0.01, longest_s = 1e9;
  const double value = number_or(name, 0, 0, longest_s);
  if (value > 0 && value < shortest_s)
    throw usage_error(text(name, "=", value, " is not a number of seconds from ", shortest_s, " to ", longest_s,
                           ", or 0 for no limit; unset, it is 0"));
  return value;
}

}  // namespace nearfar::env
