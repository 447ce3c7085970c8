// SPDX-License-Identifier: BSD-3-Clause
// The public functions of plans, and their description.
#include <base/internals.hpp>
#include <nearfar/irregular_plan.hpp>

#include <algorithm>
#include <array>
#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <nearfar/irregular_vector.hpp>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/team_state.hpp>

#include "plan_state.hpp"

namespace nearfar {

irregular_plan::irregular_plan(const distribution& where, std::span<const index_t> indices, irregular_options options,
                               std::source_location place)
    : state_(std::make_unique<irregular_plan_state>(where, indices, std::move(options), place)) {
  remember_lists();
}
irregular_plan::~irregular_plan() = default;
irregular_plan::irregular_plan(irregular_plan&&) noexcept = default;
irregular_plan& irregular_plan::operator=(irregular_plan&&) noexcept = default;

void irregular_plan::update(std::span<const index_t> indices) {
  update(distribution(alive(state_, "irregular plan").where), indices);
}
void irregular_plan::update(const distribution& where, std::span<const index_t> indices) {
  irregular_plan_state& s = alive(state_, "irregular plan");
  try {
    s.update(where, indices);
  } catch (...) {
    remember_lists();  // which may be the new ones, though no method was found for them
    throw;
  }
  remember_lists();
}

void irregular_plan::remember_lists() noexcept {
  map_ = &state_->lists.map;
  local_indices_ = state_->lists.here.local;
}
const distribution& irregular_plan::where() const noexcept { return state_->where; }
const nearfar::team& irregular_plan::team() const noexcept { return state_->where.team(); }
std::string irregular_plan::method() const { return alive(state_, "irregular plan").method; }
std::string irregular_plan::describe_json() const { return state_->selected().json("irregular", state_->options.name); }
double irregular_plan::tuned_seconds() const noexcept { return state_->chosen.why.seconds; }

std::vector<index_t> irregular_plan::ghost_indices() const {
  const irregular::inspection& here = alive(state_, "irregular plan").lists.here;
  if (!here.ghost_globals.empty()) return here.ghost_globals;
  std::vector<index_t> all(as_size(here.ghosts()));
  for (const irregular::share& s : here.owners) {
    const auto first = here.ghost_offsets.begin() + s.first;
    const std::vector<index_t> offsets(first, first + s.count);
    state_of(state_->where).globals(s.peer, offsets, {all.data() + s.first, as_size(s.count)});
  }
  return all;
}

void irregular_plan::start(const irregular_call& call) {
  irregular_plan_state& s = alive(state_, "irregular plan");
  call.items.size() > s.most_host_arrays ? s.start_looked_at(call) : s.start_on_host(call);
}

void irregular_plan::start(irregular_kind kind, std::span<const irregular_item> items, reduce_op how) {
  const bool is_combining = kind != irregular_kind::gather_ghosts && kind != irregular_kind::gather;
  if (!is_combining || items.empty()) return start({kind, items, {}});
  const irregular_array& sample = kind == irregular_kind::assemble ? items[0].values : items[0].x;
  start({kind, items, nearfar::detail::combiner_of(how, sample.type, sample.value_bytes)});
}

bool irregular_plan::test() {
  irregular_plan_state& s = alive(state_, "irregular plan");
  return !s.is_in_flight || s.test();
}

void irregular_plan::finish() {
  irregular_plan_state& s = alive(state_, "irregular plan");
  if (!s.is_in_flight) throw usage_error(text("gather \"", s.options.name, "\" was finished without a start"));
  finish_identity(state_);
  s.finish();
}

std::string irregular_plan::describe() const { return alive(state_, "irregular plan").describe(); }

// ---- description ----

namespace {

std::string peers(const nearfar::team& members, const std::vector<irregular::share>& shares, const char* verb) {
  index_t near = 0, far = 0;
  int near_peers = 0, far_peers = 0;
  for (const irregular::share& s : shares) {
    const bool is_near = members.is_near(s.peer);
    (is_near ? near : far) += s.count;
    ++(is_near ? near_peers : far_peers);
  }
  return text("  ", verb, " ", near, " elements of ", near_peers, " near and ", far, " of ", far_peers, " far ranks\n");
}

}  // namespace

std::string irregular_plan_state::relayed() const {
  const irregular::relay_lists* l = moves.relayed();
  if (l == nullptr || !lists.has_far) return "";
  return text("  sends ", l->out.places.size(), " elements to ", l->out.peers.size(),
              " far nodes, each once per node; receives ", l->area_entries(), " for its node\n");
}

std::string irregular_plan_state::describe() const {
  const nearfar::team& members = where.team();
  text_writer out;
  out << "gather \"" << options.name << "\": " << where.describe() << "\n  rank " << members.rank() << ": "
      << lists.here.local.size() << " references, " << lists.map.owned() << " own elements, " << lists.map.ghosts()
      << " ghosts, " << (options.order == scatter_order::canonical ? "canonical" : "plan") << " order of additions\n"
      << peers(members, lists.here.owners, "has copies of") << peers(members, lists.to.wanted.peers, "gives copies of")
      << relayed() << (on_gpu_ ? on_gpu_->describe() : "") << "  " << method << " (" << chosen.why.how;
  if (moves.later_races() > 0) out << ", after " << moves.later_races() << " later races";
  out << ")\n";
  out << selected().timings_in_lines();
  return out.str();
}

tune::selection irregular_plan_state::selected() const {
  tune::selection s = chosen.why;
  s.chosen = method;
  return s;
}

// ---- near memory ----

std::shared_ptr<void> allocate_near_memory(const nearfar::team& members, std::size_t bytes) {
  near::arena& arena = near::arena::of(members);
  near::block memory;
  agree(members, [&] { memory = arena.allocate(std::max<index_t>(as_index(bytes), 1)); });
  auto kept = std::make_shared<near::block>(memory);
  return {kept, static_cast<void*>(memory.data())};
}

}  // namespace nearfar
