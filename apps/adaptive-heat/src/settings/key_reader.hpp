// SPDX-License-Identifier: BSD-3-Clause
// Keys of a TOML file with what they may be: every refusal names file, line, key, value and range.
#pragma once

#include <toml++/toml.h>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adaptive_heat {

/// Numbers from `low` (or above it, if it is open) to `high`.
struct range {
  double low = -std::numeric_limits<double>::max(), high = std::numeric_limits<double>::max();
  bool is_open_below = false;

  bool holds(double value) const { return (is_open_below ? value > low : value >= low) && value <= high; }
  std::string words() const;
};

/// Reads keys once each; those that nobody asked for are refused at the end. A missing key without fallback is refused.
class key_reader {
 public:
  key_reader(const toml::table& file, std::string name) : file_(file), name_(std::move(name)) {}

  double number(std::string_view section, std::string_view key, const range& allowed,
                std::optional<double> fallback = {});
  std::int64_t whole(std::string_view section, std::string_view key, std::int64_t low, std::int64_t high,
                     std::optional<std::int64_t> fallback = {});
  /// Three numbers, each in the range of its axis.
  std::array<double, 3> place(std::string_view section, std::string_view key, const std::array<range, 3>& allowed,
                              const std::array<double, 3>& fallback);
  bool has(std::string_view section, std::string_view key) const;
  void refuse_others() const;

 private:
  const toml::node* find(std::string_view section, std::string_view key);
  [[noreturn]] void refuse(const toml::node& at, const std::string& key, const std::string& allowed) const;
  [[noreturn]] void miss(std::string_view section, std::string_view key, const std::string& allowed) const;
  void refuse_others_in(const std::string& section, const toml::table& keys) const;
  std::string line_of(const toml::node& at) const;

  const toml::table& file_;
  std::string name_;
  std::vector<std::pair<std::string, std::string>> known_;  ///< section, key
};

}  // namespace adaptive_heat
