// SPDX-License-Identifier: BSD-3-Clause
// Transposition plans: the pattern of boxes that two decompositions have in common, handed to the exchange engine.
#include <algorithm>
#include <base/axis_names.hpp>
#include <base/clock.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cmath>
#include <exchange/exchange.hpp>
#include <limits>
#include <near/arena.hpp>
#include <near/past_caches.hpp>
#include <optional>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/plan_identity.hpp>
#include <topology/team_state.hpp>
#include <transpose/wanted_arrays.hpp>
#include <tune/methods.hpp>

#include "movement.hpp"
#include "staging.hpp"

namespace nearfar {

struct bound_side {
  transpose_side side;
  array_shape shape;
  std::vector<std::byte*> fields;  ///< where each field starts
  index_t field_bytes = 0;         ///< of the array of one field
};

struct transpose_state {
  transpose_state(const transpose_side& source, const transpose_side& target, const transpose_options& o,
                  const std::source_location& where)
      : identity(source.parts.team(), "transpose", o, where),
        options(o),
        title(text("transpose \"", o.name, "\"")),
        from{source, {}, {}, 0},
        to{target, {}, {}, 0} {}
  plan_identity identity;
  transpose_options options;
  std::string title;
  bound_side from, to;
  index_t element_bytes = 0;
  bool is_near = false;  ///< all of `in` is near memory: peers may read it in place
  std::optional<staging> staged;
  std::optional<exchange::exchange> engine;
  bool is_in_flight = false;
  double started_s = 0, quickest_s = std::numeric_limits<double>::infinity();

  index_t own_bytes() const { return from.side.parts.own().cells() * element_bytes * options.fields; }
};

namespace {

// ---- what the arguments must be ----

wanted_arrays wanted_of(const transpose_state& p, const bound_side& b) {
  return {&b == &p.from ? "in" : "out", &b.side, p.options.fields, b.shape.elements, p.element_bytes};
}

void check_arrays(const transpose_state& p, const transpose_arrays& in, const transpose_arrays& out) {
  check_arrays(p.title, wanted_of(p, p.from), in);
  check_arrays(p.title, wanted_of(p, p.to), out);
}

/// True if the field's arrays start at one address on both sides. Throws for any other overlap of arrays.
bool check_overlaps(const transpose_state& p, const transpose_arrays& in, const transpose_arrays& out) {
  const wanted_arrays target = wanted_of(p, p.to);
  const bool is_in_place = check_overlaps(p.title, wanted_of(p, p.from), in, target, out);
  check_distinct(p.title, target, out);
  return is_in_place;
}

void check_options(const transpose_state& p) {
  if (p.options.fields < 1)
    throw usage_error(text(p.title, " moves ", p.options.fields, " fields; 1 or more are possible"));
  if (p.element_bytes < 1) throw usage_error(text(p.title, " has elements of 0 bytes; 1 or more are possible"));
  tune::check_left_out(p.title, "transpose", p.options.without, "isend");
}

/// On every rank the same error: before this, nothing is known to be alike. Returns a number for what is.
std::uint64_t check_alike(const team& members, const transpose_state& p) {
  std::vector<shared_values> all{{p.title + ": fields, element bytes", {p.options.fields, p.element_bytes}}};
  for (const bound_side* b : {&p.from, &p.to}) {
    const std::string side = b == &p.from ? "the side from" : "the side to";
    const auto order = checked_order(b->side);
    all.push_back({text(p.title, ": memory_order of ", side), {order.begin(), order.end()}});
    add_shared_values(text(side, " of ", p.title), b->side.parts, all);
  }
  return require_same(members, all);
}

// ---- making ----

bool is_all_near(const transpose_state& p, const std::vector<std::byte*>& fields) {
  const near::arena& arena = near::arena::of(p.from.side.parts.team());
  return arena.is_shared() && std::all_of(fields.begin(), fields.end(), [&](const std::byte* f) {
           return f == nullptr || arena.find(f, p.from.field_bytes).is_valid();
         });
}

void bind(const transpose_state& p, bound_side& b, const transpose_arrays& arrays) {
  b.fields.clear();
  for (std::size_t i = 0; i < as_size(p.options.fields); ++i) b.fields.push_back(field_of(b.side, arrays, i));
}

exchange::pattern pattern_of(const transpose_state& p) {
  const array_shape& source = p.staged ? p.staged->shape() : p.from.shape;
  exchange::pattern all =
      movement_between({p.from.side, source}, {p.to.side, p.to.shape}, p.options.fields, p.element_bytes);
  for (std::size_t i = 0; i < as_size(p.options.fields); ++i) {
    all.buffers.push_back({p.staged ? p.staged->field(i) : p.from.fields[i], source.elements * p.element_bytes});
    all.buffers.push_back({p.to.fields[i], p.to.field_bytes});
  }
  return all;
}

std::string order_in_words(const transpose_side& side) {
  std::string order;
  for (const int d : checked_order(side)) order += text(order.empty() ? "" : ", ", d);
  return order;
}

exchange::exchange_options engine_options(const transpose_state& p) {
  const transpose_options& options = p.options;
  exchange::exchange_options e{.name = options.name, .method = options.method, .budget_s = options.budget_s};
  e.front = "transpose";
  e.shape = text("transpose ", order_in_words(p.from.side), " to ", order_in_words(p.to.side));
  e.also = {"near-direct", "near-direct-streamed"};  // tiles make short runs cheap
  e.without = options.without;
  e.counts_rewriting = options.counts_rewriting && p.own_bytes() <= exchange::most_rewritten_bytes;
  e.are_sources_constant = !p.staged && !p.is_near;  // near memory is the library's, and may be written
  if (options.rewrite) e.rewrite = [rewrite = options.rewrite] { rewrite(); };
  e.least_share = exchange::deliberate_share;
  e.without.push_back("near-cma");  // bound to addresses
  return e;
}

std::unique_ptr<transpose_state> make_plan(const transpose_side& from, const transpose_side& to,
                                           const transpose_arrays& in, const transpose_arrays& out,
                                           const transpose_options& options, const std::source_location& where) {
  const team members = from.parts.team();
  auto p = std::make_unique<transpose_state>(from, to, options, where);
  p->element_bytes = as_index(in.element_bytes());
  near::arena& arena = near::arena::of(members);
  agree(members, [&] {
    check_options(*p);
    if (&state_of(members) != &state_of(to.parts.team()))
      throw usage_error(text(p->title, ": the sides belong to different teams; both must be made with one"));
    if (from.parts.extents() != to.parts.extents())
      throw usage_error(text(p->title, ": the side from has a grid of ", extents_in_words(from.parts.extents()),
                             ", the side to one of ", extents_in_words(to.parts.extents()), "; they must be equal"));
    check_side(from, options.fields, "from");
    check_side(to, options.fields, "to");
    for (bound_side* b : {&p->from, &p->to}) {
      b->shape = shape_of(b->side);
      b->field_bytes = b->shape.elements * p->element_bytes;
    }
  });
  p->identity.join(check_alike(members, *p), plan_identity::neighbours(members));
  exchange::pattern pattern;
  agree(members, [&] {
    check_arrays(*p, in, out);
    const bool is_in_place = check_overlaps(*p, in, out);
    bind(*p, p->from, in);
    bind(*p, p->to, out);
    p->is_near = is_all_near(*p, p->from.fields);
    if (is_in_place) p->staged.emplace(arena, from, options.fields, p->element_bytes);
    pattern = pattern_of(*p);
  });
  p->engine.emplace(members, std::move(pattern), engine_options(*p));
  p->options.rewrite = {};  // may refer to what does not live as long as the plan
  return p;
}

const tune::front_methods entered{"transpose", exchange::methods_of};

// ---- running ----

bool are_bound(const transpose_state& p, const bound_side& b, const transpose_arrays& arrays) {
  for (std::size_t i = 0; i < as_size(p.options.fields); ++i)
    if (field_of(b.side, arrays, i) != b.fields[i]) return false;
  return true;
}

/// The buffers of the exchange whose fields are not where they were, and where they are.
std::vector<exchange::moved_buffer> moves_to(const transpose_state& p, const transpose_arrays& in,
                                             const transpose_arrays& out) {
  std::vector<exchange::moved_buffer> moves;
  for (std::size_t i = 0; i < as_size(p.options.fields); ++i) {
    std::byte *const source = field_of(p.from.side, in, i), *const target = field_of(p.to.side, out, i);
    const int number = static_cast<int>(2 * i);
    if (!p.staged && source != p.from.fields[i]) moves.push_back({number, source});
    if (target != p.to.fields[i]) moves.push_back({number + 1, target});
  }
  return moves;
}

void require_near(const transpose_state& p, const transpose_arrays& in) {
  const near::arena& arena = near::arena::of(p.from.side.parts.team());
  for (std::size_t i = 0; i < as_size(p.options.fields); ++i) {
    const std::byte* const source = field_of(p.from.side, in, i);
    if (source != nullptr && !arena.find(source, p.from.field_bytes).is_valid())
      throw usage_error(text(p.title, ": field ", i,
                             " of in is not near memory, as those were that the plan was made with; allocate it as a "
                             "transpose_array or field, or make a plan with arrays of this kind"));
  }
}

void require_idle(const transpose_state& p) {
  if (p.is_in_flight) throw usage_error(text(p.title, " was started while in flight; finish() it first"));
}

/// What has to move for a start on these arrays. Changes nothing. @throws usage_error  there can be no such start
std::vector<exchange::moved_buffer> checked_moves(const transpose_state& p, const transpose_arrays& in,
                                                  const transpose_arrays& out) {
  require_idle(p);
  check_arrays(p, in, out);
  if (are_bound(p, p.from, in) && are_bound(p, p.to, out)) return {};
  if (check_overlaps(p, in, out) && !p.staged)
    throw usage_error(text(p.title, ": in and out are the same array, but the plan was not made in place"));
  if (p.is_near && !p.staged) require_near(p, in);
  std::vector<exchange::moved_buffer> moves = moves_to(p, in, out);
  if (!p.engine->can_rebind(moves))
    throw usage_error(
        text(p.title, ": method ", p.engine->method(),
             " stays with the arrays that the plan was made with; make a plan per array, or choose another method"));
  return moves;
}

void begin(transpose_state& p) {
  p.started_s = seconds_now();
  if (p.staged) p.staged->fill(p.from.fields);
  p.identity.start();
  p.engine->start();
  p.is_in_flight = true;
}

// ---- description ----

/// Seconds of one read and one write of `bytes`, by whichever stores are quicker: the least of three.
double copy_seconds(index_t bytes) {
  const std::vector<std::byte> from(as_size(bytes), std::byte{1});
  std::vector<std::byte> to(as_size(bytes));
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round)
    for (const auto how : {near::stores::ordinary, near::stores::past_caches}) {
      const double begin = seconds_now();
      near::copy(how, to.data(), from.data(), bytes);
      near::finish(how);
      least = std::min(least, seconds_now() - begin);
    }
  return least;
}

std::string describe_speed(const transpose_state& p) {
  constexpr index_t most = index_t{1} << 26;
  const double tuned = p.engine->tuned_seconds(), mine = tuned > 0 ? tuned : p.quickest_s;
  if (p.own_bytes() == 0 || !(mine < std::numeric_limits<double>::infinity())) return "";
  const index_t bytes = std::min(p.own_bytes(), most);
  const double bound = copy_seconds(bytes) * static_cast<double>(p.own_bytes()) / static_cast<double>(bytes);
  return text("  takes ", readable_time(mine), tuned > 0 ? " (tuned)" : " (quickest so far)",
              "; memcpy of these bytes takes ", readable_time(bound), ": ", std::lround(100 * bound / mine),
              " % of that speed\n");
}

}  // namespace

transpose_plan::transpose_plan(const transpose_side& from, const transpose_side& to, const transpose_arrays& in,
                               const writable_transpose_arrays& out, transpose_options options,
                               std::source_location where)
    : state_(make_plan(from, to, in, out, options, where)) {}
transpose_plan::~transpose_plan() = default;
transpose_plan::transpose_plan(transpose_plan&&) noexcept = default;
transpose_plan& transpose_plan::operator=(transpose_plan&&) noexcept = default;

void transpose_plan::start(const transpose_arrays& in, const writable_transpose_arrays& out) {
  transpose_state& p = alive(state_, "transpose plan");
  p.engine->rebind(checked_moves(p, in, out));
  bind(p, p.from, in);
  bind(p, p.to, out);
  begin(p);
}

void transpose_plan::start() {
  transpose_state& p = alive(state_, "transpose plan");
  require_idle(p);
  begin(p);
}

bool transpose_plan::test() {
  transpose_state& p = alive(state_, "transpose plan");
  return !p.is_in_flight || (p.identity.test() && p.engine->test());
}

void transpose_plan::finish() {
  transpose_state& p = alive(state_, "transpose plan");
  if (!p.is_in_flight) throw usage_error(text(p.title, " was finished without start()"));
  finish_identity(state_);
  p.engine->finish();
  p.is_in_flight = false;
  p.quickest_s = std::min(p.quickest_s, seconds_now() - p.started_s);
}

std::string transpose_plan::method() const { return alive(state_, "transpose plan").engine->method(); }
std::string transpose_plan::describe_json() const {
  return alive(state_, "transpose plan").engine->describe_json("transpose");
}
const nearfar::team& transpose_plan::team() const { return alive(state_, "transpose plan").from.side.parts.team(); }
double transpose_plan::tuned_seconds() const noexcept { return state_ ? state_->engine->tuned_seconds() : 0; }

std::string transpose_plan::describe() const { return from_zero(description_of(*this)); }

void check_start(const transpose_plan& plan, const transpose_arrays& in, const writable_transpose_arrays& out) {
  checked_moves(alive(internals::pointer(plan), "transpose plan"), in, out);
}

std::string description_of(const transpose_plan& plan) {
  const transpose_state& p = alive(internals::pointer(plan), "transpose plan");
  return text(p.title, ": ", p.options.fields, p.options.fields == 1 ? " field" : " fields", " of ", p.element_bytes,
              "-byte elements, ", readable_bytes(p.own_bytes()), " on this rank", p.is_near ? ", near memory" : "",
              p.staged ? ", in place through a staging" : "", "\n", describe_side("from", p.from.side),
              describe_side("to  ", p.to.side), describe_speed(p), p.engine->describe());
}

}  // namespace nearfar
