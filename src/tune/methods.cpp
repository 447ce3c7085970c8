// SPDX-License-Identifier: BSD-3-Clause
// The table of fronts, and the reading of NEARFAR_METHOD and NEARFAR_BUDGET.
#include <tune/methods.hpp>

#include <algorithm>
#include <base/env.hpp>
#include <base/text.hpp>
#include <cmath>
#include <map>
#include <nearfar/error.hpp>

namespace nearfar {
namespace tune {
namespace {

constexpr double default_budget_s = 0.1, most_budget_s = 3600;

std::map<std::string, front_methods::list>& table() {
  static std::map<std::string, front_methods::list> all;
  return all;
}

const std::string of_collectives = "collective.";

/// As entries of NEARFAR_METHOD may call it.
std::string full_name(const std::string& front) {
  const auto& all = table();
  if (all.count(front) == 0 && all.count(of_collectives + front) != 0) return of_collectives + front;
  return front;
}

bool has(const std::string& front, const std::string& method) {
  const auto found = table().find(front);
  if (found == table().end()) return false;
  const std::vector<method_info> all = found->second(front);
  return std::any_of(all.begin(), all.end(), [&](const method_info& m) { return m.name == method; });
}

/// "A+B" and "A/B" are put together from methods that the front has.
bool knows(const std::string& front, const std::string& method) {
  std::size_t begin = 0;
  while (begin <= method.size()) {
    const std::size_t end = std::min(method.find_first_of("+/", begin), method.size());
    if (!has(front, method.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

/// The preloaded library has the collectives alone; what it does not know may be meant for the program's own library.
bool has_all_fronts() { return table().count("halo") != 0 && table().count("irregular") != 0; }

std::string known_fronts() {
  std::string names;
  for (const auto& [name, list] : table()) names += text(names.empty() ? "" : ", ", name);
  return names;
}

bool applies(const std::string& entry, const std::string& front, std::string& method) {
  const auto colon = entry.find(':');
  if (colon != std::string::npos) {
    const std::string named = full_name(entry.substr(0, colon));
    method = entry.substr(colon + 1);
    if (table().count(named) == 0 && has_all_fronts())
      throw usage_error(text("NEARFAR_METHOD: there is no front '", named, "'; there are ", known_fronts()));
    if (named == front && !knows(front, method))
      throw usage_error(text("NEARFAR_METHOD: the front '", front, "' has no method '", method,
                             "'; nearfar::methods(\"", front, "\") lists those that there are"));
    return named == front;
  }
  method = entry;
  if (knows(front, entry)) return true;
  const auto& all = table();
  const auto somebody = [&](const auto& f) { return knows(f.first, entry); };
  if (has_all_fronts() && std::none_of(all.begin(), all.end(), somebody))
    throw usage_error(text("NEARFAR_METHOD: no front has a method '", entry,
                           "'; nearfar::methods(front) lists those that there are"));
  return false;
}

}  // namespace

front_methods::front_methods(const char* front, list all) { table()[front] = all; }

std::vector<std::string> pinned_methods(const std::string& front) {
  std::vector<std::string> pinned;
  std::string method;
  text_reader entries(env::string_or("NEARFAR_METHOD", ""));
  for (std::string entry; std::getline(entries, entry, ',');)
    if (!entry.empty() && applies(entry, front, method)) pinned.push_back(method);
  return pinned;
}

std::string pinned_method(const std::string& front) {
  const std::vector<std::string> all = pinned_methods(front);
  return all.empty() ? "" : all.front();
}

void check_left_out(const std::string& title, const std::string& front, const std::vector<std::string>& names,
                    const std::string& kept) {
  for (const std::string& name : names)
    if (!has(front, name) || name == kept)
      throw usage_error(text(title, " is to do without '", name, "', ",
                             name == kept ? "which all others are compared with" : "which is no method",
                             "; nearfar::methods(\"", front, "\") lists those that may be left out"));
}

std::string left_out_in_words(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names) words += text(words.empty() ? ", without " : ", ", name);
  return words;
}

double budget_s(double wanted) {
  if (!(wanted <= most_budget_s))
    throw usage_error(text("a budget for tuning of ", wanted, " s; 0 (NEARFAR_BUDGET or ", default_budget_s, " s) to ",
                           most_budget_s, " s are possible, and less than 0 for none"));
  if (wanted == 0) return env::number_or("NEARFAR_BUDGET", default_budget_s, 0, most_budget_s);
  return std::max(wanted, 0.0);
}

}  // namespace tune

std::vector<std::string> fronts() {
  std::vector<std::string> names;
  for (const auto& [name, list] : tune::table()) names.push_back(name);
  return names;
}

std::vector<method_info> methods(const std::string& front) {
  const auto found = tune::table().find(tune::full_name(front));
  if (found == tune::table().end())
    throw usage_error(text("there is no front '", front, "'; there are ", tune::known_fronts()));
  return found->second(found->first);
}

}  // namespace nearfar
