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
#include <near/arena.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/ranking.hpp>

namespace nearfar::irregular {

namespace {

constexpr double far_hysteresis = 0.1, near_rank_hysteresis = 0.2;
constexpr int near_rounds = 8;  // methods between near ranks are often alike: no need to know which is better by a hair
constexpr int least_rounds = 3;  // the first round of a method makes its connections, and does not count

int magnitude(index_t bytes) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))); }

/// Plans of the same magnitude are alike.
std::string key_of(const plan_facts& f) {
  return text("gather and scatter ", f.element_bytes, " B, near 2^", f.has_near ? magnitude(f.largest_near_bytes) : -1,
              " B, far 2^", f.has_far ? magnitude(f.largest_far_bytes) : -1, " B", tune::left_out_in_words(f.without));
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
/// With messages to far ranks in the same operation, reading in place makes a rank wait for near ranks that wait for
/// messages, and the little that it saves is lost in the noise of these.
constexpr std::array near_methods_beside_far{
    near_method{"near-streamed", 0.15}, near_method{"near-staged/near-direct", 0.15}, near_method{"near-direct", 0}};

const near_list& near_methods_for(const plan_facts& f) { return f.has_far ? near_methods_beside_far : near_methods; }

/// If near ranks share cores, a rank that waits for another's near memory keeps that one from the core, and messages,
/// which the system copies, are as fast or faster: they are kept unless near memory is faster by more than the noise.
/// Collective over the team.
bool do_messages_stand(const team& members, const plan_facts& f) {
  return f.has_far && !everywhere(state_of(members), !state_of(members).is_short_of_cores);
}

/// By how much near memory must be faster then. Long messages lose a race of bursts by less than this, but win if ranks
/// arrive at different times; what near memory saves on short ones it always saves, and methods through near ranks need
/// it.
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

/// A method through a near rank waits for that rank, which may be late in the program though never in a race: it must
/// be clearly faster, else this is the best of the others. Null if the race's choice is kept.
const tune::timing* without_near_ranks(const std::vector<choice>& field, const plan_facts& f, const tune::decision& d) {
  const auto is_by_near_ranks = [&](const std::string& name) {
    return raced_choice(field, f, name).is_through_near_ranks();
  };
  if (!is_by_near_ranks(d.chosen)) return nullptr;
  const tune::timing *const plain = &d.tried.front(), *best = plain;
  for (const tune::timing& t : d.tried)
    if (!is_by_near_ranks(t.name) && t.median_s < best->median_s) best = &t;
  if ((1 - far_hysteresis) * plain->median_s < best->median_s) best = plain;
  return (1 - near_rank_hysteresis) * best->median_s < d.seconds ? best : nullptr;
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

choice settle(const std::vector<choice>& field, const plan_facts& f, const tune::decision& d, tune::decision& all) {
  all.tried.insert(all.tried.end(), d.tried.begin(), d.tried.end());
  all.seconds = d.seconds;
  return raced_choice(field, f, d.chosen);
}

choice choose_near(const team& members, double budget_s, const plan_facts& f, const raced_moves& moves,
                   tune::decision& all) {
  auto field = near_field(members, f);
  const bool has_standing_messages = do_messages_stand(members, f);
  if (has_standing_messages) std::rotate(field.begin(), field.end() - 1, field.end());
  const double hysteresis = has_standing_messages ? message_hysteresis(f) : 0;
  tune::decision d =
      race(members, field, {budget_s, hysteresis, near_rounds, least_rounds}, f, moves.gather_and_scatter, moves);
  if (const tune::timing* t = has_standing_messages ? nullptr : standing(field, f, d.tried))
    d.chosen = t->name, d.seconds = t->median_s;
  return settle(field, f, d, all);
}

choice choose_far(const team& members, double budget_s, const plan_facts& f, const std::string& near,
                  const raced_moves& moves, tune::decision& all) {
  const auto field = far_field(members, f, {near, "isend"});
  tune::decision d =
      race(members, field, {budget_s, far_hysteresis, 0, least_rounds}, f, moves.gather_and_scatter, moves);
  if (const tune::timing* t = without_near_ranks(field, f, d)) d.chosen = t->name, d.seconds = t->median_s;
  return settle(field, f, d, all);
}

tune::decision choose(const team& members, double budget_s, const plan_facts& f, const raced_moves& moves) {
  const double share = f.has_near && f.has_far ? budget_s / 2 : budget_s;
  tune::decision all;
  choice what = near_field(members, f).front();
  if (f.has_near) what = choose_near(members, share, f, moves, all);
  if (f.has_far) what = choose_far(members, share, f, what.near, moves, all);
  all.chosen = what.near + "+" + what.far;
  return all;
}

/// The root's wishes count. Collective over the team.
bool is_raced_again(const team& members, double budget_s) {
  int wish = budget_s > 0 && members.nodes() == 1 && near::arena::of(members).is_shared() ? 1 : 0;
  agree(members, [&] { wish = tune::are_races_repeated() ? wish : 0; });
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&wish, 1, MPI_INT, 0, members.comm()); });
  return wish != 0;
}

}  // namespace

selection select(const team& members, const irregular_options& options, const plan_facts& facts,
                 const std::function<raced_moves()>& begin) {
  selection s;
  tune::wishes wanted;
  const std::vector<std::string> far = far_methods_here(members);
  agree(members, [&] {
    wanted = tune::wishes_for("irregular", options.method, options.budget_s);
    if (!wanted.pinned.empty())
      s.what = parse_choice(members, wanted.pinned, far);
    else if (!near::arena::of(members).is_shared())
      s.what = yardstick();
  });
  s.why.how = wanted.pinned.empty() ? "no peers" : "pinned";
  if (!wanted.pinned.empty() || (!facts.has_near && !facts.has_far)) return s;
  s.is_raced_again = is_raced_again(members, wanted.budget_s);
  const auto accepts = [&](const std::string& name) {
    try {
      s.what = parse_choice(members, name, far);
    } catch (const usage_error&) {
      return false;
    }
    return true;
  };
  s.why = tune::select(members, {.key = [&] { return key_of(facts); },
                                 .is_kept_in_this_run = true,
                                 .accepts = accepts,
                                 .race = [&] { return choose(members, wanted.budget_s, facts, begin()); }});
  s.what = parse_choice(members, s.why.chosen, far);
  return s;
}

}  // namespace nearfar::irregular
