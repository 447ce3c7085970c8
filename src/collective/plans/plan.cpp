// SPDX-License-Identifier: BSD-3-Clause
// The public collective plan: order of calls, waiting, messages.
#include <base/internals.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/collective_plan.hpp>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/team_state.hpp>

#include "../plain_call.hpp"
#include "arguments.hpp"
#include "plan_state.hpp"

namespace nearfar {

namespace {

using collective::number_list;

// The caller's lists may go when the plan is made.
void keep_list(number_list& list, int ranks, std::vector<int>& narrow, std::vector<MPI_Count>& wide, bool fits) {
  if (!list) return;
  for (int r = 0; r < ranks; ++r) {
    if (fits)
      narrow.push_back(static_cast<int>(list[r]));
    else
      wide.push_back(static_cast<MPI_Count>(list[r]));
  }
  list = fits ? number_list(narrow.data()) : number_list(wide.data());
}

void keep_types(const MPI_Datatype*& list, int ranks, std::vector<MPI_Datatype>& kept) {
  if (list == nullptr) return;
  kept.assign(list, list + ranks);
  list = kept.data();
}

void keep_lists(plan_state& p) {
  const int ranks = p.members.size();
  number_list* all[] = {&p.what.send.counts, &p.what.send.displs, &p.what.receive.counts, &p.what.receive.displs};
  for (std::size_t i = 0; i < 4; ++i) keep_list(*all[i], ranks, p.lists[i], p.wide_lists[i], p.fits);
  keep_types(p.what.send.types, ranks, p.types[0]);
  keep_types(p.what.receive.types, ranks, p.types[1]);
}

// Operations of this thread that peers may be waiting for: whoever waits moves them on.
thread_local std::vector<collective::operation*> started_operations;

plan_state& alive(const std::unique_ptr<plan_state>& state) {
  plan_state& p = nearfar::alive(state, "collective plan");
  if (p.is_broken) throw transport_error(text("plan \"", p.options.name, "\": an earlier call of it failed"));
  return p;
}

}  // namespace

plan_state::~plan_state() {
  settle();
  std::erase(started_operations, starter);
}

/// What has been started writes to the caller's buffers, and peers read them, until it is finished: also where an
/// exception leaves the block between start() and finish().
void plan_state::settle() noexcept {
  if (!is_in_flight || starter == nullptr || is_broken || !is_mpi_usable()) return;
  try {
    wait(*starter);
  } catch (const std::exception& e) {
    log::warning("plan \"", options.name, "\": destroyed in flight, and not to be finished: ", e.what());
  }
}

namespace {

plan_options named(plan_options o, collective_kind kind) {
  if (o.name.empty()) o.name = name_of(kind);
  return o;
}

}  // namespace

plan_state::plan_state(const team& t, const collective_call& c, plan_options o, const std::source_location& where)
    : members(t), options(named(std::move(o), c.kind)), identity(t, "collective", options, where) {
  engine = &collective::team_engine::of(members);
  agree(members, [&] { what = collective::to_internal(c, members); });
  collective::compare_ranks(what, members);
  const team_state& s = state_of(members);
  fits = everywhere(s, collective::fits_int(what, s.rank, s.size));
  keep_lists(*this);
  policy = near::wait_policy::of(s);
  whom = [this] { return awaited != nullptr ? awaited->awaited() : std::string("other ranks"); };
  collective::choose_methods(*this);
}

void plan_state::wait(collective::operation& started) {
  awaited = &started;
  near::patience patience(policy, options.name, whom);
  is_broken = true;  // until it has come to its end
  while (!started.test()) {
    for (collective::operation* other : started_operations)
      if (other != &started) other->test();
    if (started.calls_mpi())
      patience.idle_in_mpi();
    else
      patience.idle();
  }
  is_broken = false;
}

void plan_state::run_blocking() {
  if (run_operation != nullptr) {
    run_operation->write_by(run_stores);
    run_operation->start();
    wait(*run_operation);
    return;
  }
  is_broken = true;
  if (runner != nullptr)
    collective::run_algorithm(*this, *runner);
  else if (runs_by_engine)
    collective::carry_out(what, members, *engine);
  else
    collective::run_plainly(*this);
  is_broken = false;
}

collective_plan::collective_plan(const nearfar::team& members, const collective_call& call, plan_options options,
                                 std::source_location where)
    : state_(std::make_unique<plan_state>(members, call, std::move(options), where)) {}
collective_plan::~collective_plan() = default;
collective_plan::collective_plan(collective_plan&&) noexcept = default;
collective_plan& collective_plan::operator=(collective_plan&&) noexcept = default;

void collective_plan::run() {
  plan_state& p = alive(state_);
  if (p.is_in_flight)
    throw usage_error(text("plan \"", p.options.name, "\" was run while in flight; finish() it first"));
  collective::race_if_due(p);
  p.run_blocking();
}

void collective_plan::start() {
  plan_state& p = alive(state_);
  if (p.is_in_flight)
    throw usage_error(text("plan \"", p.options.name, "\" was started while in flight; finish() it first"));
  if (p.starter != nullptr) {
    p.starter->write_by(p.start_stores);
    p.starter->start();
  } else {
    p.run_blocking();
  }
  p.is_in_flight = true;
  if (p.starter != nullptr && !p.starter->is_independent()) started_operations.push_back(p.starter);
}

bool collective_plan::test() {
  plan_state& p = alive(state_);
  return !p.is_in_flight || p.starter == nullptr || p.starter->test();
}

void collective_plan::finish() {
  plan_state& p = alive(state_);
  if (!p.is_in_flight) throw usage_error(text("plan \"", p.options.name, "\" was finished without start()"));
  if (p.starter != nullptr) {
    p.wait(*p.starter);
    std::erase(started_operations, p.starter);
  }
  p.is_in_flight = false;
}

std::string collective_plan::method() const { return alive(state_).run_name; }
std::string collective_plan::start_method() const { return alive(state_).start_name; }
const nearfar::team& collective_plan::team() const { return alive(state_).members; }

double collective_plan::tuned_seconds() const noexcept { return state_ ? state_->seconds : 0; }

namespace {

/// With the method that run() uses by now.
tune::selection selected(const plan_state& p) {
  tune::selection s = p.why;
  s.chosen = p.run_name, s.seconds = p.seconds;
  return s;
}

}  // namespace

std::string collective_plan::describe_json() const {
  const plan_state& p = alive(state_);
  return selected(p).json("collective." + std::string(collective::name_of(p.what.what)), p.options.name);
}

std::string collective_plan::describe() const {
  const plan_state& p = alive(state_);
  text_writer out;
  out << "plan \"" << p.options.name << "\": " << collective::name_of(p.what.what);
  if (p.around.bytes > 0) out << " of " << readable_bytes(p.around.bytes);
  out << " on " << p.members.size() << " ranks, " << p.members.nodes() << (p.members.nodes() == 1 ? " node" : " nodes")
      << "\n  run(): " << p.run_name << " (" << p.why.how;
  if (p.races && p.races->races() > 1) out << ", after " << p.races->races() << " races";
  out << "); start() … finish(): " << p.start_name << "\n";
  out << selected(p).timings_in_lines();
  return out.str();
}

}  // namespace nearfar
