// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/race_clock.hpp>
#include <tune/selection.hpp>

namespace nearfar::tune {
namespace {

/// Decisions of this run: a code that plans after each change of its mesh must not tune each time.
struct decisions_of_run {
  std::map<std::string, wisdom_entry> made;
  static decisions_of_run& of(const team& t) {
    return state_of(t).attachment<decisions_of_run>([] { return new decisions_of_run; });
  }
};

std::string on_this_machine(const team& members, const std::string& key) {
  return text(key, " on ", machine_signature(members));
}

std::optional<selection> known(const team& members, const std::string& key, const selection_terms& terms) {
  if (terms.is_kept_in_this_run) {
    const auto& made = decisions_of_run::of(members).made;
    if (const auto before = made.find(key); before != made.end() && terms.accepts(before->second.method))
      return selection{before->second.method, "as a plan before", before->second.seconds, {}};
  }
  if (const auto kept = remembered(members, key, terms.accepts))
    return selection{kept->method, "from wisdom", kept->seconds, {}};
  return std::nullopt;
}

selection raced(const team& members, const std::string& key, const selection_terms& terms) {
  const double begin = race_clock();
  decision d = terms.race();
  remember(members, key, {d.chosen, d.seconds});
  return {d.chosen, text("tuned in ", readable_time(race_clock() - begin)), d.seconds, std::move(d.tried)};
}

}  // namespace

wishes wishes_for(const std::string& front, const std::string& method, double wanted_s) {
  return {method.empty() ? pinned_method(front) : method, budget_s(wanted_s)};
}

std::optional<wisdom_entry> remembered(const team& members, const std::string& key,
                                       const std::function<bool(const std::string&)>& accepts) {
  auto kept = find_wisdom(members, on_this_machine(members, key));
  // What is not accepted was written by another version, or for other abilities of the machine.
  if (kept && !accepts(kept->method)) kept.reset();
  return kept;
}

void remember(const team& members, const std::string& key, const wisdom_entry& chosen) {
  keep_wisdom(members, on_this_machine(members, key), chosen);
}

selection select(const team& members, const selection_terms& terms) {
  if (!terms.pinned.empty()) return {terms.pinned, "pinned", 0, {}};
  const std::string key = terms.key();
  std::optional<selection> s = known(members, key, terms);
  if (!s) s = raced(members, key, terms);
  if (terms.is_kept_in_this_run) decisions_of_run::of(members).made[key] = {s->chosen, s->seconds};
  return *std::move(s);
}

std::function<bool(const std::string&)> one_of(std::vector<std::string> names) {
  return [all = std::move(names)](const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
}

std::string selection::timings_in_lines() const {
  text_writer out;
  for (const timing& t : tried)
    out << "  " << std::left << std::setw(28) << t.name << std::right << std::setw(12) << readable_time(t.median_s)
        << "  median of " << t.samples << (t.was_dropped ? " (dropped)" : "") << (t.name == chosen ? "  <- chosen" : "")
        << '\n';
  return out.str();
}

std::string json_text(const std::string& words) {
  return nlohmann::json(words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string selection::json(const std::string& plan, const std::string& name) const {
  nlohmann::ordered_json all{{"plan", plan}, {"name", name}, {"chosen", chosen}, {"how", how}, {"seconds", seconds}};
  all["tried"] = nlohmann::ordered_json::array();
  for (const timing& t : tried)
    all["tried"].push_back({{"name", t.name},
                            {"median_s", t.median_s},
                            {"minimum_s", t.minimum_s},
                            {"samples", t.samples},
                            {"dropped", t.was_dropped}});
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace nearfar::tune
