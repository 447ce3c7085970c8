// SPDX-License-Identifier: BSD-3-Clause
// Values are shown as TOML writes them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nearfar/error.hpp>
#include <settings/key_reader.hpp>
#include <sstream>

namespace adaptive_heat {
namespace {

std::string short_form(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string path_of(std::string_view section, std::string_view key) {
  return std::string(section) + '.' + std::string(key);
}

std::string shown(const toml::node& value) {
  std::ostringstream text;
  value.visit([&](const auto& v) { text << v; });
  return text.str();
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

}  // namespace

std::string range::words() const {
  constexpr double all = std::numeric_limits<double>::max();
  if (low == -all && high == all) return "a number";
  const std::string from = (is_open_below ? "above " : "of at least ") + short_form(low);
  if (high == all) return "a number " + from;
  return is_open_below ? "a number " + from + ", at most " + short_form(high)
                       : "a number from " + short_form(low) + " to " + short_form(high);
}

std::string key_reader::line_of(const toml::node& at) const {
  return name_ + ", line " + std::to_string(at.source().begin.line) + ": ";
}

void key_reader::refuse(const toml::node& at, const std::string& key, const std::string& allowed) const {
  throw nearfar::usage_error(line_of(at) + key + " = " + shown(at) + ": it must be " + allowed);
}

void key_reader::miss(std::string_view section, std::string_view key, const std::string& allowed) const {
  throw nearfar::usage_error(name_ + ": the key " + path_of(section, key) + " is missing; it must be " + allowed);
}

bool key_reader::has(std::string_view section, std::string_view key) const {
  return static_cast<bool>(file_[section][key]);
}

const toml::node* key_reader::find(std::string_view section, std::string_view key) {
  known_.emplace_back(section, key);
  if (const toml::node* const at = file_.get(section); at != nullptr && !at->is_table())
    refuse(*at, std::string(section), "a section: [" + std::string(section) + "]");
  return file_[section][key].node();
}

double key_reader::number(std::string_view section, std::string_view key, const range& allowed,
                          std::optional<double> fallback) {
  const toml::node* const at = find(section, key);
  if (at == nullptr && !fallback) miss(section, key, allowed.words());
  if (at == nullptr) return *fallback;
  const std::optional<double> value = at->is_number() ? at->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || !allowed.holds(*value)) refuse(*at, path_of(section, key), allowed.words());
  return *value;
}

std::int64_t key_reader::whole(std::string_view section, std::string_view key, std::int64_t low, std::int64_t high,
                               std::optional<std::int64_t> fallback) {
  const std::string allowed = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  const toml::node* const at = find(section, key);
  if (at == nullptr && !fallback) miss(section, key, allowed);
  if (at == nullptr) return *fallback;
  const std::optional<std::int64_t> value = at->is_integer() ? at->value<std::int64_t>() : std::nullopt;
  if (!value || *value < low || *value > high) refuse(*at, path_of(section, key), allowed);
  return *value;
}

std::array<double, 3> key_reader::place(std::string_view section, std::string_view key,
                                        const std::array<range, 3>& allowed, const std::array<double, 3>& fallback) {
  const toml::node* const at = find(section, key);
  if (at == nullptr) return fallback;
  const toml::array* const list = at->as_array();
  if (list == nullptr || list->size() != 3) refuse(*at, path_of(section, key), "three numbers, [x, y, z]");
  std::array<double, 3> values{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const toml::node& one = (*list)[axis];
    const std::optional<double> value = one.is_number() ? one.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value) || !allowed[axis].holds(*value))
      refuse(one, path_of(section, key) + '[' + std::to_string(axis) + ']', allowed[axis].words());
    values[axis] = *value;
  }
  return values;
}

void key_reader::refuse_others() const {
  std::vector<std::string> sections;
  for (const auto& [section, key] : known_)
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  for (const auto& [key, value] : file_) {
    const std::string section(key.str());
    if (std::find(sections.begin(), sections.end(), section) == sections.end())
      throw nearfar::usage_error(line_of(value) + "there is no section or key '" + section +
                                 "' here; the sections are " + joined(sections));
    refuse_others_in(section, *value.as_table());
  }
}

void key_reader::refuse_others_in(const std::string& section, const toml::table& keys) const {
  std::vector<std::string> names;
  for (const auto& [of, key] : known_)
    if (of == section) names.push_back(key);
  for (const auto& [key, value] : keys)
    if (std::find(names.begin(), names.end(), std::string(key.str())) == names.end())
      throw nearfar::usage_error(line_of(value) + section + " has no key '" + std::string(key.str()) +
                                 "' (= " + shown(value) + "); its keys are " + joined(names));
}

}  // namespace adaptive_heat
