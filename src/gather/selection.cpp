// SPDX-License-Identifier: BSD-3-Clause
// First the methods for near ranks are raced, then, with the winner, those for far ranks.
#include "selection.hpp"

#include <algorithm>
#include <array>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <bit>
#include <exchange/exchange.hpp>
#include <map>
#include <near/arena.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/ranking.hpp>
#include <tune/wisdom.hpp>

namespace nearfar::gathering {

namespace {

constexpr double far_hysteresis = 0.1, mate_hysteresis = 0.2;
constexpr int near_rounds = 8;  // methods between near ranks are often alike: no need to know which is better by a hair

/// Decisions of this run: a code that plans after each change of its mesh must not tune each time.
struct decisions {
  std::map<std::string, tune::wisdom_entry> made;
  static decisions& of(const team& t) {
    return state_of(t).attachment<decisions>([] { return new decisions; });
  }
};

int magnitude(index_t bytes) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))); }

/// Plans of the same magnitude are alike.
std::string key_of(const team& members, const plan_facts& f) {
  return text("gather and scatter ", f.element_bytes, " B, near 2^", f.has_near ? magnitude(f.largest_near_bytes) : -1,
              " B, far 2^", f.has_far ? magnitude(f.largest_far_bytes) : -1, " B on ", tune::machine_signature(members),
              tune::left_out_in_words(f.without));
}

/// A method between near ranks, and by how much one that comes after it must be faster.
struct near_method {
  const char* name;
  double hysteresis;
};
/// Reading in place does a part of what packing does: what makes packing look a little faster is noise. Messages are no
/// standing choice where memory is shared: they copy what the others copy and more, so that only noise makes them look
/// alike.
constexpr std::array near_methods{near_method{"near-direct", 0.25}, near_method{"near-staged/near-direct", 0.15},
                                  near_method{"near-streamed", 0}};
using near_list = std::array<near_method, near_methods.size()>;
/// With messages to far ranks in the same operation, reading in place makes a rank wait for mates who wait for
/// messages, and the little that it saves is lost in their noise.
constexpr std::array near_methods_beside_far{
    near_method{"near-streamed", 0.15}, near_method{"near-staged/near-direct", 0.15}, near_method{"near-direct", 0}};

const near_list& near_methods_for(const plan_facts& f) { return f.has_far ? near_methods_beside_far : near_methods; }

/// Where mates share cores, one that waits for another's near memory keeps it from the core, and messages, which the
/// system copies, are as quick or quicker: they stand, unless memory is faster by more than the noise. Collective over
/// the team.
bool do_messages_stand(const team& members, const plan_facts& f) {
  return f.has_far && !everywhere(state_of(members), !state_of(members).is_short_of_cores);
}

/// By how much near memory must be faster then. Long messages lose a race of bursts by less than this and win where
/// ranks do not come in step; what near memory saves on short ones it saves everywhere, and the methods through mates
/// need it.
double message_hysteresis(const plan_facts& f) {
  constexpr index_t short_bytes = 32768;
  return f.largest_near_bytes <= short_bytes ? 0.03 : 0.1;
}

bool is_left_out(const plan_facts& f, const std::string& name) {
  return std::find(f.without.begin(), f.without.end(), name) != f.without.end();
}

std::vector<choice> near_field(const team& members, const plan_facts& f) {
  std::vector<choice> field;
  if (near::arena::of(members).is_shared())
    for (const near_method& w : near_methods_for(f)) field.push_back({w.name, "isend"});
  std::erase_if(field, [&](const choice& c) { return is_left_out(f, c.near); });
  field.push_back(yardstick());
  return field;
}

const choice& raced_choice(const std::vector<choice>& field, const plan_facts& f, const std::string& name) {
  return *std::find_if(field.begin(), field.end(),
                       [&](const choice& c) { return c.name(f.has_near, f.has_far) == name; });
}

/// The first that no other beats by more than its hysteresis; null: what the race says. All ranks have the same
/// figures.
const tune::timing* standing(const std::vector<choice>& field, const plan_facts& f,
                             const std::vector<tune::timing>& tried) {
  const auto by_median = [](const tune::timing& a, const tune::timing& b) { return a.median_s < b.median_s; };
  const double best_s = std::min_element(tried.begin(), tried.end(), by_median)->median_s;
  for (const near_method& w : near_methods_for(f))
    for (const tune::timing& t : tried)
      if (raced_choice(field, f, t.name).near == w.name && (1 - w.hysteresis) * t.median_s <= best_s) return &t;
  return nullptr;
}

/// What passes through a mate waits for one who may be late in the program where it never is in a race: that must be
/// clearly faster. Else the best of the others; null where what the race says stands.
const tune::timing* without_mates(const std::vector<choice>& field, const plan_facts& f, const tune::decision& d) {
  const auto is_by_mates = [&](const std::string& name) { return raced_choice(field, f, name).is_through_mates(); };
  if (!is_by_mates(d.chosen)) return nullptr;
  const tune::timing *const plain = &d.tried.front(), *best = plain;
  for (const tune::timing& t : d.tried)
    if (!is_by_mates(t.name) && t.median_s < best->median_s) best = &t;
  if ((1 - far_hysteresis) * plain->median_s < best->median_s) best = plain;
  return (1 - mate_hysteresis) * best->median_s < d.seconds ? best : nullptr;
}

std::vector<choice> far_field(const team& members, const plan_facts& f, const choice& near) {
  std::vector<choice> field{near};
  const std::vector<std::string> here = far_methods_here(members);
  for (const std::string& name : far_candidates()) {
    if (is_left_out(f, name) || std::find(here.begin(), here.end(), name) == here.end()) continue;
    const choice c{near.near, name};
    if (std::find(field.begin(), field.end(), c) == field.end()) field.push_back(c);
  }
  return field;
}

tune::decision race(const team& members, const std::vector<choice>& field, const tune::race_options& options,
                    const plan_facts& f, const std::function<void(const choice&)>& run, const raced_moves& moves) {
  std::vector<tune::candidate> entries;
  for (const choice& c : field)
    entries.push_back({c.name(f.has_near, f.has_far), [&run, &c] { run(c); }, c == field.front(), moves.prepare});
  return tune::race(members, entries, options);
}

void settle(const std::vector<choice>& field, const plan_facts& f, const tune::decision& d, selection& s) {
  s.tried.insert(s.tried.end(), d.tried.begin(), d.tried.end());
  s.seconds = d.seconds;
  s.what = raced_choice(field, f, d.chosen);
}

void choose_near(const team& members, double budget_s, const plan_facts& f, const raced_moves& moves, selection& s) {
  auto field = near_field(members, f);
  const bool has_standing_messages = do_messages_stand(members, f);
  if (has_standing_messages) std::rotate(field.begin(), field.end() - 1, field.end());
  const double hysteresis = has_standing_messages ? message_hysteresis(f) : 0;
  tune::decision d = race(members, field, {budget_s, hysteresis, near_rounds}, f, moves.gather_and_scatter, moves);
  if (const tune::timing* t = has_standing_messages ? nullptr : standing(field, f, d.tried))
    d.chosen = t->name, d.seconds = t->median_s;
  settle(field, f, d, s);
}

void choose_far(const team& members, double budget_s, const plan_facts& f, const raced_moves& moves, selection& s) {
  const auto field = far_field(members, f, {s.what.near, "isend"});
  tune::decision d = race(members, field, {budget_s, far_hysteresis}, f, moves.gather_and_scatter, moves);
  if (const tune::timing* t = without_mates(field, f, d)) d.chosen = t->name, d.seconds = t->median_s;
  settle(field, f, d, s);
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

/// The root's wishes count. Collective over the team.
bool is_raced_again(const team& members, double budget_s) {
  int wish = budget_s > 0 && members.nodes() == 1 && near::arena::of(members).is_shared() ? 1 : 0;
  agree(members, [&] { wish = tune::are_races_repeated() ? wish : 0; });
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&wish, 1, MPI_INT, 0, members.comm()); });
  return wish != 0;
}

}  // namespace

selection select(const team& members, const gather_options& options, const plan_facts& facts,
                 const raced_moves& moves) {
  selection s;
  double budget_s = 0;
  const std::vector<std::string> far = far_methods_here(members);
  bool is_pinned = false;
  agree(members, [&] {
    const std::string name = options.method.empty() ? tune::pinned_method("gather") : options.method;
    budget_s = tune::budget_s(options.budget_s);
    is_pinned = !name.empty();
    if (is_pinned)
      s.what = parse_choice(members, name, far);
    else if (!near::arena::of(members).is_shared())
      s.what = yardstick();
  });
  s.how = is_pinned ? "pinned" : "no peers";
  if (is_pinned || (!facts.has_near && !facts.has_far)) return s;
  s.is_raced_again = is_raced_again(members, budget_s);
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
    s.what = near_field(members, facts).front();
    if (facts.has_near) choose_near(members, share, facts, moves, s);
    if (facts.has_far) choose_far(members, share, facts, moves, s);
    s.how = text("tuned in ", readable_time(MPI_Wtime() - started));
    tune::keep_wisdom(members, key, {s.what.near + "+" + s.what.far, s.seconds});
  }
  made[key] = {s.what.near + "+" + s.what.far, s.seconds};
  return s;
}

}  // namespace nearfar::gathering
