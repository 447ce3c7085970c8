// SPDX-License-Identifier: BSD-3-Clause
// A fused stage: the exchange engine lends the boxes that two decompositions have in common to the sweep, which
// transforms them.
#include <algorithm>
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <exchange/exchange.hpp>
#include <fused/stage.hpp>
#include <near/past_caches.hpp>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <transpose/wanted_arrays.hpp>
#include <tune/methods.hpp>
#include <utility>

#include "sweep.hpp"

namespace nearfar::fused {

namespace {

bool is_whole(const decomposition& d, int axis) {
  const box own = d.own();
  return own.is_empty() || own.extent(axis) == d.extents()[at(axis)];
}

void check_step(const std::string& title, const stage_shape& s, std::size_t k) {
  const line_step& step = s.steps[k];
  const auto axis = axis_number(step.axis, s.through.dimensions());
  if (step.axis < 0 || step.axis >= s.through.dimensions())
    throw usage_error(
        text(title, ": step ", k, " is along axis ", axis, "; axes are ", axis_range(s.through.dimensions())));
  for (const decomposition* d : {&s.through, &s.to.parts})
    if (!is_whole(*d, step.axis))
      throw usage_error(text(title, ": step ", k, " needs axis ", axis, " whole; this rank has ",
                             box_in_words(d->own()), " of ", extents_in_words(d->extents())));
  const index_t n = length_of(s, k);
  const fourier::line_shape shape{step.what, n};
  check(shape);
  const index_t in = s.through.extents()[at(step.axis)], out = s.to.parts.extents()[at(step.axis)];
  if (in != shape.in_length() || out != shape.out_length())
    throw usage_error(text(title, ": step ", k, " (", name_of(step.what), " of ", n, ") takes ", shape.in_length(),
                           " elements along axis ", axis, " and gives ", shape.out_length(), "; the sides have ", in,
                           " and ", out));
}

void check_steps(const std::string& title, const stage_shape& s) {
  if (s.steps.empty() || s.steps.size() > 2)
    throw usage_error(text(title, " has ", s.steps.size(), " steps; 1 or 2 are possible"));
  for (std::size_t k = 0; k < s.steps.size(); ++k) check_step(title, s, k);
  if (s.steps.size() == 1) return;
  if (s.steps[0].axis == s.steps[1].axis)
    throw usage_error(text(title, ": both steps are along axis ", axis_number(s.steps[0].axis, s.through.dimensions()),
                           "; two axes are needed"));
  if (is_complex_out(s.steps[0].what) != is_complex_in(s.steps[1].what))
    throw usage_error(text(title, ": ", name_of(s.steps[0].what), " gives ",
                           is_complex_out(s.steps[0].what) ? "complex" : "real", " numbers, which ",
                           name_of(s.steps[1].what), " does not take"));
}

/// `through` and `to` are cut alike along the axes that no step is along.
void check_sides(const std::string& title, const stage_shape& s) {
  const decomposition &a = s.through, &b = s.to.parts;
  if (&state_of(a.team()) != &state_of(b.team()) || &state_of(a.team()) != &state_of(s.from.parts.team()))
    throw usage_error(text(title, ": the sides belong to different teams; all must be made with one"));
  if (a.extents() != s.from.parts.extents() || a.dimensions() != b.dimensions())
    throw usage_error(text(title, " takes a grid of ", extents_in_words(s.from.parts.extents()), ", transforms one of ",
                           extents_in_words(a.extents()), " and gives one of ", extents_in_words(b.extents())));
  const box mine = a.own(), given = b.own();
  bool is_alike = mine.is_empty() == given.is_empty();
  for (int d = 0; d < a.dimensions() && !mine.is_empty(); ++d) {
    if (std::any_of(s.steps.begin(), s.steps.end(), [d](const line_step& step) { return step.axis == d; })) continue;
    is_alike = is_alike && mine.lower[at(d)] == given.lower[at(d)] && mine.upper[at(d)] == given.upper[at(d)];
  }
  if (!is_alike)
    throw usage_error(text(title, ": this rank transforms ", box_in_words(mine), ", but is to have ",
                           box_in_words(given), "; they may differ along the axes of steps only"));
  check_side(s.from, s.fields, "from");
  check_side(s.to, s.fields, "to");
}

}  // namespace

template <class Real>
struct stage<Real>::state : exchange::box_reader {
  state(const stage_shape& s, stage_options o)
      : shape(s), options(std::move(o)), title(text("stage \"", options.name, "\"")) {}

  void check_shape();
  void find_parts();
  exchange::pattern make_pattern();
  void check(const transpose_arrays& in, const transpose_arrays& out) const;
  std::vector<exchange::moved_buffer> moves_to(const transpose_arrays& in) const;
  void check_moves(const transpose_arrays& in) const;
  void bind(const transpose_arrays& in, const transpose_arrays& out);
  void read(std::span<const exchange::lent_box> boxes) override;

  stage_shape shape;
  stage_options options;
  std::string title;
  array_shape from_shape, to_shape;
  index_t in_bytes = 0, out_bytes = 0;
  std::vector<share_of_box> sends, receives;
  bool is_local = false;     ///< nothing travels, from or to this rank
  bool is_in_place = false;  ///< possible
  bool is_past_caches = false;
  std::vector<std::byte*> in_fields, out_fields;
  std::unique_ptr<std::byte[]>
      staging;  ///< dense boxes one after the other; memory that is never touched where all is read in place
  std::optional<sweep<Real>> work;
  std::optional<exchange::exchange> engine;
  bool is_in_flight = false;
};

template <class Real>
void stage<Real>::state::check_shape() {
  if (shape.fields < 1) throw usage_error(text(title, " has ", shape.fields, " fields; 1 or more are possible"));
  check_steps(title, shape);
  check_sides(title, shape);
  from_shape = shape_of(shape.from);
  to_shape = shape_of(shape.to);
  in_bytes = element_bytes<Real>(is_complex_in(shape.steps.front().what));
  out_bytes = element_bytes<Real>(is_complex_out(shape.steps.back().what));
}

template <class Real>
void stage<Real>::state::find_parts() {
  sends = state_of(shape.through).parts_of(shape.from.parts.own());
  receives = state_of(shape.from.parts).parts_of(shape.through.own());
  const int me = shape.through.team().rank();
  const auto is_mine = [me](const share_of_box& s) { return s.rank == me; };
  is_local = std::all_of(sends.begin(), sends.end(), is_mine) && std::all_of(receives.begin(), receives.end(), is_mine);
  is_in_place =
      is_local && in_bytes == out_bytes && from_shape.held == to_shape.held && from_shape.strides == to_shape.strides;
  const index_t bytes = from_shape.elements * in_bytes + to_shape.elements * out_bytes;
  is_past_caches = near::fills_caches(state_of(shape.through.team()), bytes * shape.fields);
  std::vector<box> parts;
  for (const share_of_box& s : receives) parts.push_back(s.part);
  work.emplace(shape, std::move(parts));
}

/// Boxes list their dimensions as `in` does, so that what is packed is read in long runs.
template <class Real>
exchange::pattern stage<Real>::state::make_pattern() {
  exchange::pattern all;
  const auto order = checked_order(shape.from);
  index_t staged = 0;
  for (const share_of_box& s : receives) staged += s.part.cells() * in_bytes * shape.fields;
  staging.reset(new std::byte[as_size(staged)]);
  const auto fields = static_cast<int>(shape.fields);
  for (int f = 0; f < fields; ++f) all.buffers.push_back({in_fields[at(f)], from_shape.elements * in_bytes});
  all.buffers.push_back({staging.get(), staged});
  index_t next = 0;
  for (int f = 0; f < fields; ++f) {
    for (const share_of_box& s : sends)
      all.sends.push_back({s.rank, f, box_in_array(from_shape, s.part, order, in_bytes)});
    for (const share_of_box& s : receives) {
      exchange::strided_box b{next, in_bytes, {}, std::vector<index_t>(order.size())};
      index_t step = in_bytes;
      for (const int d : order) b.extents.push_back(s.part.extent(d));
      for (std::size_t k = order.size(); k-- > 0; step *= b.extents[k]) b.strides_bytes[k] = step;
      next += step;
      all.receives.push_back({s.rank, fields, std::move(b)});
    }
  }
  return all;
}

template <class Real>
void stage<Real>::state::check(const transpose_arrays& in, const transpose_arrays& out) const {
  const wanted_arrays source{"in", &shape.from, shape.fields, from_shape.elements, in_bytes};
  const wanted_arrays target{"out", &shape.to, shape.fields, to_shape.elements, out_bytes};
  check_arrays(title, source, in);
  check_arrays(title, target, out);
  if (check_overlaps(title, source, in, target, out) && !is_in_place)
    throw usage_error(text(title, ": in and out are the same array, which this stage cannot work in"));
  check_distinct(title, target, out);
}

template <class Real>
std::vector<exchange::moved_buffer> stage<Real>::state::moves_to(const transpose_arrays& in) const {
  std::vector<exchange::moved_buffer> moves;
  for (std::size_t i = 0; i < in_fields.size(); ++i)
    if (std::byte* const source = field_of(shape.from, in, i); source != in_fields[i])
      moves.push_back({static_cast<int>(i), source});
  return moves;
}

template <class Real>
void stage<Real>::state::check_moves(const transpose_arrays& in) const {
  if (!engine->can_rebind(moves_to(in)))
    throw usage_error(text(title, ": method ", engine->method(),
                           " cannot follow to the fields of in: they are no near memory, as those were that the stage "
                           "was made with, or the method stays with its arrays"));
}

template <class Real>
void stage<Real>::state::bind(const transpose_arrays& in, const transpose_arrays& out) {
  engine->rebind(moves_to(in));
  for (std::size_t i = 0; i < in_fields.size(); ++i) {
    in_fields[i] = field_of(shape.from, in, i);
    out_fields[i] = field_of(shape.to, out, i);
  }
}

template <class Real>
void stage<Real>::state::read(std::span<const exchange::lent_box> boxes) {
  for (std::size_t f = 0; f < out_fields.size(); ++f)
    work->run(boxes.subspan(f * receives.size(), receives.size()), out_fields[f], is_past_caches);
}

template <class Real>
stage<Real>::stage(const stage_shape& shape, const transpose_arrays& in, const transpose_arrays& out,
                   stage_options options)
    : state_(std::make_unique<state>(shape, std::move(options))) {
  state& s = *state_;
  const team members = shape.through.team();
  exchange::pattern pattern;
  agree(members, [&] {
    tune::check_left_out(s.title, "fft", s.options.without, "isend");
    s.check_shape();
  });
  agree(members, [&] {
    s.find_parts();
    s.check(in, out);
    for (std::size_t i = 0; i < as_size(shape.fields); ++i) {
      s.in_fields.push_back(field_of(shape.from, in, i));
      s.out_fields.push_back(field_of(shape.to, out, i));
    }
    pattern = s.make_pattern();
  });
  exchange::exchange_options e{.name = s.options.name, .method = s.options.method, .budget_s = s.options.budget_s};
  e.also = {"near-direct"};
  e.without = s.options.without;
  e.without.push_back("near-cma");
  // The stage before writes `in` each time.
  e.counts_rewriting = s.from_shape.elements * s.in_bytes * s.shape.fields <= exchange::most_rewritten_bytes;
  e.rewrite = std::exchange(s.options.rewrite, nullptr);
  e.least_share = exchange::deliberate_share;
  e.reader = &s;
  e.shape = from_zero(s.work->describe());
  s.engine.emplace(members, std::move(pattern), std::move(e));
}

template <class Real>
stage<Real>::~stage() = default;
template <class Real>
stage<Real>::stage(stage&&) noexcept = default;
template <class Real>
stage<Real>& stage<Real>::operator=(stage&&) noexcept = default;

template <class Real>
void stage<Real>::check(const transpose_arrays& in, const transpose_arrays& out) const {
  const state& s = *state_;
  if (s.is_in_flight) throw usage_error(text(s.title, " was started while in flight; finish() it first"));
  s.check(in, out);
  s.check_moves(in);
}

template <class Real>
void stage<Real>::start(const transpose_arrays& in, const transpose_arrays& out) {
  check(in, out);
  state& s = *state_;
  s.bind(in, out);
  s.engine->start();
  s.is_in_flight = true;
}

template <class Real>
bool stage<Real>::test() {
  return !state_->is_in_flight || state_->engine->test();
}

template <class Real>
void stage<Real>::finish() {
  state& s = *state_;
  if (!s.is_in_flight) throw usage_error(text(s.title, " was finished without start()"));
  s.engine->finish();
  s.is_in_flight = false;
}

template <class Real>
std::string stage<Real>::method() const {
  return state_->is_local ? "local" : state_->engine->method();
}
template <class Real>
double stage<Real>::tuned_seconds() const noexcept {
  return state_->engine->tuned_seconds();
}
template <class Real>
std::string stage<Real>::describe() const {
  return text(state_->title, ": ", state_->work->describe(), "\n",
              state_->is_local ? std::string("  local\n") : state_->engine->describe());
}

template <class Real>
std::string stage<Real>::describe_json() const {
  return state_->is_local ? "" : state_->engine->describe_json("fused");
}

template class stage<float>;
template class stage<double>;

}  // namespace nearfar::fused
