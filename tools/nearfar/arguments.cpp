// SPDX-License-Identifier: BSD-3-Clause
// Options by name, numbers that are checked.
#include "arguments.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <charconv>
#include <cstdlib>
#include <nearfar/error.hpp>

namespace nearfar::command {

namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

index_t number_in(const std::string& option, const std::string& words, index_t least, index_t most) {
  index_t value = 0;
  const auto [end, fault] = std::from_chars(words.data(), words.data() + words.size(), value);
  if (fault != std::errc() || end != words.data() + words.size() || value < least || value > most)
    throw usage_error(text("--", option, " takes a number of ", least, " to ", most, ", not '", words, "'"));
  return value;
}

}  // namespace

arguments::arguments(const std::vector<std::string>& words, const std::vector<std::string>& valued,
                     const std::vector<std::string>& switches, std::size_t most_others) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].rfind("--", 0) != 0) {
      if (others_.size() == most_others) throw usage_error(text("'", words[i], "' is not understood; see --help"));
      others_.push_back(words[i]);
      continue;
    }
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    if (name == "help" || name == "json" || is_among(switches, name)) {
      if (equals != std::string::npos) throw usage_error(text("--", name, " takes no value"));
      given_[name] = "";
    } else if (!is_among(valued, name)) {
      std::string names = "--help, --json";
      for (const auto* list : {&switches, &valued})
        for (const std::string& known : *list) names += ", --" + known;
      throw usage_error(text("there is no option --", name, "; options are ", names));
    } else if (equals != std::string::npos) {
      given_[name] = words[i].substr(equals + 1);
    } else if (i + 1 < words.size()) {
      given_[name] = words[++i];
    }
    if (is_among(valued, name) && given_[name].empty()) throw usage_error(text("--", name, " takes a value"));
  }
}

std::string arguments::text_or(const std::string& name, const std::string& otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : found->second;
}

index_t arguments::number_or(const std::string& name, index_t otherwise, index_t least, index_t most) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : number_in(name, found->second, least, most);
}

int arguments::count_or(const std::string& name, int otherwise) const {
  constexpr index_t most = 1 << 20;
  return static_cast<int>(number_or(name, otherwise, 1, most));
}

std::vector<index_t> arguments::list_or(const std::string& name, std::vector<index_t> otherwise, char separator,
                                        index_t least, index_t most) const {
  if (!has(name)) return otherwise;
  const std::string& words = given_.at(name);
  std::vector<index_t> list;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(separator, at), words.size());
    list.push_back(number_in(name, words.substr(at, end - at), least, most));
    at = end + 1;
  }
  return list;
}

std::vector<index_t> arguments::extents(const std::string& name) const {
  if (!has(name)) throw usage_error(text("--", name, " is missing: numbers with x between them, as in 100x80"));
  return list_or(name, {});
}

bool is_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

}  // namespace nearfar::command
