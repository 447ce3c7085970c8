// SPDX-License-Identifier: BSD-3-Clause
// Candidates for both directions of a plan, and the race between them.
#include <base/internals.hpp>
#include <tune/methods.hpp>

#include "whole.hpp"

#include <algorithm>
#include <array>
#include <base/text.hpp>
#include <optional>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/race_clock.hpp>

#include "engines.hpp"

namespace nearfar::fft {
namespace {

constexpr double whole_share = 1. / 3;  // of the budget
constexpr double least_rounds = 5;      // that the race must have room for

struct method {
  std::string name;
  std::vector<link> forward, backward;
};

const char* const by_stage = "stage by stage";

std::string stages_in_words(const method& w) {
  std::string words;
  for (const std::vector<link>* links : {&w.forward, &w.backward})
    for (const link& l : *links) words += l.run->describe() + "\n";
  return words;
}

template <class Real>
class whole {
 public:
  whole(fft_state<Real>& p, const transpose_arrays& physical, const transpose_arrays& spectral,
        std::vector<std::string> engines)
      : p_(p),
        physical_(physical),
        spectral_(spectral),
        budget_s_(budget_of_root(p)),
        build_(p, (1 - whole_share) * budget_s_, std::move(engines)) {}

  void choose() {
    std::optional<numbers_for_zeros> in_physical, in_spectral;
    if (!p_.is_on_device) in_physical.emplace(p_.physical, physical_), in_spectral.emplace(p_.spectral, spectral_);
    const std::vector<std::string> names = kinds();
    const std::string key = names.empty() ? "" : whole_key();
    const std::string known = names.empty() ? "" : known_stages(p_.team(), key, names);
    method taken = made(known.empty() ? by_stage : known);
    if (known.empty() && !names.empty()) taken = race(std::move(taken), names, key);
    p_.forward.links = std::move(taken.forward), p_.backward.links = std::move(taken.backward);
  }

 private:
  /// It decides which races are held: ranks that differ would wait for each other in different ones.
  static double budget_of_root(const fft_state<Real>& p) {
    double budget_s = tune::budget_s(p.options.budget_s);
    watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&budget_s, 1, MPI_DOUBLE, 0, p.team().comm()); });
    return budget_s;
  }

  /// Names of all methods; none if there is but one.
  std::vector<std::string> kinds() const {
    std::vector<std::string> names{by_stage};
    const bool has_fused = build_.has_fused(p_.forward) || build_.has_fused(p_.backward);
    if (p_.options.fusion != fft_fusion::always)
      for (const std::string& engine : build_.engines()) names.push_back(text(engine, " in turn"));
    if (has_fused && p_.options.fusion == fft_fusion::raced) names.emplace_back("at once");
    const std::size_t steps = std::max(p_.forward.steps.steps.size(), p_.backward.steps.steps.size());
    if (steps == 1 || names.size() < 3 || budget_s_ <= 0) names.clear();
    return names;
  }

  method made(const std::string& name) {
    method w{name, {}, {}};
    set_arrays(), w.forward = links_of(name, p_.forward);
    set_arrays(), w.backward = links_of(name, p_.backward);
    return w;
  }

  std::vector<link> links_of(const std::string& name, const direction& d) const {
    if (name == by_stage) return build_.stage_by_stage(d);
    if (name == "at once") return build_.at_once(d);
    return build_.in_turn(d, name.substr(0, name.find(' ')));
  }

  void set_arrays() { p_.physical_arrays.keep(physical_), p_.spectral_arrays.keep(spectral_); }

  void run(const direction& d, const std::vector<link>& links) const {
    for (const link& l : links) {
      l.run->start(p_.arrays_at(d, l.first), p_.arrays_at(d, l.end));
      l.run->finish();
    }
  }

  void run(const method& w) {
    set_arrays(), run(p_.forward, w.forward);
    set_arrays(), run(p_.backward, w.backward);
  }

  bool fits(double seconds, std::size_t methods) const {
    return everywhere(state_of(p_.team()),
                      seconds * static_cast<double>(methods) * least_rounds < whole_share * budget_s_);
  }

  /// Whether rounds of so many methods fit the budget if each stage does no more than read and write its array, as fast
  /// as memory may be: else large arrays would be saved for a race that is not held.
  bool may_fit_budget(const method& w, std::size_t methods) const {
    constexpr double hardly_exceeded_bytes_per_s = 4e10;
    const auto bytes = static_cast<double>(p_.physical.wanted().field_bytes() * p_.options.fields);
    return fits(2 * bytes / hardly_exceeded_bytes_per_s * static_cast<double>(w.forward.size() + w.backward.size()),
                methods);
  }

  /// Whether they do. The first run warms up.
  bool fits_budget(const method& w, std::size_t methods) {
    std::array<double, 2> seconds{};
    for (double& s : seconds) {
      const double begin = tune::race_clock();
      run(w);
      s = tune::race_clock() - begin;
    }
    return fits(seconds[1], methods);
  }

  method race(method first, const std::vector<std::string>& names, const std::string& key) {
    if (!may_fit_budget(first, names.size())) return first;
    std::optional<saved_arrays> physical, spectral;
    agree(p_.team(), [&] { physical.emplace(p_.physical, physical_), spectral.emplace(p_.spectral, spectral_); });
    if (!fits_budget(first, names.size())) return first;
    std::vector<method> methods;
    std::vector<std::string> stages;
    const auto add = [&](method w) {
      std::string words = stages_in_words(w);
      const bool is_new = std::find(stages.begin(), stages.end(), words) == stages.end();
      if (everywhere(state_of(p_.team()), !is_new)) return;
      methods.push_back(std::move(w)), stages.push_back(std::move(words));
    };
    add(std::move(first));
    for (std::size_t i = 1; i < names.size(); ++i) add(made(names[i]));
    std::vector<candidate_stage> field;
    field.reserve(methods.size());
    for (const method& w : methods) field.push_back({w.name, nullptr, [this, &w] { run(w); }});
    const std::string best = fastest_whole(p_.team(), key, field, whole_share * budget_s_);
    return std::move(*std::find_if(methods.begin(), methods.end(), [&](const method& w) { return w.name == best; }));
  }

  std::string whole_key() const {
    std::string key =
        text(p_.options.method, tune::left_out_in_words(p_.options.without), p_.is_in_place ? ", in place" : "");
    for (const std::string& engine : build_.engines()) key += text(" ", engine);
    for (const direction* d : {&p_.forward, &p_.backward})
      for (const step& s : d->steps.steps)
        key += key_of({p_.layout.shape(), p_.options, d->is_backward}, s, sizeof(Real));
    return key;
  }

  fft_state<Real>& p_;
  const transpose_arrays &physical_, &spectral_;
  double budget_s_;
  builder<Real> build_;
};

}  // namespace

template <class Real>
void build_links(fft_state<Real>& p, const transpose_arrays& physical, const transpose_arrays& spectral,
                 std::vector<std::string> engines) {
  whole<Real>(p, physical, spectral, std::move(engines)).choose();
}

template void build_links(fft_state<float>&, const transpose_arrays&, const transpose_arrays&,
                          std::vector<std::string>);
template void build_links(fft_state<double>&, const transpose_arrays&, const transpose_arrays&,
                          std::vector<std::string>);

}  // namespace nearfar::fft
