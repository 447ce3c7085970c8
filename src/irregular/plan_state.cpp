// SPDX-License-Identifier: BSD-3-Clause
// Making and updating a plan, and the operations in terms of movements.
#include "plan_state.hpp"

#include <algorithm>
#include <array>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <utility>

#include "element_types.hpp"
#include "kernels.hpp"
#include "slices.hpp"

namespace nearfar {

using irregular::moved_array;
using irregular::movement_kind;
using irregular::own_turn;

namespace {

constexpr int most_threads = 4096;

void require_same_options(const team& members, const irregular_options& o) {
  const std::array values{static_cast<index_t>(o.order), as_index(o.element_bytes),
                          static_cast<index_t>(hash64().add(o.method).value()),
                          static_cast<index_t>(hash64().add(tune::left_out_in_words(o.without)).value())};
  require_same(members, "options of an irregular plan (order, element_bytes, hashes of method and of methods left out)",
               values);
}

}  // namespace

irregular_plan_state::irregular_plan_state(const distribution& d, std::span<const index_t> indices, irregular_options o,
                                           const std::source_location& place)
    : identity(d.team(), "irregular", o, place),
      options(std::move(o)),
      where(d),
      notifications(irregular::borrow_notification_table(d.team())),
      moves(d.team(), *notifications, options.name, options.threads),
      most_host_arrays(device::has_driver() ? 0 : as_size(irregular_plan::max_arrays)) {
  require_same_options(d.team(), options);
  lists = inspect(d, indices, [&] {
    if (options.element_bytes < 1 || options.element_bytes > 65536)
      throw usage_error(text(options.name, ": tuning for elements of ", options.element_bytes, " bytes; 1 to 65536"));
    tune::check_left_out(text("irregular \"", options.name, "\""), "irregular", options.without, "isend");
    if (options.threads < 1 || options.threads > most_threads)
      throw usage_error(text(options.name, ": ", options.threads, " threads; 1 to ", most_threads));
  });
  select(true);
  identity.join(hash64().add(where.elements()).value(), plan_identity::neighbours(where.team()));
}

irregular_plan_state::~irregular_plan_state() {
  try {
    if (is_in_flight && is_mpi_usable()) finish();  // peers need this rank's part
  } catch (const std::exception& e) {
    log::warning("gather \"", options.name, "\": destroyed in flight, and not to be finished: ", e.what());
  }
  if (is_in_flight || is_broken) notifications->spoil();
}

irregular::plan_lists irregular_plan_state::inspect(const distribution& d, std::span<const index_t> indices,
                                                    const std::function<void()>& check) {
  irregular::plan_lists l;
  const team& members = where.team();
  l.here = irregular::inspect(members, state_of(d), indices, options.name, check);
  try {
    const bool uses_shared_memory = notifications->arena().is_shared();
    l.to = irregular::discover(members, *notifications, uses_shared_memory, l.here,
                               options.order == scatter_order::canonical, options.name);
  } catch (const transport_error&) {
    notifications->spoil();
    throw;
  }
  std::vector<ghost_range> ranges;
  for (const irregular::share& s : l.here.owners) ranges.push_back({s.peer, s.first + l.here.owned, s.count});
  l.map = index_map(l.here.owned, std::move(ranges));
  l.has_near = l.here.most[0] > 0, l.has_far = l.here.most[1] > 0;
  return l;
}

void irregular_plan_state::select(bool is_new) {
  const auto size = as_index(options.element_bytes);
  moves.forget_routes();
  const irregular::plan_facts facts{
      lists.has_near, lists.has_far, lists.here.most[0] * size, lists.here.most[1] * size, size, options.without};
  const bool has_new_peers = (facts.has_near && !decided_near_) || (facts.has_far && !decided_far_);
  if (is_new || has_new_peers) {
    moves.stop_races();
    const auto begin = [&] { return raced_.emplace(where.team(), notifications->arena(), lists, size, moves).raced(); };
    chosen = irregular::select(where.team(), options, facts, begin);
    if (raced_ && raced_->is_folded()) moves.forget_routes();  // which are between other places
    decided_near_ |= facts.has_near, decided_far_ |= facts.has_far;
  }
  moves.keep_routes_of(chosen.what);
  moves.use(&lists, chosen.what);
  raced_.reset();
  if (chosen.is_raced_again && options.without.empty()) moves.race_again();  // later races know all methods
  method = chosen.what.name(lists.has_near, lists.has_far);
}

void irregular_plan_state::update(const distribution& d, std::span<const index_t> indices) {
  lists = inspect(d, indices, [&] {
    require_idle("update()");
    if (&state_of(d.team()) != &state_of(where.team()))
      throw usage_error(text(options.name, ": update() with a distribution over another team"));
  });
  where = d;
  if (on_gpu_) on_gpu_->forget_lists();
  select(false);
}

std::byte* irregular_plan_state::scratch(index_t bytes) {
  if (scratch_bytes_ < bytes) {
    scratch_ = {};
    scratch_bytes_ = std::max(bytes, scratch_bytes_ + scratch_bytes_ / 2);
    scratch_ = notifications->arena().allocate(scratch_bytes_);
  }
  return scratch_.data();
}

// ---- checks: local, since all the ranks that use a plan rightly would hang otherwise only where one does not ----

void irregular_plan_state::require_idle(const char* call) const {
  if (is_broken) throw usage_error(text(options.name, ": ", call, " after an error in an operation; make a new plan"));
  if (is_in_flight) throw usage_error(text(options.name, ": ", call, " while in flight; finish() the token first"));
}

namespace {

struct checker {
  const irregular_plan_state& plan;
  const char* call;

  [[noreturn]] void refuse(const std::string& words) const {
    throw usage_error(text("rank ", plan.where.team().rank(), ", ", plan.options.name, ": ", call, " ", words));
  }
  void count(std::size_t arrays) const {
    if (arrays < 1 || arrays > as_size(irregular_plan::max_arrays))
      refuse(text("got ", arrays, " arrays; it takes 1 to ", irregular_plan::max_arrays));
  }
  void shape(const irregular_array& a) const {
    if (a.components < 1 || a.elements < 0)
      refuse(text("got an array whose length is no multiple of its ", a.components, " components"));
    if (a.element_bytes() < 1) refuse("got elements of 0 bytes");
  }
  bool has_ghosts(const irregular_array& x) const { return x.elements == plan.elements_here(); }
  void whole(const irregular_array& x) const {
    shape(x);
    if (!has_ghosts(x))
      refuse(text("got an x of ", x.elements, " elements; this plan has ", plan.lists.map.owned(), " own elements and ",
                  plan.lists.map.ghosts(), " ghosts"));
    writable(x);
  }
  void whole_or_owned(const irregular_array& x) const {
    shape(x);
    if (!has_ghosts(x) && x.elements != plan.lists.map.owned())
      refuse(text("got an x of ", x.elements, " elements; this plan has ", plan.lists.map.owned(), " own elements and ",
                  plan.lists.map.ghosts(), " ghosts (which x may have or not)"));
  }
  void values(const irregular_array& v) const {
    shape(v);
    if (v.elements != as_index(plan.lists.here.local.size()))
      refuse(text("got values for ", v.elements, " references; this plan has ", plan.lists.here.local.size()));
  }
  void writable(const irregular_array& a) const {
    if (!a.is_writable) refuse("was given a constant array to write to");
  }
  void pair(const irregular_item& i) const {
    whole_or_owned(i.x);
    values(i.values);
    if (i.x.element_bytes() != i.values.element_bytes() || i.x.components != i.values.components)
      refuse(text("got an x with elements of ", i.x.element_bytes(), " bytes and values of ", i.values.element_bytes(),
                  " bytes"));
    if (!irregular::are_alike(i.x.type, i.values.type))
      refuse(
          text("got an x of ", name_of(i.x.type), " and values of ", name_of(i.values.type), "; both are of one type"));
  }
  void operation(const irregular_array& a, const nearfar::detail::combiner& how) const {
    if (a.value_bytes != how.value_bytes)
      refuse(text("got values of ", a.value_bytes, " bytes and an operation on values of ", how.value_bytes));
    if (!irregular::is_taken(how, a.type))
      refuse(text("got values of ", name_of(a.type), " and an operation on ", name_of(how.type)));
  }
};

std::byte* bytes_of(const irregular_array& a) { return static_cast<std::byte*>(a.data); }
index_t size_of(const irregular_array& a) { return as_index(a.element_bytes()); }

}  // namespace

template <class Step>
void irregular_plan_state::guarded(Step step) {
  try {
    step();
  } catch (...) {
    is_broken = true;
    is_in_flight = false;
    then_ = last_ = second::none;
    throw;
  }
}

void irregular_plan_state::launch(movement_kind kind, std::span<const moved_array> arrays,
                                  const nearfar::detail::combiner* how, std::span<const own_turn> own,
                                  bool is_rewritten) {
  guarded([&] {
    identity.start();
    moves.start(kind, arrays, how, own, is_rewritten);
  });
  is_in_flight = true;
  if (auto near = moves.new_near_name()) {
    chosen.what.near = std::move(*near);
    method = chosen.what.name(lists.has_near, lists.has_far);
  }
}

bool irregular_plan_state::test() {
  bool is_done = true;
  if (is_in_flight) guarded([&] { is_done = identity.test() && moves.is_over(); });
  if (!is_done || then_ <= second::bring_up) return is_done;
  finish_movement();
  follow_up();
  guarded([&] { is_done = moves.is_over(); });
  return is_done;
}

void irregular_plan_state::finish() {
  if (!is_in_flight) throw usage_error(text(options.name, ": finish() with nothing in flight"));
  finish_movement();
  while (then_ != second::none)
    if (follow_up()) finish_movement();
}

bool irregular_plan_state::follow_up() {
  const second what = std::exchange(then_, last_);
  if (what == second::bring_up) {
    then_ = last_ = second::none;
    on_gpu_->bring_up();
    return false;
  }
  const std::span<const irregular_item> items(follows_.data(), follow_count_);
  if (what == second::gather) return start_gather(items), true;
  std::array<irregular_array, irregular_plan::max_arrays> x;
  for (std::size_t k = 0; k < items.size(); ++k) x[k] = items[k].x;
  start_gather_ghosts({x.data(), items.size()});
  return true;
}

void irregular_plan_state::finish_movement() {
  guarded([&] { moves.finish(); });
  is_in_flight = false;
  const auto& local = lists.here.local;
  for (std::size_t k = 0; k < pick_count_; ++k) {
    const irregular_item& i = picks_[k];
    const std::byte* const x = bytes_of(i.x);
    const index_t size = size_of(i.x);
    irregular::in_slices(options.threads, as_index(local.size()), [&](index_t first, index_t count) {
      std::byte* const out = bytes_of(i.values) + first * size;
      if (pick_ghosts_[k] == x + lists.here.owned * size)
        irregular::pick(out, x, local.data() + first, count, size);
      else
        irregular::pick_split(out, x, pick_ghosts_[k], lists.here.owned, local.data() + first, count, size);
    });
  }
  pick_count_ = 0;
}

// ---- operations ----

void irregular_plan_state::start_on_host(const irregular_call& call) {
  std::array<irregular_array, irregular_plan::max_arrays> alone;
  const bool is_assembly = call.kind == irregular_kind::assemble;
  std::transform(call.items.begin(), call.items.end(), alone.begin(),
                 [&](const irregular_item& i) { return is_assembly ? i.values : i.x; });
  const std::span<const irregular_array> arrays(alone.data(), call.items.size());
  switch (call.kind) {
    case irregular_kind::gather_ghosts:
      return start_gather_ghosts(arrays);
    case irregular_kind::scatter_ghosts:
      return start_scatter_ghosts(arrays, call.how);
    case irregular_kind::assemble_ghosts:
      return start_assemble_ghosts(arrays, call.how);
    case irregular_kind::gather:
      return start_gather(call.items);
    case irregular_kind::scatter:
      return start_scatter(call.items, call.how);
    case irregular_kind::assemble:
      return start_assemble(arrays, call.how);
  }
}

void irregular_plan_state::start_looked_at(const irregular_call& call) {
  if (call.items.size() > as_size(irregular_plan::max_arrays))
    throw usage_error(text("gather \"", options.name, "\": ", call.items.size(), " arrays at once; up to ",
                           irregular_plan::max_arrays, " are possible"));
  if (is_in_flight || is_broken || !irregular::gpu_arrays::has_some(call))
    return start_on_host(call);  // which may refuse
  if (!on_gpu_) on_gpu_ = std::make_unique<irregular::gpu_arrays>(lists);
  on_gpu_->can_pick_there(call) ? start_gather_there(call.items) : start_on_host(on_gpu_->brought_down(call));
  last_ = second::bring_up;
  if (then_ == second::none) then_ = last_;
}

void irregular_plan_state::start_gather_ghosts(std::span<const irregular_array> x) {
  require_idle("gather_ghosts()");
  const checker check{*this, "gather_ghosts()"};
  check.count(x.size());
  std::array<moved_array, irregular_plan::max_arrays> arrays;
  for (std::size_t k = 0; k < x.size(); ++k) {
    check.whole(x[k]);
    arrays[k] = {bytes_of(x[k]), x[k].elements, bytes_of(x[k]) + lists.here.owned * size_of(x[k]), size_of(x[k]),
                 x[k].components};
  }
  launch(movement_kind::gather, {arrays.data(), x.size()}, nullptr);
}

void irregular_plan_state::start_scatter_ghosts(std::span<const irregular_array> x,
                                                const nearfar::detail::combiner& how) {
  require_idle("scatter_ghosts()");
  const checker check{*this, "scatter_ghosts()"};
  check.count(x.size());
  std::array<moved_array, irregular_plan::max_arrays> arrays;
  for (std::size_t k = 0; k < x.size(); ++k) {
    check.whole(x[k]);
    check.operation(x[k], how);
    arrays[k] = {bytes_of(x[k]) + lists.here.owned * size_of(x[k]), lists.map.ghosts(), bytes_of(x[k]), size_of(x[k]),
                 x[k].components};
  }
  how_ = how;
  launch(movement_kind::scatter, {arrays.data(), x.size()}, &how_);
}

namespace {

/// Ghosts of each item: in x, where it has them, else in a part of the plan's scratch.
struct ghost_places {
  std::array<std::byte*, irregular_plan::max_arrays> at{};
  ghost_places(irregular_plan_state& plan, std::span<const irregular_item> items, bool may_write) {
    const checker check{plan, ""};
    const auto is_own = [&](const irregular_array& x) { return check.has_ghosts(x) && (may_write || x.is_writable); };
    index_t bytes = 0;
    for (const irregular_item& i : items)
      if (!is_own(i.x)) bytes += plan.lists.map.ghosts() * size_of(i.x);
    std::byte* space = bytes > 0 ? plan.scratch(bytes) : nullptr;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const irregular_array& x = items[k].x;
      at[k] = is_own(x) ? bytes_of(x) + plan.lists.map.owned() * size_of(x) : space;
      if (!is_own(x)) space += plan.lists.map.ghosts() * size_of(x);
    }
  }
};

}  // namespace

void irregular_plan_state::start_gather(std::span<const irregular_item> items) {
  require_idle("gather()");
  const checker check{*this, "gather()"};
  check.count(items.size());
  for (const irregular_item& i : items) check.pair(i), check.writable(i.values);
  const ghost_places ghosts(*this, items, false);
  std::array<moved_array, irregular_plan::max_arrays> arrays;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const irregular_array& x = items[k].x;
    arrays[k] = {bytes_of(x), lists.here.owned, ghosts.at[k], size_of(x), x.components};
    picks_[k] = items[k];
    pick_ghosts_[k] = ghosts.at[k];
  }
  pick_count_ = items.size();
  launch(movement_kind::gather, {arrays.data(), items.size()}, nullptr);
}

void irregular_plan_state::start_gather_there(std::span<const irregular_item> items) {
  const checker check{*this, "gather()"};
  for (const irregular_item& i : items) check.pair(i), check.writable(i.values);
  std::array<moved_array, irregular_plan::max_arrays> arrays;
  on_gpu_->bring_down_wanted(items, arrays);
  launch(movement_kind::gather, {arrays.data(), items.size()}, nullptr);
}

void irregular_plan_state::start_scatter(std::span<const irregular_item> items, const nearfar::detail::combiner& how) {
  require_idle("scatter()");
  const checker check{*this, "scatter()"};
  check.count(items.size());
  for (const irregular_item& i : items)
    check.pair(i), check.writable(i.x), check.operation(i.x, how), check.operation(i.values, how);
  const ghost_places ghosts(*this, items, true);
  const auto& local = lists.here.local;
  const bool is_canonical = options.order == scatter_order::canonical;
  how_ = how;
  std::array<moved_array, irregular_plan::max_arrays> arrays;
  std::array<own_turn, irregular_plan::max_arrays> own;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const irregular_array &x = items[k].x, &values = items[k].values;
    own[k] = {bytes_of(values), ghosts.at[k]};
    if (is_canonical) {
      arrays[k] = {bytes_of(values), values.elements, bytes_of(x), size_of(x), x.components};
      continue;
    }
    arrays[k] = {ghosts.at[k], lists.map.ghosts(), bytes_of(x), size_of(x), x.components};
    if (how.fill != nullptr) how.fill(how.operand(), ghosts.at[k], lists.map.ghosts() * x.components);
    if (ghosts.at[k] == bytes_of(x) + lists.here.owned * size_of(x))
      how.scatter(how.operand(), x.data, local.data(), values.data, as_index(local.size()), x.components);
    else
      how.scatter_split(how.operand(), x.data, ghosts.at[k], lists.here.owned, local.data(), values.data,
                        as_index(local.size()), x.components);
  }
  launch(is_canonical ? movement_kind::canonical : movement_kind::scatter, {arrays.data(), items.size()}, &how_,
         {own.data(), is_canonical ? items.size() : 0}, true);
}

void irregular_plan_state::start_assemble_ghosts(std::span<const irregular_array> x,
                                                 const nearfar::detail::combiner& how) {
  start_scatter_ghosts(x, how);
  for (std::size_t k = 0; k < x.size(); ++k) follows_[k].x = x[k];
  follow_count_ = x.size();
  then_ = second::gather_ghosts;
}

void irregular_plan_state::start_assemble(std::span<const irregular_array> values,
                                          const nearfar::detail::combiner& how) {
  require_idle("assemble()");
  const checker check{*this, "assemble()"};
  check.count(values.size());
  index_t bytes = 0;
  for (const irregular_array& v : values) {
    check.values(v), check.writable(v), check.operation(v, how);
    bytes += (elements_here() * size_of(v) + 63) / 64 * 64;
  }
  std::byte* at = scratch(bytes);
  for (std::size_t k = 0; k < values.size(); ++k) {
    irregular_array x = values[k];
    x.data = at;
    x.elements = elements_here();
    follows_[k] = {x, values[k]};
    at += (elements_here() * size_of(x) + 63) / 64 * 64;
    if (how.fill != nullptr) how.fill(how.operand(), x.data, x.elements * x.components);
  }
  follow_count_ = values.size();
  start_scatter({follows_.data(), follow_count_}, how);
  then_ = second::gather;
}

}  // namespace nearfar
