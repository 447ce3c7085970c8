// SPDX-License-Identifier: BSD-3-Clause
// First the ways for near ranks are raced, then, with the winner, those for far ranks.
#include "selection.hpp"

#include <algorithm>
#include <base/env.hpp>
#include <base/text.hpp>
#include <bit>
#include <exchange/exchange.hpp>
#include <map>
#include <near/arena.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/wisdom.hpp>

namespace nearfar::gathering {

namespace {

constexpr double default_budget_s = 0.5;
/// Reading in place does a part of what packing does: what makes packing look a little faster is noise.
constexpr double near_hysteresis = 0.25, far_hysteresis = 0.03;

/// Decisions of this run: a code that plans after each change of its mesh must not tune each time.
struct decisions {
  std::map<std::string, tune::wisdom_entry> made;
  static decisions& of(const team& t) {
    return t.state().attachment<decisions>([] { return new decisions; });
  }
};

int magnitude(index bytes) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))); }

/// Plans of the same magnitude are alike.
std::string key_of(const team& members, const plan_facts& f) {
  return text("gather ", f.element_bytes, " B, near 2^", f.has_near ? magnitude(f.largest_near_bytes) : -1,
              " B, far 2^", f.has_far ? magnitude(f.largest_far_bytes) : -1, " B on ",
              tune::machine_signature(members));
}

/// The first stands unless another is faster by more than the noise. Messages are no standing choice where memory is shared: they
/// copy what the others copy and more, so that only noise makes them look alike.
std::vector<choice> near_field(const team& members) {
  if (!near::arena::of(members).is_shared()) return {yardstick()};
  return {{"near-direct", "isend"}, {"near-mixed", "isend"}, yardstick()};
}

std::vector<choice> far_field(const team& members, const choice& near) {
  std::vector<choice> field{near};
  const std::vector<std::string> here = far_methods_here(members);
  for (const std::string& name : far_candidates()) {
    if (std::find(here.begin(), here.end(), name) == here.end()) continue;
    const choice c{near.near, name};
    if (std::find(field.begin(), field.end(), c) == field.end()) field.push_back(c);
  }
  return field;
}

void race(const team& members, const std::vector<choice>& field, tune::race_options options, const plan_facts& f,
          const std::function<void(const choice&)>& run, const std::function<void()>& prepare, selection& s) {
  std::vector<tune::candidate> entries;
  for (const choice& c : field)
    entries.push_back({c.name(f.has_near, f.has_far), [&run, &c] { run(c); }, c == field.front(), prepare});
  const tune::decision d = tune::race(members, entries, options);
  s.tried.insert(s.tried.end(), d.tried.begin(), d.tried.end());
  s.seconds = d.seconds;
  for (const choice& c : field)
    if (c.name(f.has_near, f.has_far) == d.chosen) s.what = c;
}

bool recall(const team& members, const std::vector<std::string>& far, const tune::wisdom_entry& e, selection& s) {
  try {
    s.what = parse_choice(members, e.method, far);
  } catch (const usage_error&) {
    return false;  // written by another version, or for other abilities of the machine: tune anew
  }
  s.seconds = e.seconds;
  return true;
}

}  // namespace

selection select(const team& members, const gather_options& options, const plan_facts& facts,
                 const std::function<void(const choice&)>& run, const std::function<void()>& prepare) {
  selection s;
  double budget_s = 0;
  const std::vector<std::string> far = far_methods_here(members);
  bool is_pinned = false;
  agree(members, [&] {
    const std::string name = options.method.empty() ? env::string_or("NEARFAR_GATHER", "") : options.method;
    budget_s = options.budget_s >= 0 ? options.budget_s : env::number_or("NEARFAR_BUDGET", default_budget_s, 0, 3600);
    is_pinned = !name.empty();
    if (is_pinned)
      s.what = parse_choice(members, name, far);
    else if (!near::arena::of(members).is_shared())
      s.what = yardstick();
  });
  s.how = is_pinned ? "pinned" : "no peers";
  if (is_pinned || (!facts.has_near && !facts.has_far)) return s;
  const std::string key = key_of(members, facts);
  auto& made = decisions::of(members).made;
  if (const auto before = made.find(key); before != made.end() && recall(members, far, before->second, s)) {
    s.how = "as a plan before";
    return s;
  }
  if (const auto known = tune::find_wisdom(members, key); known && recall(members, far, *known, s)) {
    s.how = "from wisdom";
  } else {
    const double started = MPI_Wtime(), share = facts.has_near && facts.has_far ? budget_s / 2 : budget_s;
    s.what = near_field(members).front();
    if (facts.has_near) race(members, near_field(members), {share, near_hysteresis}, facts, run, prepare, s);
    if (facts.has_far)
      race(members, far_field(members, {s.what.near, "isend"}), {share, far_hysteresis}, facts, run, prepare, s);
    s.how = text("tuned in ", readable_time(MPI_Wtime() - started));
    tune::keep_wisdom(members, key, {s.what.near + "+" + s.what.far, s.seconds});
  }
  made[key] = {s.what.near + "+" + s.what.far, s.seconds};
  return s;
}

}  // namespace nearfar::gathering
