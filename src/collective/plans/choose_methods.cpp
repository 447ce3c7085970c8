// SPDX-License-Identifier: BSD-3-Clause
// Chooses among the engine's algorithms, the plan's own memory and MPI's calls.
#include <algorithm>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <cmath>
#include <cstring>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/race_clock.hpp>

#include "../choice.hpp"
#include "../plain_call.hpp"
#include "mpi_operation.hpp"
#include "plan_state.hpp"
#include "schedule.hpp"
#include "slot_operation.hpp"

namespace nearfar::collective {

namespace {

constexpr double least_gain = 0.03;
constexpr double wisdom_holds = 8;  // budgets, before it is looked at again
constexpr const char* slots_name = "plan-slots";
constexpr const char* streamed_name = "plan-slots-streamed";
constexpr index_t streamed_from_bytes = 2 << 10;
constexpr const char* buffers_name = "plan-buffers";
constexpr const char* mpi_name = "mpi";
constexpr const char* nonblocking_name = "mpi-nonblocking";

struct wishes {
  std::string method;
  double budget_s = 0;
  bool is_reproducible = false, tunes_again = true;
};

bool is_known_name(kind what, const std::string& name) {
  return name == slots_name || name == streamed_name || name == buffers_name || name == mpi_name ||
         find_algorithm(what, name) != nullptr;
}

wishes read_wishes(const plan_state& p) {
  wishes w;
  w.method = p.options.method;
  w.budget_s = tune::budget_s(p.options.budget_s);
  tune::check_left_out(text("plan \"", p.options.name, "\""), text("collective.", name_of(p.what.what)),
                       p.options.without, mpi_name);
  w.is_reproducible = env::string_or("NEARFAR_REPRODUCIBLE", "off") == "order";
  w.tunes_again = tune::are_races_repeated();
  if (w.method.empty() || is_known_name(p.what.what, w.method)) return w;
  std::string names = text(mpi_name, ", ", slots_name, ", ", streamed_name, ", ", buffers_name);
  for (const algorithm& a : algorithms_of(p.what.what)) names += text(", ", a.name);
  throw usage_error(text("plan \"", p.options.name, "\": no method of ", name_of(p.what.what), " is named \"", w.method,
                         "\"; there are ", names));
}

// The call as the engine's algorithms take it; false where they cannot.
bool understand(plan_state& p) {
  if (!p.engine->works) return false;
  const team_state& s = state_of(p.members);
  p.around = p.engine->works->surroundings();
  p.around.bytes = 0;
  const bool can = everywhere(s, make_job(p.what, s.rank, s.size, p.job, p.memory));
  if (!can) return false;
  p.around.bytes = p.job.bytes;
  p.around.is_commutative = !p.job.op.is_valid() || p.job.op.is_commutative();
  return true;
}

std::unique_ptr<operation> try_operation(plan_state& p, source from) {
  if (!p.engine->works) return nullptr;
  try {
    return make_slot_operation(p.what, p.members, p.around, from);
  } catch (const resource_error& e) {
    if (p.members.is_root())
      log::warning("plan \"", p.options.name, "\" goes without near memory of its own: ", e.what());
    return nullptr;
  }
}

// A ring is made when an algorithm is to be tried that needs one.
bool is_ready(plan_state& p, const algorithm& a) {
  node_segment& h = *p.engine->works->inside().near;
  if (!a.serves(p.around)) return false;
  if (!a.needs_ring || h.ring_bytes() > 0) return true;
  try {
    h.make_ring(ring_bytes);
  } catch (const resource_error&) {
    return false;
  }
  return true;
}

// ---- decisions by name ----

operation* operation_of(const plan_state& p, const std::string& name) {
  if (name == slots_name || name == streamed_name) return p.slots.get();
  if (name == buffers_name) return p.buffers.get();
  return name == nonblocking_name ? p.by_mpi.get() : nullptr;
}

near::stores stores_of(const std::string& name) {
  return name == streamed_name ? near::stores::past_caches : near::stores::ordinary;
}

void take_run(plan_state& p, const std::string& name) {
  p.run_name = name;
  p.run_operation = operation_of(p, name);
  p.run_stores = stores_of(name);
  p.runner = p.run_operation == nullptr && name != mpi_name ? find_algorithm(p.what.what, name) : nullptr;
}

void take_start(plan_state& p, const std::string& name) {
  p.start_name = name == nonblocking_name ? mpi_name : name;
  p.starter = operation_of(p, name);
  p.start_stores = stores_of(name);
}

// Peers may wait for something else while a plan is in flight: what depends on them must be asked for.
std::string usual_start(const plan_state& p) {
  return p.slots && p.slots->is_independent() ? slots_name : nonblocking_name;
}

std::string usual_run(plan_state& p, bool is_understood) {
  if (p.buffers && p.around.bytes >= direct_from_bytes) return buffers_name;
  const algorithm* a = is_understood ? default_algorithm(p.what.what, p.around) : nullptr;
  return a != nullptr && is_ready(p, *a) ? a->name : mpi_name;
}

// What NEARFAR_METHOD or the options name; empty where that does not serve this call.
std::string pinned(plan_state& p, const wishes& w, bool is_understood) {
  const auto serves = [&](const std::string& name) {
    if (name == mpi_name) return true;
    if (name == slots_name || name == streamed_name || name == buffers_name) return operation_of(p, name) != nullptr;
    const algorithm* a = find_algorithm(p.what.what, name);
    return is_understood && a != nullptr && is_ready(p, *a);
  };
  if (!w.method.empty()) {
    if (!serves(w.method))
      throw usage_error(text("plan \"", p.options.name, "\": method \"", w.method, "\" does not serve this call here"));
    return w.method;
  }
  if (!is_understood) return "";
  bool is_forced = false;
  const algorithm* a = pins().find(p.what.what, p.around, is_forced);
  if (!is_forced || (a != nullptr && !is_ready(p, *a))) return "";
  return a == nullptr ? mpi_name : a->name;
}

// ---- races ----

bool can_be_kept(const plan_state& p) {
  const side& s = p.what.receive;
  if (p.what.send.data != MPI_IN_PLACE || s.data == nullptr || p.job.op.is_valid()) return true;
  if (s.types == nullptr) return contiguous_bytes(s.type) > 0;
  for (int r = 0; r < p.members.size(); ++r)
    if (contiguous_bytes(s.types[r]) <= 0) return false;
  return true;
}

// In place the input is where the result goes: it is kept and written anew before each run.
class kept_input {
 public:
  explicit kept_input(const plan_state& p) {
    if (p.what.send.data != MPI_IN_PLACE || p.what.receive.data == nullptr) return;
    at_ = static_cast<std::byte*>(p.what.receive.data);
    copy_.assign(at_, at_ + end_of(p));
  }
  void restore() const {
    if (!copy_.empty()) std::memcpy(at_, copy_.data(), copy_.size());
  }

 private:
  static index_t end_of(const plan_state& p) {
    const side& s = p.what.receive;
    const int ranks = p.members.size();
    const auto bytes = [&](int r) { return contiguous_bytes(s.types != nullptr ? s.types[r] : s.type); };
    index_t end = 0;
    if (p.what.what == kind::reduce_scatter) {
      for (int r = 0; r < ranks; ++r) end += s.counts[r] * p.job.op.element_bytes();
    } else if (s.counts) {
      for (int r = 0; r < ranks; ++r)
        end = std::max(end, s.displs[r] * (s.types != nullptr ? 1 : bytes(r)) + s.counts[r] * bytes(r));
    } else {
      const bool is_one = p.what.what == kind::reduce || p.what.what == kind::allreduce || p.what.what == kind::scan ||
                          p.what.what == kind::exscan;
      end = (is_one ? 1 : ranks) * s.count * (p.job.op.is_valid() ? p.job.op.element_bytes() : bytes(0));
    }
    return end;
  }
  std::byte* at_ = nullptr;
  std::vector<std::byte> copy_;
};

std::vector<tune::candidate> candidates_of(plan_state& p, bool is_understood, const std::function<void()>& prepare) {
  std::vector<tune::candidate> all;
  all.push_back({mpi_name, [&p] { run_plainly(p); }, true, prepare});
  const auto add_operation = [&](const char* name) {
    operation* f = operation_of(p, name);
    if (f == nullptr) return;
    const auto run = [&p, f, how = stores_of(name)] {
      f->write_by(how);
      f->start();
      p.wait(*f);
    };
    all.push_back({name, run, false, prepare});
  };
  for (const char* name : {nonblocking_name, slots_name, buffers_name}) add_operation(name);
  if (p.around.bytes >= streamed_from_bytes) add_operation(streamed_name);
  if (is_understood)
    for (const algorithm& a : algorithms_of(p.what.what))
      if (a.is_candidate && is_ready(p, a)) all.push_back({a.name, [&p, &a] { run_algorithm(p, a); }, false, prepare});
  std::erase_if(all, [&](const tune::candidate& c) {
    return std::find(p.options.without.begin(), p.options.without.end(), c.name) != p.options.without.end();
  });
  return all;
}

std::string fastest_start(const plan_state& p, const tune::decision& d) {
  const tune::timing* best = nullptr;
  for (const auto& t : d.tried) {
    const operation* f = operation_of(p, t.name);
    if (f != nullptr && f->is_independent() && (best == nullptr || t.median_s < best->median_s)) best = &t;
  }
  return best->name;
}

tune::decision hold_race(plan_state& p, bool is_understood) {
  const double begin = tune::race_clock();
  const kept_input input(p);
  auto all = candidates_of(p, is_understood, [&input] { input.restore(); });
  std::erase_if(all, [&](const tune::candidate& c) { return !p.races->is_wanted(c.name); });
  tune::decision d = tune::race(p.members, all, {p.races->budget_s(), least_gain});
  input.restore();
  double cost_s = tune::race_clock() - begin;
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(MPI_IN_PLACE, &cost_s, 1, MPI_DOUBLE, MPI_MAX, p.members.comm()); });
  p.races->note(d, cost_s);
  take_run(p, p.races->best(p.run_name));
  p.seconds = p.races->seconds_of(p.run_name);
  p.runs_to_race = p.races->calls_until_next(p.seconds);
  return d;
}

// "run method;start method"
bool take_kept(plan_state& p, const std::string& name, bool is_understood) {
  const auto cut = name.find(';');
  if (cut == std::string::npos) return false;
  const std::string run = name.substr(0, cut), start = name.substr(cut + 1);
  const algorithm* a = find_algorithm(p.what.what, run);
  const bool is_had =
      run == mpi_name || operation_of(p, run) != nullptr || (is_understood && a != nullptr && is_ready(p, *a));
  if (!everywhere(state_of(p.members), is_had && operation_of(p, start) != nullptr)) return false;
  take_run(p, run);
  take_start(p, start);
  return true;
}

std::string wisdom_key(const plan_state& p) {
  return text("collective plan/", name_of(p.what.what), "/", p.around.bytes, " B/",
              p.around.is_commutative ? "" : "not commutative/",
              p.job.op.is_valid() && !p.job.op.has_kernel() ? "generic/" : "", p.buffers ? "near buffers/" : "",
              "nodes ", p.members.nodes(), state_of(p.members).is_short_of_cores ? "/short of cores" : "",
              tune::left_out_in_words(p.options.without));
}

tune::decision race_for_the_first_time(plan_state& p, bool is_understood) {
  tune::decision d = hold_race(p, is_understood);
  const std::string start = fastest_start(p, d);
  take_start(p, start);
  d.chosen = text(p.run_name, ';', start), d.seconds = p.seconds;
  return d;
}

void decide(plan_state& p, const wishes& w, bool is_understood) {
  const std::string name = pinned(p, w, is_understood);  // wishes are the same everywhere, so that all throw or none
  if (!name.empty()) {
    take_run(p, name);
    take_start(p, name == mpi_name ? nonblocking_name : operation_of(p, name) != nullptr ? name : usual_start(p));
    p.why.how = "pinned";
    return;
  }
  const bool has_choice = is_understood || p.slots || p.buffers;
  double budget_s = w.budget_s;
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(&budget_s, 1, MPI_DOUBLE, 0, p.members.comm()); });
  if (!has_choice || budget_s == 0 || !everywhere(state_of(p.members), can_be_kept(p))) {
    take_run(p, usual_run(p, is_understood));
    take_start(p, usual_start(p));
    p.why.how = has_choice ? "table of defaults" : "nothing else serves it";
    return;
  }
  p.races = std::make_unique<tune::ranking>(least_gain, budget_s);
  p.why = tune::select(p.members, {.key = [&p] { return wisdom_key(p); },
                                   .accepts = [&](const std::string& n) { return take_kept(p, n, is_understood); },
                                   .race = [&] { return race_for_the_first_time(p, is_understood); }});
  p.seconds = p.why.seconds;
  if (!p.why.is_raced()) p.runs_to_race = std::llround(wisdom_holds * budget_s / std::max(p.seconds, 1e-7));
  if (!w.tunes_again) p.races.reset();
}

// Reductions in the order of ranks: the engine has what it takes; on one node the plan's own memory has, too.
void decide_in_order(plan_state& p) {
  p.runs_by_engine = true;
  p.run_name = "in order of ranks";
  p.why.how = "NEARFAR_REPRODUCIBLE=order";
  take_start(p, p.slots && p.slots->is_independent() ? slots_name : "at once");
}

// What may win another time is kept; what lost clearly gives its memory back.
bool races_on(const plan_state& p, const std::unique_ptr<operation>& f) {
  if (!p.races || f == nullptr || !p.why.is_raced()) return false;
  if (&f == &p.slots) return p.races->is_wanted(slots_name) || p.races->is_wanted(streamed_name);
  return p.races->is_wanted(&f == &p.buffers ? buffers_name : nonblocking_name);
}

void drop_unused(plan_state& p) {
  for (auto* f : {&p.slots, &p.buffers, &p.by_mpi})
    if (f->get() != p.run_operation && f->get() != p.starter && !races_on(p, *f)) f->reset();
}

}  // namespace

void choose_methods(plan_state& p) {
  wishes w;
  agree(p.members, [&] { w = read_wishes(p); });
  hash64 wish;
  wish.add(w.method)
      .add(env::string_or("NEARFAR_METHOD", ""))
      .add(tune::left_out_in_words(p.options.without))
      .add(w.is_reproducible ? 1 : 0)
      .add(w.tunes_again ? 1 : 0);
  const auto digest = static_cast<std::int64_t>(wish.value());
  require_same(p.members, "a plan's method (by options, NEARFAR_METHOD or NEARFAR_REPRODUCIBLE)", {&digest, 1});
  const bool is_understood = p.is_understood = understand(p);
  p.slots = try_operation(p, source::slots);
  p.buffers = try_operation(p, source::buffers);
  const bool needs_order = w.is_reproducible && p.job.op.is_valid() && p.engine->works;
  if (!needs_order) p.by_mpi = make_mpi_operation(p.what, p.members, p.fits);
  if (needs_order)
    decide_in_order(p);
  else
    decide(p, w, is_understood);
  drop_unused(p);
}

void race_if_due(plan_state& p) {
  if (!p.races || p.runs_to_race-- > 0) return;
  const std::string before = p.run_name;
  p.is_broken = true;
  hold_race(p, p.is_understood);
  p.is_broken = false;
  if (p.run_name != before) p.why.how = "fastest in later races";
}

void run_algorithm(plan_state& p, const algorithm& a) {
  const team_state& s = state_of(p.members);
  workspace& inside = p.engine->works->inside();
  inside.is_declined = false;
  if (make_job(p.what, s.rank, s.size, p.job, p.memory)) {
    prepare_job(p.memory);
    inside.near->new_call();
    inside.near->claim(claim_of(p.job));
    a.run(inside, p.job);
    if (!inside.is_declined) {
      check_mpi(finish_job(p.what, p.job, p.memory), "unpacking");
      return;
    }
  }
  run_plainly(p);
}

void run_plainly(plan_state& p) {
  const int code = call_plainly(p.what, p.members, p.fits);
  if (code != MPI_SUCCESS) check_mpi(code, name_of(p.what.what));
}

}  // namespace nearfar::collective
