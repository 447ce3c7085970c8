// SPDX-License-Identifier: BSD-3-Clause
// Names of engines, and races between them.
#include "engines.hpp"

#include <algorithm>
#include <base/env.hpp>
#include <base/text.hpp>
#include <exchange/exchange.hpp>
#include <fourier/engine.hpp>
#include <topology/agree.hpp>
#include <tune/methods.hpp>
#include <tune/selection.hpp>

namespace nearfar::fft {
namespace {

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  text_reader words(list);
  for (std::string name; std::getline(words, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

constexpr const char* device_engine = "cufft";

void check_available(const std::vector<std::string>& names, bool is_on_device) {
  std::string known;
  for (const fourier::engine_info& e : fourier::engines())
    if (e.is_available && e.is_on_device == is_on_device) known += text(known.empty() ? "" : ", ", e.name);
  for (const std::string& name : names)
    if ((", " + known + ",").find(", " + name + ",") == std::string::npos)
      throw usage_error(text("fft: the serial engine '", name, "' cannot be had here for arrays in ",
                             is_on_device ? "GPU" : "the host's",
                             " memory; those that can: ", known.empty() ? "none" : known));
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += text(all.empty() ? "" : ",", n);
  return all;
}

}  // namespace

std::vector<std::string> wanted_engines(const team& members, const fft_options& options, bool is_on_device) {
  std::vector<std::string> names = options.engines;
  agree(members, [&] {
    if (names.empty() && is_on_device) names = {device_engine};
    if (names.empty()) names = names_in(env::string_or("NEARFAR_FFT_ENGINES", "own"));
    if (names.empty()) names = {"own"};
    check_available(names, is_on_device);
  });
  const auto hash = static_cast<index_t>(hash64().add(joined_names(names)).value());
  require_same(members, "fft: the list of serial engines (its hash)", std::vector<index_t>{hash});
  return names;
}

namespace {

constexpr double tie =
    0.01;  // the stage before takes part in the race: a tie of the whole is less than one of two methods

std::string stages_key(const std::string& key) { return "fft stages " + key; }

std::string chosen_by_race(const team& members, const std::string& key, const std::vector<std::string>& names,
                           const std::function<tune::decision()>& race) {
  return tune::select(members, {.key = [&] { return key; }, .accepts = tune::one_of(names), .race = race}).chosen;
}

}  // namespace

std::unique_ptr<stage> fastest(const team& members, const std::vector<std::string>& engines, const std::string& key,
                               const std::function<std::unique_ptr<stage>(const std::string&)>& make,
                               const transpose_arrays& in, const transpose_arrays& out, double budget_s) {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<stage>> made;
  const auto make_all = [&](const std::vector<std::string>& wanted) {
    names = wanted;
    agree(members, [&] {
      for (const std::string& name : names) made.push_back(make(name));
    });
  };
  if (engines.size() == 1) {
    make_all(engines);
    return std::move(made.front());
  }
  const auto race = [&] {
    make_all(engines);
    // Libraries plan for arrays of another alignment, or in place, when the first such arrays come: not in the race.
    agree(members, [&] {
      for (const auto& one : made) one->start(in, out), one->finish();
    });
    std::vector<tune::candidate> field;
    for (std::size_t i = 0; i < names.size(); ++i)
      field.push_back({names[i], [&, i] { made[i]->start(in, out), made[i]->finish(); }, i == 0});
    return tune::race(members, field, {.budget_s = budget_s, .least_share = exchange::deliberate_share});
  };
  const std::string chosen = chosen_by_race(members, text("fft ", key, " by ", joined_names(engines)), engines, race);
  if (made.empty()) make_all({chosen});
  return std::move(made[as_size(std::find(names.begin(), names.end(), chosen) - names.begin())]);
}

std::string faster(const team& members, const std::string& key, const candidate_stage& first,
                   const candidate_stage& second, const race_terms& terms) {
  bool is_raced = false;
  const auto race = [&] {
    is_raced = true;
    first.make(), second.make();
    return tune::race(members,
                      {{first.name, first.run, true, terms.rewrite, 0, true},
                       {second.name, second.run, false, terms.rewrite, 0, true}},
                      {.budget_s = terms.budget_s, .hysteresis = tie, .least_share = exchange::deliberate_share});
  };
  std::string chosen = chosen_by_race(members, stages_key(key), {first.name, second.name}, race);
  if (!is_raced) (chosen == first.name ? first : second).make();
  return chosen;
}

std::string known_stages(const team& members, const std::string& key, const std::vector<std::string>& names) {
  const auto known = tune::remembered(members, stages_key(key), tune::one_of(names));
  return known ? known->method : "";
}

std::string fastest_whole(const team& members, const std::string& key, const std::vector<candidate_stage>& made,
                          double budget_s) {
  std::vector<tune::candidate> field;
  for (const candidate_stage& c : made) field.push_back({c.name, c.run, field.empty()});
  const tune::decision d =
      tune::race(members, field, {.budget_s = budget_s, .hysteresis = tie, .least_share = exchange::deliberate_share});
  tune::remember(members, stages_key(key), {d.chosen, d.seconds});
  return d.chosen;
}

}  // namespace nearfar::fft
