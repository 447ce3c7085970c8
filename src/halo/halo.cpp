// SPDX-License-Identifier: BSD-3-Clause
// Halo plans: the pattern of ghost cells, handed to the exchange engine.
#include <algorithm>
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <exchange/exchange.hpp>
#include <halo/description.hpp>
#include <halo/grid_state.hpp>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <nearfar/halo.hpp>
#include <optional>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/plan_identity.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>

#include "checks.hpp"
#include "gpu_part.hpp"
#include "guard.hpp"
#include "transfers.hpp"

namespace nearfar {

struct halo_state {
  halo_state(const team& members, const halo_options& o, const std::source_location& where)
      : identity(members, "halo", o, where), options(o) {}
  plan_identity identity;
  halo_options options;
  std::vector<halo_part> parts;                 // keeps grids, teams and the memory of fields alive
  std::vector<std::optional<gpu_part>> on_gpu;  // per part; empty for those in memory of the host
  std::vector<guarded_cells> received, sent;    // filled with NEARFAR_CHECK=paranoid only
  std::uint64_t sent_fingerprint = 0;
  bool is_checked = false;
  bool has_more_to_do = false;  // than the exchange: checks, or packing on a GPU
  bool is_in_flight = false;
  std::string summary;
  std::optional<exchange::exchange> engine;
};

namespace {

std::vector<exchange::transfer> transfers_of(const halo_part& p, int buffer, const dimension_order& order,
                                             const std::vector<ghost_piece>& pieces) {
  return transfers_of(p.layout, grown(p.cells.own(), p.widths), buffer, order, pieces);
}

/// The part's array where it begins at `data`.
exchange::buffer buffer_at(const halo_part& p, void* data) {
  if (p.cells.own().is_empty()) return {};
  const byte_span span = span_of(p.layout, p.cells.dimensions());
  return {static_cast<std::byte*>(data) + span.lower, span.bytes()};
}

exchange::buffer buffer_of(const halo_part& p) { return buffer_at(p, p.layout.data); }

void append(std::vector<exchange::transfer>& all, std::vector<exchange::transfer> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

/// A part's array is a buffer, by the part's number; of one in GPU memory that is what it sends, and what it receives
/// stands behind all parts.
exchange::pattern pattern_of(halo_state& h, const std::vector<dimension_order>& orders, near::arena& arena) {
  exchange::pattern all;
  std::vector<exchange::buffer> behind;
  for (std::size_t i = 0; i < h.parts.size(); ++i) {
    const halo_part& p = h.parts[i];
    const grid_state& g = state_of(p.cells);
    const int buffer = static_cast<int>(i);
    auto receives = transfers_of(p, buffer, orders[i], received_pieces(g, p.exchange, h.options.stencil));
    auto sends = transfers_of(p, buffer, orders[i], sent_pieces(g, p.exchange, h.options.stencil));
    all.buffers.push_back(buffer_of(p));
    if (!p.cells.own().is_empty() && device::is_device_memory(p.layout.data)) {
      const gpu_part& staged = h.on_gpu[i].emplace(arena, as_index(p.layout.element_bytes), sends, receives);
      all.buffers.back() = staged.sent();
      for (exchange::transfer& t : receives) t.buffer = static_cast<int>(h.parts.size() + behind.size());
      behind.push_back(staged.received());
    }
    append(all.receives, std::move(receives));
    append(all.sends, std::move(sends));
  }
  all.buffers.insert(all.buffers.end(), behind.begin(), behind.end());
  return all;
}

/// Of arrays that the host can read.
std::vector<guarded_cells> guarded(const halo_state& h, const exchange::pattern& all,
                                   const std::vector<exchange::transfer>& transfers) {
  std::vector<guarded_cells> cells;
  for (const exchange::transfer& t : transfers)
    if (as_size(t.buffer) < h.parts.size() && !h.on_gpu[as_size(t.buffer)])
      cells.push_back({t.buffer, static_cast<std::byte*>(all.buffers[as_size(t.buffer)].base), t.where});
  return cells;
}

std::byte* first_byte(const halo_part& p) { return static_cast<std::byte*>(buffer_of(p).base); }

/// Before an exchange: what near ranks and messages take must be there.
void prepare(halo_state& h) {
  if (h.is_checked) {
    poison(h.received);
    h.sent_fingerprint = fingerprint(h.sent);
  }
  for (std::size_t i = 0; i < h.parts.size(); ++i)
    if (h.on_gpu[i]) h.on_gpu[i]->start_pack(first_byte(h.parts[i]));
  for (auto& staged : h.on_gpu)
    if (staged) staged->wait();
}

/// After it.
void conclude(halo_state& h) {
  for (std::size_t i = 0; i < h.parts.size(); ++i)
    if (h.on_gpu[i]) h.on_gpu[i]->start_unpack(first_byte(h.parts[i]));
  for (auto& staged : h.on_gpu)
    if (staged) staged->wait();
  if (h.is_checked && fingerprint(h.sent) != h.sent_fingerprint)
    throw usage_error(text("halo \"", h.options.name,
                           "\": own cells that neighbours read were written between start() and "
                           "finish() (found by NEARFAR_CHECK=paranoid)"));
}

// ---- description ----

std::string describe_widths(const ghosts& g, int dimensions) {
  std::vector<std::string> widths;
  for (int d = 0; d < dimensions; ++d) widths.push_back(text("(", g.low(d), ",", g.high(d), ")"));
  return axes_in_words(widths, " ");
}

std::string describe_part(const halo_part& p, const std::optional<gpu_part>& staged, std::size_t number) {
  const int dimensions = p.cells.dimensions();
  std::string line = text("  part ", place_number(as_index(number)), ": ", extents_in_words(p.cells.extents()),
                          " cells of ", p.layout.element_bytes, " B, fills ", describe_widths(p.exchange, dimensions));
  if (p.exchange != p.widths) line += text(" of ", describe_widths(p.widths, dimensions));
  if (!p.memory) line += ", caller's memory";
  return line + (staged ? text(", in ", staged->describe()) : "") + "\n";
}

struct traffic {
  std::vector<int> near, far;  // peers
  index_t near_bytes = 0, far_bytes = 0, own_bytes = 0;
};

traffic traffic_of(const team& members, const std::vector<exchange::transfer>& transfers) {
  traffic t;
  for (const exchange::transfer& x : transfers) {
    const bool is_near = members.is_near(x.peer);
    const index_t bytes = x.where.bytes();
    if (x.peer == members.rank()) {
      t.own_bytes += bytes;
      continue;
    }
    (is_near ? t.near : t.far).push_back(x.peer);
    (is_near ? t.near_bytes : t.far_bytes) += bytes;
  }
  for (auto* peers : {&t.near, &t.far}) {
    std::sort(peers->begin(), peers->end());
    peers->erase(std::unique(peers->begin(), peers->end()), peers->end());
  }
  return t;
}

std::string describe_traffic(const char* verb, const traffic& t) {
  std::string line = text("  this rank ", verb, " ", readable_bytes(t.near_bytes), " with ", t.near.size(),
                          " near and ", readable_bytes(t.far_bytes), " with ", t.far.size(), " far neighbours");
  if (t.own_bytes > 0) line += text(", ", readable_bytes(t.own_bytes), " with itself");
  return line + "\n";
}

std::string summary_of(const halo_state& h, const exchange::pattern& p) {
  const team& members = h.parts.front().cells.team();
  std::string all =
      text("halo \"", h.options.name, "\": ", h.parts.size(), h.parts.size() == 1 ? " part, " : " parts, ",
           h.options.stencil == stencil::box ? "box" : "star", " stencil",
           h.is_checked ? ", ghosts poisoned while in flight (NEARFAR_CHECK=paranoid)" : "", "\n");
  for (std::size_t i = 0; i < h.parts.size(); ++i) all += describe_part(h.parts[i], h.on_gpu[i], i);
  all += describe_traffic("receives", traffic_of(members, p.receives));
  return all + describe_traffic("sends", traffic_of(members, p.sends));
}

std::vector<int> peers_of(const exchange::pattern& all) {
  std::vector<int> peers;
  for (const auto* list : {&all.sends, &all.receives})
    for (const exchange::transfer& t : *list) peers.push_back(t.peer);
  return peers;
}

std::unique_ptr<halo_state> make_halo(std::vector<halo_part> parts, const halo_options& options,
                                      const std::source_location& where) {
  if (parts.empty()) throw usage_error(text("halo \"", options.name, "\" has no parts; it needs at least one array"));
  const team members = parts.front().cells.team();
  auto h = std::make_unique<halo_state>(members, options, where);
  const std::uint64_t shape = check_parts(parts, options);
  const std::vector<dimension_order> orders = check_reach(parts, options);
  h->parts = std::move(parts);
  h->on_gpu.resize(h->parts.size());
  exchange::pattern all;
  near::arena& arena = near::arena::of(members);  // made on all ranks, not only on those with a GPU
  agree(members, [&] {
    tune::check_left_out(text("halo \"", options.name, "\""), "halo", options.without, "isend");
    h->is_checked = is_paranoid();
    all = pattern_of(*h, orders, arena);
    h->summary = summary_of(*h, all);
    h->has_more_to_do =
        h->is_checked || std::any_of(h->on_gpu.begin(), h->on_gpu.end(), [](auto& p) { return p.has_value(); });
    if (!h->is_checked) return;
    h->received = guarded(*h, all, all.receives);
    h->sent = guarded(*h, all, all.sends);
  });
  h->identity.join(shape, peers_of(all));
  h->engine.emplace(
      members, std::move(all),
      exchange::exchange_options{
          .name = options.name, .method = options.method, .budget_s = options.budget_s, .without = options.without});
  return h;
}

void require_idle(const halo_state& h) {
  if (h.is_in_flight)
    throw usage_error(text("halo \"", h.options.name, "\" was started while in flight; finish() it first"));
}

/// The part's array where it is to begin at `data`. @throws usage_error  it cannot, whatever the others do
exchange::buffer checked_buffer_at(const halo_state& h, std::size_t i, void* data) {
  const halo_part& p = h.parts[i];
  const std::string which = text(part_name(h.options, i), ": the other array ");
  if (data == nullptr) throw usage_error(which + "is null");
  const bool was_on_gpu = h.on_gpu[i].has_value();
  if (device::is_device_memory(data) != was_on_gpu)
    throw usage_error(text(which, "is ", was_on_gpu ? "not " : "", "in GPU memory, unlike the first"));
  const exchange::buffer before = buffer_of(p), after = buffer_at(p, data);
  if (was_on_gpu) return after;
  const near::arena& arena = near::arena::of(p.cells.team());
  const bool is_near = arena.find(after.base, after.bytes).is_valid(),
             was_near = arena.find(before.base, before.bytes).is_valid();
  if (is_near != was_near)
    throw usage_error(text(which, "is ", is_near ? "" : "not ", "near memory, unlike the first"));
  return after;
}

/// All parts' arrays begin where `data` says, or, after an error, none does.
void move_parts(halo_state& h, std::span<void* const> data) {
  std::vector<exchange::moved_buffer> moves;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const halo_part& p = h.parts[i];
    if (p.layout.data == data[i] || p.cells.own().is_empty()) continue;
    const exchange::buffer after = checked_buffer_at(h, i, data[i]);
    if (!h.on_gpu[i]) moves.push_back({static_cast<int>(i), after.base});
  }
  if (!h.engine->rebind(moves))
    throw usage_error(text("halo \"", h.options.name, "\": the other arrays cannot be used: method ",
                           h.engine->method(), " stays with the arrays that it was made for"));
  for (auto* cells : {&h.received, &h.sent})
    for (guarded_cells& c : *cells)
      for (const exchange::moved_buffer& m : moves)
        if (c.part == m.buffer) c.base = static_cast<std::byte*>(m.base);
  for (std::size_t i = 0; i < data.size(); ++i)
    if (!h.parts[i].cells.own().is_empty()) h.parts[i].layout.data = data[i];
}

const tune::front_methods entered{"halo", exchange::methods_of};

}  // namespace

array_layout halo_part::make_layout(void* data, std::size_t element_bytes, const std::vector<index_t>& extents,
                                    const std::vector<index_t>& strides) {
  if (extents.empty() || extents.size() > at(max_dimensions))
    throw usage_error(text("an array has 1 to ", max_dimensions, " dimensions, not ", extents.size()));
  if (!strides.empty() && strides.size() != extents.size())
    throw usage_error(text("an array of ", extents.size(), " dimensions was given ", strides.size(), " strides"));
  array_layout a;
  a.data = data;
  a.element_bytes = element_bytes;
  index_t contiguous = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    a.extents[d] = extents[d];
    a.strides_bytes[d] = (strides.empty() ? contiguous : strides[d]) * as_index(element_bytes);
    contiguous *= extents[d];
  }
  return a;
}

halo_plan::halo_plan(std::vector<halo_part> parts, halo_options options, std::source_location where)
    : state_(make_halo(std::move(parts), options, where)) {}
halo_plan::~halo_plan() = default;
halo_plan::halo_plan(halo_plan&&) noexcept = default;
halo_plan& halo_plan::operator=(halo_plan&&) noexcept = default;

void halo_plan::start() {
  halo_state& h = alive(state_, "halo plan");
  require_idle(h);
  if (h.has_more_to_do) prepare(h);
  h.identity.start();
  h.engine->start();
  h.is_in_flight = true;
}

void halo_plan::start(std::span<void* const> data) {
  halo_state& h = alive(state_, "halo plan");
  require_idle(h);
  if (data.size() != h.parts.size())
    throw usage_error(text("halo \"", h.options.name, "\" has ", h.parts.size(), " parts, not ", data.size()));
  move_parts(h, data);
  start();
}

void halo_plan::start(const field_base& other) {
  const halo_state& h = alive(state_, "halo plan");
  const array_layout &mine = h.parts.front().layout, &theirs = other.layout();
  if (h.parts.size() != 1 || &state_of(h.parts.front().cells) != &state_of(other.grid()) ||
      mine.element_bytes != theirs.element_bytes || mine.extents != theirs.extents ||
      mine.strides_bytes != theirs.strides_bytes)
    throw usage_error(text("halo \"", h.options.name,
                           "\" is started on a field of another grid, ghosts, elements or order in memory"));
  void* const data = theirs.data;
  start({&data, 1});
}

bool halo_plan::test() {
  halo_state& h = alive(state_, "halo plan");
  return !h.is_in_flight || (h.identity.test() && h.engine->test());
}

void halo_plan::finish() {
  halo_state& h = alive(state_, "halo plan");
  if (!h.is_in_flight) throw usage_error(text("halo \"", h.options.name, "\" was finished without start()"));
  finish_identity(state_);
  h.engine->finish();
  h.is_in_flight = false;
  if (h.has_more_to_do) conclude(h);
}

std::string halo_plan::method() const { return alive(state_, "halo plan").engine->method(); }
const nearfar::team& halo_plan::team() const { return alive(state_, "halo plan").parts.front().cells.team(); }
double halo_plan::tuned_seconds() const noexcept { return state_ ? state_->engine->tuned_seconds() : 0; }
std::string halo_plan::describe() const { return from_zero(description_of(*this)); }
std::string description_of(const halo_plan& plan) {
  const auto& state = internals::pointer(plan);
  return alive(state, "halo plan").summary + state->engine->describe();
}
std::string halo_plan::describe_json() const { return alive(state_, "halo plan").engine->describe_json("halo"); }

}  // namespace nearfar
