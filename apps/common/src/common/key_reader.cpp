// SPDX-License-Identifier: BSD-3-Clause
// Values are shown as TOML writes them.
#include <algorithm>
#include <cmath>
#include <common/key_reader.hpp>
#include <cstdio>
#include <nearfar/error.hpp>
#include <sstream>

namespace apps {
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

/// A section's table: "grid", "sources[1]".
const toml::node* node_at(const toml::table& file, std::string_view section) {
  return toml::at_path(file, section).node();
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

toml::table parsed(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    throw nearfar::usage_error(name + ", line " + std::to_string(e.source().begin.line) + ", column " +
                               std::to_string(e.source().begin.column) + ": " + std::string(e.description()));
  }
}

namespace {

/// {"key": value}, whose places are said to be in a file of that name.
toml::table assigned(std::string_view key, std::string_view value, const std::string& name) {
  const std::string quoted = '"' + std::string(key) + "\" = ";
  try {
    return toml::parse(quoted + std::string(value), name);
  } catch (const toml::parse_error&) {
    return toml::parse(quoted + "'''" + std::string(value) + "'''", name);
  }
}

void put_into(toml::table& to, toml::table&& keys) {
  for (auto&& [key, value] : keys) {
    to.erase(key.str());
    value.visit([&, k = key.str()](auto& concrete) { to.insert(k, std::move(concrete)); });
  }
}

}  // namespace

void put(toml::table& file, std::string_view assignment, const std::string& name) {
  const auto equals = assignment.find('='), dot = assignment.substr(0, equals).find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot == 0 || dot + 1 >= equals)
    throw nearfar::usage_error(name + ' ' + std::string(assignment) + ": it must be section.key=value");
  const std::string section(assignment.substr(0, dot)), key(assignment.substr(dot + 1, equals - dot - 1));
  const auto keys = [&] { return assigned(key, assignment.substr(equals + 1), name + ' ' + std::string(assignment)); };
  toml::node* const at = file.get(section);
  if (at == nullptr) return put_into(*file.insert(section, toml::table{}).first->second.as_table(), keys());
  if (toml::table* const table = at->as_table()) return put_into(*table, keys());
  toml::array* const list = at->as_array();
  if (list == nullptr || !list->is_array_of_tables())
    throw nearfar::usage_error(name + ' ' + std::string(assignment) + ": " + section + " is not a section of the file");
  for (toml::node& one : *list) put_into(*one.as_table(), keys());
}

std::string key_reader::line_of(const toml::node& at) const {
  const toml::source_path_ptr& path = at.source().path;
  if (path != nullptr && *path != name_) return *path + ": ";
  if (at.source().begin.line == 0) return name_ + ": ";
  return name_ + ", line " + std::to_string(at.source().begin.line) + ": ";
}

void key_reader::refuse(const toml::node& at, const std::string& key, const std::string& allowed) const {
  throw nearfar::usage_error(line_of(at) + key + " = " + shown(at) + ": it must be " + allowed);
}

void key_reader::miss(std::string_view section, std::string_view key, const std::string& allowed) const {
  throw nearfar::usage_error(name_ + ": the key " + path_of(section, key) + " is missing; it must be " + allowed);
}

bool key_reader::has(std::string_view section, std::string_view key) const {
  const toml::node* const at = node_at(file_, section);
  return at != nullptr && at->is_table() && at->as_table()->contains(key);
}

const toml::node* key_reader::find(std::string_view section, std::string_view key) {
  known_.emplace_back(section, key);
  const toml::node* const at = node_at(file_, section);
  if (at == nullptr) return nullptr;
  if (!at->is_table()) refuse(*at, std::string(section), "a section: [" + std::string(section) + "]");
  return at->as_table()->get(key);
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

std::vector<double> key_reader::numbers(std::string_view section, std::string_view key, const range& allowed,
                                        std::size_t least, std::size_t most, const std::string& shape,
                                        std::optional<std::vector<double>> fallback) {
  const toml::node* const at = find(section, key);
  if (at == nullptr && !fallback) miss(section, key, shape);
  if (at == nullptr) return *fallback;
  const toml::array* const list = at->as_array();
  if (list == nullptr || list->size() < least || list->size() > most) refuse(*at, path_of(section, key), shape);
  std::vector<double> values;
  for (const toml::node& one : *list) {
    const std::optional<double> value = one.is_number() ? one.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value) || !allowed.holds(*value))
      refuse(one, path_of(section, key) + '[' + std::to_string(values.size()) + ']', allowed.words());
    values.push_back(*value);
  }
  return values;
}

std::vector<std::vector<double>> key_reader::rows(std::string_view section, std::string_view key, std::size_t width,
                                                  const std::string& shape) {
  const toml::node* const at = find(section, key);
  if (at == nullptr) miss(section, key, shape);
  if (!at->is_array()) refuse(*at, path_of(section, key), shape);
  std::vector<std::vector<double>> all;
  for (const toml::node& row : *at->as_array()) {
    if (!row.is_array() || row.as_array()->size() != width) refuse(row, path_of(section, key), shape);
    all.emplace_back();
    for (const toml::node& one : *row.as_array()) {
      const std::optional<double> value = one.is_number() ? one.value<double>() : std::nullopt;
      if (!value || !std::isfinite(*value)) refuse(one, path_of(section, key), shape);
      all.back().push_back(*value);
    }
  }
  return all;
}

bool key_reader::flag(std::string_view section, std::string_view key, bool fallback) {
  const toml::node* const at = find(section, key);
  if (at == nullptr) return fallback;
  if (!at->is_boolean()) refuse(*at, path_of(section, key), "true or false");
  return at->value_or(fallback);
}

std::string key_reader::text(std::string_view section, std::string_view key, std::optional<std::string> fallback) {
  const toml::node* const at = find(section, key);
  if (at == nullptr && !fallback) miss(section, key, "a text");
  if (at == nullptr) return *fallback;
  if (!at->is_string()) refuse(*at, path_of(section, key), "a text");
  return at->value_or(std::string());
}

std::size_t key_reader::choice(std::string_view section, std::string_view key, std::span<const std::string_view> words,
                               std::optional<std::size_t> fallback) {
  const std::string allowed = "one of " + joined({words.begin(), words.end()});
  const toml::node* const at = find(section, key);
  if (at == nullptr && !fallback) miss(section, key, allowed);
  if (at == nullptr) return *fallback;
  const auto found = std::find(words.begin(), words.end(), at->value_or(std::string_view()));
  if (found == words.end()) refuse(*at, path_of(section, key), allowed);
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<std::size_t> key_reader::choices(std::string_view section, std::string_view key,
                                             std::span<const std::string_view> words,
                                             std::vector<std::size_t> fallback) {
  if (kind_of(section, key) == kind::text) return {choice(section, key, words)};
  const std::string allowed = "a list of at least one of " + joined({words.begin(), words.end()}) + ", each once";
  const toml::node* const at = find(section, key);
  if (at == nullptr) return fallback;
  if (!at->is_array() || at->as_array()->empty()) refuse(*at, path_of(section, key), allowed);
  std::vector<std::size_t> all;
  for (const toml::node& one : *at->as_array()) {
    const auto found = static_cast<std::size_t>(
        std::find(words.begin(), words.end(), one.value_or(std::string_view())) - words.begin());
    if (found == words.size() || std::find(all.begin(), all.end(), found) != all.end())
      refuse(one, path_of(section, key), allowed);
    all.push_back(found);
  }
  return all;
}

std::vector<std::string> key_reader::tables(std::string_view name) {
  const toml::node* const at = file_.get(name);
  if (at == nullptr) return {};
  if (at->is_table()) return {std::string(name)};
  if (!at->is_array_of_tables()) refuse(*at, std::string(name), "a list of tables: [[" + std::string(name) + "]]");
  std::vector<std::string> all;
  for (std::size_t i = 0; i < at->as_array()->size(); ++i)
    all.push_back(std::string(name) + '[' + std::to_string(i) + ']');
  return all;
}

void key_reader::refuse(std::string_view section, std::string_view key, const std::string& allowed) const {
  const toml::node* const at = node_at(file_, section);
  refuse(*at->as_table()->get(key), path_of(section, key), allowed);
}

key_reader::kind key_reader::kind_of(std::string_view section, std::string_view key) {
  const toml::node* const at = find(section, key);
  if (at == nullptr) return kind::none;
  if (at->is_number()) return kind::number;
  if (at->is_string()) return kind::text;
  return at->is_array() ? kind::list : kind::other;
}

std::vector<std::string> key_reader::names_in(std::string_view section) const {
  std::vector<std::string> names;
  for (const auto& [of, key] : known_)
    if (of == section && std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
  return names;
}

void key_reader::refuse_others() const {
  std::vector<std::string> sections;
  for (const auto& [section, key] : known_) {
    const std::string whole = section.substr(0, section.find('['));
    if (std::find(sections.begin(), sections.end(), whole) == sections.end()) sections.push_back(whole);
  }
  for (const auto& [key, value] : file_) {
    const std::string section(key.str());
    if (std::find(sections.begin(), sections.end(), section) == sections.end())
      throw nearfar::usage_error(line_of(value) + "there is no section or key '" + section +
                                 "' here; the sections are " + joined(sections));
    if (const toml::array* const list = value.as_array())
      for (std::size_t i = 0; i < list->size(); ++i)
        refuse_others_in(section + '[' + std::to_string(i) + ']', *(*list)[i].as_table());
    else
      refuse_others_in(section, *value.as_table());
  }
}

void key_reader::refuse_others_in(const std::string& section, const toml::table& keys) const {
  const std::vector<std::string> names = names_in(section);
  for (const auto& [key, value] : keys)
    if (std::find(names.begin(), names.end(), std::string(key.str())) == names.end())
      throw nearfar::usage_error(line_of(value) + section + " has no key '" + std::string(key.str()) +
                                 "' (= " + shown(value) + "); its keys are " + joined(names));
}

}  // namespace apps
