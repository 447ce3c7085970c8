// SPDX-License-Identifier: BSD-3-Clause
// Keys of a TOML file with what they may be: every refusal names file, line, key, value and range.
#pragma once

#include <toml++/toml.h>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apps {

/// Numbers from `low` (or above it, if it is open) to `high`.
struct range {
  double low = -std::numeric_limits<double>::max(), high = std::numeric_limits<double>::max();
  bool is_open_below = false;

  bool holds(double value) const { return (is_open_below ? value > low : value >= low) && value <= high; }
  std::string words() const;
};

/// @throws nearfar::usage_error  with file, line and column of what is not TOML
toml::table parsed(std::string_view text, const std::string& name);

/// Puts "section.key=value" into a file: into each table of a list of tables. A value that is not TOML is taken as
/// text.
/// @param name  of who says so, for messages: "--set"
/// @throws nearfar::usage_error  not of that form, or more than a table of keys deep
void put(toml::table& file, std::string_view assignment, const std::string& name);

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
  /// Numbers of one range, so many as there are within these limits; `shape` says in words what is wanted: "two
  /// numbers, [from, to]".
  std::vector<double> numbers(std::string_view section, std::string_view key, const range& allowed, std::size_t least,
                              std::size_t most, const std::string& shape,
                              std::optional<std::vector<double>> fallback = {});
  /// Lists of `width` numbers each: [[1, 2, 3], [4, 5, 6]].
  std::vector<std::vector<double>> rows(std::string_view section, std::string_view key, std::size_t width,
                                        const std::string& shape);
  bool flag(std::string_view section, std::string_view key, bool fallback);
  std::string text(std::string_view section, std::string_view key, std::optional<std::string> fallback = {});
  /// Which of the words it is.
  std::size_t choice(std::string_view section, std::string_view key, std::span<const std::string_view> words,
                     std::optional<std::size_t> fallback = {});
  /// Which of the words a list has, in the list's order: at least one, each once. One word may stand without a list.
  std::vector<std::size_t> choices(std::string_view section, std::string_view key,
                                   std::span<const std::string_view> words, std::vector<std::size_t> fallback);
  /// Names of the tables of a list of tables, to be used as sections: "sources[0]", ...; a table that is none of a list
  /// is one of it. Empty if there is none.
  std::vector<std::string> tables(std::string_view name);
  /// For refusals by rules of several keys. The key is there.
  [[noreturn]] void refuse(std::string_view section, std::string_view key, const std::string& allowed) const;
  enum class kind { none, number, text, list, other };
  kind kind_of(std::string_view section, std::string_view key);
  const std::vector<std::pair<std::string, std::string>>& known() const { return known_; }
  bool has(std::string_view section, std::string_view key) const;
  void refuse_others() const;

 private:
  const toml::node* find(std::string_view section, std::string_view key);
  [[noreturn]] void refuse(const toml::node& at, const std::string& key, const std::string& allowed) const;
  [[noreturn]] void miss(std::string_view section, std::string_view key, const std::string& allowed) const;
  std::vector<std::string> names_in(std::string_view section) const;
  void refuse_others_in(const std::string& section, const toml::table& keys) const;
  std::string line_of(const toml::node& at) const;

  const toml::table& file_;
  std::string name_;
  std::vector<std::pair<std::string, std::string>> known_;  ///< section, key
};

}  // namespace apps
