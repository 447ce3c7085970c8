// SPDX-License-Identifier: BSD-3-Clause
// The candidates of an exchange: first the methods for near peers, then, with the winner, those for far peers.
#include "selection.hpp"

#include <algorithm>
#include <base/env.hpp>
#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <topology/agree.hpp>
#include <tune/methods.hpp>
#include <tune/selection.hpp>

#include "methods/near.hpp"

namespace nearfar::exchange {

namespace {

constexpr int least_rounds =
    3;  // the first round of a method meets pages that nobody has touched yet, and does not count
const choice yardstick{"isend", "isend"};

/// What a decision depends on besides the machine: the flows of all ranks, in an order-free sum.
std::string signature(const context& c, const exchange_options& options) {
  hash64 mine;
  mine.add(options.shape);
  if (options.counts_rewriting || options.rewrite)
    mine.add(std::string(options.rewrite ? "rewritten by its writer" : "rewritten"));
  for (const auto* list : {&options.also, &options.without}) {
    mine.add(as_index(list->size()));
    for (const std::string& name : *list) mine.add(name);
  }
  mine.add(c.reader != nullptr ? 1 : 0);
  for (const auto* list : {&c.sends, &c.receives})
    for (const flow& f : *list) {
      mine.add(list == &c.sends ? 1 : 2).add(f.is_self ? 0 : f.is_near() ? 1 : 2).add(f.bytes);
      for (const transfer_facts& t : f.here) mine.add(t.run_bytes).add(t.is_in_arena ? 1 : 0);
    }
  std::uint64_t in = mine.value(), sum = 0;
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&in, &sum, 1, MPI_UINT64_T, MPI_SUM, c.members.comm()); });
  return text("exchange ", std::hex, sum);
}

/// Contents of the receiving regions, put back when tuning is over.
class saved_targets {
 public:
  explicit saved_targets(const context& c) : c_(c) {
    for (const flow& f : c.receives) f.pack_into(bytes_.emplace_back(as_size(f.bytes)).data());
  }
  ~saved_targets() {
    for (std::size_t i = 0; i < bytes_.size(); ++i) c_.receives[i].unpack_from(bytes_[i].data());
  }
  saved_targets(const saved_targets&) = delete;
  saved_targets& operator=(const saved_targets&) = delete;

 private:
  const context& c_;
  std::vector<std::vector<std::byte>> bytes_;
};

/// Numbers to race with in sending regions that hold nothing but zeros, which they hold again afterwards.
class numbers_for_zeros {
 public:
  numbers_for_zeros(const context& c, bool are_constant)
      : sends_(c.sends),
        are_zero_(!are_constant &&
                  std::all_of(c.sends.begin(), c.sends.end(), [](const flow& f) { return f.holds_zeros(); })) {
    if (!are_zero_) return;
    for (const flow& f : sends_) f.fill_with_test_values();
  }
  ~numbers_for_zeros() {
    if (!are_zero_) return;
    for (const flow& f : sends_) f.fill_with_zeros();
  }
  numbers_for_zeros(const numbers_for_zeros&) = delete;
  numbers_for_zeros& operator=(const numbers_for_zeros&) = delete;

 private:
  const std::vector<flow>& sends_;
  bool are_zero_;
};

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> candidates(const context& c, const exchange_options& options, bool for_near) {
  std::vector<std::string> names;
  for (const method_entry& e : registry()) {
    const bool serves = for_near ? e.about.near : e.about.far;
    const bool is_wanted = (e.about.is_candidate && (e.is_worthwhile == nullptr || e.is_worthwhile(c))) ||
                           is_among(options.also, e.about.name);
    if (is_among(options.without, e.about.name)) continue;
    if (serves && is_wanted && e.is_available(c)) names.push_back(e.about.name);
  }
  return names;
}

/// Stores a byte of every line that is sent, unchanged: callers compute new data between exchanges, which makes the
/// lines this rank's own again.
void write_sources_anew(const context& c) {
  for (const flow& f : c.sends) f.touch();
}

/// Who wins a race of equals. Long messages that wait for their receiver's word get into a slow state of TCP now and
/// then, for seconds, in which a limited link stays idle half of the time: those in parts never do, so that a race in
/// the quick state must not prefer others to them.
choice preferred(const std::vector<choice>& field) {
  const auto found = std::find_if(field.begin(), field.end(), [](const choice& c) { return c.far == "parts"; });
  return found != field.end() ? *found : yardstick;
}

/// Races the choices; keeps the runner of the winner, and adds what was tried to `all`.
void race(context& c, const std::vector<choice>& field, const exchange_options& options, double budget_s,
          std::unique_ptr<runner>& winner, tune::decision& all) {
  std::vector<std::unique_ptr<runner>> runners;
  std::vector<tune::candidate> entries;
  const std::function<void()> prepare = options.rewrite ? options.rewrite : [&c, &options] {
    if (!options.are_sources_constant) write_sources_anew(c);
  };
  const bool is_counted = options.counts_rewriting || options.rewrite;
  const choice among_equals = preferred(field);
  for (const choice& what : field) {
    const bool is_kept = winner && winner->methods() == what;
    runner* r = is_kept ? winner.get() : runners.emplace_back(std::make_unique<runner>(c, what)).get();
    entries.push_back({what.name(c), [r] { r->start(), r->finish(); }, what == among_equals, prepare, 0, is_counted});
  }
  const tune::decision d = tune::race(
      c.members, entries, {.budget_s = budget_s, .least_rounds = least_rounds, .least_share = options.least_share});
  all.tried.insert(all.tried.end(), d.tried.begin(), d.tried.end());
  all.chosen = d.chosen, all.seconds = d.seconds;
  for (auto& r : runners)
    if (r->methods().name(c) == d.chosen) winner = std::move(r);
}

/// Near methods that choose the same protocol for every flow of the team are one candidate: the first of them.
std::vector<std::string> without_equals(const context& c, const std::vector<std::string>& names) {
  std::vector<std::uint64_t> protocols;
  for (const std::string& name : names) protocols.push_back(entry_named(name).about.far ? 0 : protocols_of(c, name));
  watched_mpi("MPI_Allreduce", [&] {
    return MPI_Allreduce(MPI_IN_PLACE, protocols.data(), static_cast<int>(protocols.size()), MPI_UINT64_T, MPI_SUM,
                         c.members.comm());
  });
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto first = std::find(protocols.begin(), protocols.end(), protocols[i]) - protocols.begin();
    if (as_size(first) == i || entry_named(names[i]).about.far) kept.push_back(names[i]);
  }
  return kept;
}

std::vector<choice> near_field(const context& c, const exchange_options& options) {
  std::vector<choice> field;
  for (const std::string& name : without_equals(c, candidates(c, options, true))) {
    // In the records of bench/results no message but the plain one has ever won between ranks that share memory. With
    // far peers their turn comes.
    const bool is_message = entry_named(name).about.far && name != yardstick.near;
    if (is_message && (c.has_far || c.arena->is_shared()) && !is_among(options.also, name)) continue;
    field.push_back({name, c.has_far ? yardstick.far : name});
  }
  return field;
}

std::vector<choice> far_field(const context& c, const exchange_options& options, const std::string& near) {
  std::vector<choice> field{yardstick};
  for (const std::string& name : candidates(c, options, false)) {
    const bool serves_all = !c.has_near || entry_named(name).about.near;
    const choice with_near{near == yardstick.near && serves_all ? name : near, name};
    const choice for_all{is_one_segment_for_all(name) && c.has_near ? name : with_near.near, name};
    for (const choice& what : {with_near, for_all})
      if (std::find(field.begin(), field.end(), what) == field.end()) field.push_back(what);
  }
  return field;
}

tune::decision tune_all(context& c, const exchange_options& options, double budget_s, std::unique_ptr<runner>& winner) {
  std::optional<saved_targets> saved;
  if (c.reader == nullptr) agree(c.members, [&] { saved.emplace(c); });
  const numbers_for_zeros numbers(c, options.are_sources_constant);
  const double share = c.has_near && c.has_far ? budget_s / 2 : budget_s;
  std::string near = yardstick.near;
  tune::decision all;
  if (c.has_near) {
    race(c, near_field(c, options), options, share, winner, all);
    near = winner->methods().near;
  }
  if (c.has_far) race(c, far_field(c, options, near), options, share, winner, all);
  return all;
}

index_t place_of(const std::string& name) {
  const auto& all = registry();
  const auto found = std::find_if(all.begin(), all.end(), [&](const method_entry& e) { return name == e.about.name; });
  return found == all.end() ? -1 : found - all.begin();
}

/// What ranks wish for decides which races they hold: ranks that differ would wait for each other in different ones.
void require_same_wishes(const context& c, const exchange_options& options, const std::string& pinned) {
  const auto plus = pinned.find('+');
  std::vector<index_t> places{place_of(pinned.substr(0, plus))};
  if (plus != std::string::npos) places.push_back(place_of(pinned.substr(plus + 1)));
  const auto places_of = [](const std::vector<std::string>& names) {
    std::vector<index_t> all;
    for (const std::string& name : names) all.push_back(place_of(name));
    return all;
  };
  constexpr const char* numbered = " (places in nearfar::methods(), from 0)";
  require_same(c.members,
               {{c.name + ": the method (its place in nearfar::methods(), from 0; -1: none is pinned)", places},
                {text(c.name, ": methods left out", numbered), places_of(options.without)},
                {text(c.name, ": methods tried besides", numbered), places_of(options.also)}});
}

std::unique_ptr<runner> remembered(context& c, const std::string& name) {
  choice what;
  bool is_known = true;
  try {
    what = choice::parse(c, name);
  } catch (const usage_error&) {
    is_known = false;  // written by another version, or for other abilities of the machine: tune anew
  }
  return is_known ? std::make_unique<runner>(c, what) : nullptr;
}

}  // namespace

bool is_made_locally(const exchange_options& options) {
  if (!options.is_agreed) return false;
  const auto plus = options.method.find('+');
  const std::string near = options.method.substr(0, plus);
  return entry_named(near).is_local &&
         (plus == std::string::npos || entry_named(options.method.substr(plus + 1)).is_local);
}

chosen_runner choose(context& c, const exchange_options& options) {
  const auto made = [&c](const choice& what) { return std::make_unique<runner>(c, what); };
  choice what = yardstick;
  if (c.is_made_locally) {
    what = choice::parse(c, options.method);
    return {{what.name(c), "pinned", 0, {}}, made(what)};
  }
  tune::wishes wanted;
  agree(c.members, [&] {
    wanted = tune::wishes_for(options.front, options.method, options.budget_s);
    if (!wanted.pinned.empty()) what = choice::parse(c, wanted.pinned);
  });
  require_same_wishes(c, options, wanted.pinned);
  if (!c.has_near && !c.has_far) return {{yardstick.name(c), "no peers", 0, {}}, made(yardstick)};
  std::unique_ptr<runner> winner;
  const auto accepts = [&](const std::string& name) { return (winner = remembered(c, name)) != nullptr; };
  const auto race = [&] { return tune_all(c, options, wanted.budget_s, winner); };
  tune::selection why = tune::select(
      c.members,
      {.pinned = wanted.pinned, .key = [&] { return signature(c, options); }, .accepts = accepts, .race = race});
  if (!winner) winner = made(what);
  why.chosen = winner->methods().name(c);
  return {std::move(why), std::move(winner)};
}

}  // namespace nearfar::exchange
