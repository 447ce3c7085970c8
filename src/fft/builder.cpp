// SPDX-License-Identifier: BSD-3-Clause
// Stages, one after the other, with their races.
#include <base/internals.hpp>
#include <tune/methods.hpp>

#include "builder.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cmath>
#include <exchange/exchange.hpp>
#include <near/past_caches.hpp>
#include <near/signal.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "engines.hpp"
#include "fusion.hpp"

namespace nearfar::fft {
namespace {

/// What one direction multiplies by.
double factor_of(const fft_shape& shape, fft_scaling scaling, bool is_backward) {
  const double n = roundtrip_factor(shape);
  if (scaling == fft_scaling::orthonormal) return 1 / std::sqrt(n);
  return scaling == (is_backward ? fft_scaling::backward : fft_scaling::forward) ? 1 / n : 1;
}

/// The first step if it transforms: what comes after a move may be fused, which leaves no place for a factor. Else the
/// last transforms.
std::size_t scaling_step(const std::vector<step>& steps) {
  std::size_t last = steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!steps[i].is_move()) last = i;
  return steps[0].is_move() ? last : 0;
}

bool is_callers(const direction& d, std::size_t point) {
  return d.steps.places[point] == place::input || d.steps.places[point] == place::output;
}

bool has(const std::vector<std::string>& engines, const char* name) {
  return std::find(engines.begin(), engines.end(), name) != engines.end();
}

}  // namespace

std::string key_of(const stage_context& context, const step& what, index_t real_bytes) {
  std::string words =
      text(from_zero(describe(context.shape)), context.is_backward ? " backward" : " forward", " along");
  for (const int d : what.axes) words += text(" ", d);
  words += text(" of ", context.options.fields, " fields of ", real_bytes, "-byte reals, ");
  for (const resting* r : {&what.from, &what.to}) {
    const array_shape shape = shape_of(r->side);
    for (int d = 0; d < shape.held.dimensions; ++d) words += text(shape.held.extent(d), ":", shape.strides[at(d)], " ");
  }
  return words;
}

template <class Real>
builder<Real>::builder(fft_state<Real>& p, double budget_s, std::vector<std::string> engines)
    : p_(p), engines_(std::move(engines)), share_s_(budget_s / std::max(1, races())) {}

template <class Real>
std::vector<link> builder<Real>::stage_by_stage(const direction& d) const {
  std::vector<link> links;
  while (links.empty() || links.back().end < d.steps.steps.size()) {
    const std::size_t i = links.empty() ? 0 : links.back().end;
    if (may_fuse(d, i))
      add_faster(d, i, links);
    else
      links.push_back(one_step(d, i, engines_, links));
  }
  return links;
}

template <class Real>
std::vector<link> builder<Real>::in_turn(const direction& d, const std::string& engine) const {
  std::vector<link> links;
  for (std::size_t i = 0; i < d.steps.steps.size(); ++i) links.push_back(one_step(d, i, {engine}, links));
  return links;
}

template <class Real>
std::vector<link> builder<Real>::at_once(const direction& d) const {
  std::vector<link> links;
  while (links.empty() || links.back().end < d.steps.steps.size()) {
    const std::size_t i = links.empty() ? 0 : links.back().end;
    links.push_back(may_fuse(d, i) ? fused(d, i, {share_s_ / 2, writing_anew(d, i, links)})
                                   : one_step(d, i, {"own"}, links));
  }
  return links;
}

template <class Real>
bool builder<Real>::has_fused(const direction& d) const {
  for (std::size_t i = 0; i < d.steps.steps.size(); ++i)
    if (may_fuse(d, i)) return true;
  return false;
}

template <class Real>
stage_context builder<Real>::context_of(const direction& d, std::size_t i) const {
  const double factor = factor_of(p_.layout.shape(), p_.options.scaling, d.is_backward);
  return {p_.layout.shape(), p_.options,
          d.is_backward,     i == scaling_step(d.steps.steps) ? factor : 1,
          p_.is_on_device,   goes_past_caches(d, i)};
}

/// Whether what a stage of transforms stores would push what it needs out of the caches. In place its lines are there
/// already.
template <class Real>
bool builder<Real>::goes_past_caches(const direction& d, std::size_t i) const {
  const step& s = d.steps.steps[i];
  const bool is_same_memory =
      d.steps.places[i] == d.steps.places[i + 1] || (p_.is_in_place && is_callers(d, i) && is_callers(d, i + 1));
  if (s.is_move() || is_same_memory || p_.is_on_device) return false;
  index_t bytes = 0;
  for (const resting* r : {&s.from, &s.to})
    bytes += shape_of(r->side).elements * element_bytes(*r, sizeof(Real)) * p_.options.fields;
  return near::fills_caches(state_of(p_.team()), bytes);
}

template <class Real>
int builder<Real>::races() const {
  int count = 0;
  for (const direction* d : {&p_.forward, &p_.backward})
    for (const step& s : d->steps.steps) count += s.is_move() ? 2 : engines_.size() > 1;
  return count;
}

/// Whether a step and the next may be one stage.
template <class Real>
bool builder<Real>::may_fuse(const direction& d, std::size_t i) const {
  const std::vector<step>& steps = d.steps.steps;
  return i + 1 < steps.size() && p_.options.fusion != fft_fusion::never && p_.team().size() > 1 &&
         d.steps.places[i] != d.steps.places[i + 2] && has(engines_, "own") &&
         !(p_.is_in_place && d.steps.places[i] == place::input && d.steps.places[i + 2] == place::output) &&
         can_fuse(context_of(d, i + 1), steps[i], steps[i + 1]);
}

/// The caller's output, which races write, as it is now; nothing where that is not written.
template <class Real>
std::unique_ptr<saved_arrays> builder<Real>::save_output(const direction& d, std::size_t point) const {
  std::unique_ptr<saved_arrays> saved;
  const array_side output{"the output", d.steps.steps.back().to, p_.options.fields, sizeof(Real)};
  if (d.steps.places[point] == place::output)
    agree(p_.team(), [&] { saved = std::make_unique<saved_arrays>(output, p_.arrays_at(d, point)); });
  return saved;
}

template <class Real>
link builder<Real>::one_step(const direction& d, std::size_t i, const std::vector<std::string>& engines,
                             const std::vector<link>& before) const {
  const step& what = d.steps.steps[i];
  const stage_context context = context_of(d, i);
  const transpose_arrays in = p_.arrays_at(d, i), out = p_.arrays_at(d, i + 1);
  if (what.is_move() && p_.is_on_device)
    return {make_device_move(context, what, as_index(in.element_bytes()), share_s_), i, i + 1};
  if (what.is_move()) return {make_move(context, what, in, out, {share_s_, writing_anew(d, i, before)}), i, i + 1};
  std::unique_ptr<saved_arrays> saved;
  if (engines.size() > 1) saved = save_output(d, i + 1);
  return {
      fastest(
          p_.team(), engines, key_of(context, what, sizeof(Real)),
          [&](const std::string& engine) { return make_transforms<Real>(context, what, engine); }, in, out, share_s_),
      i, i + 1};
}

/// Writes a work array anew, by the stage before where that is local: caches of near ranks that have read it give it
/// up. Nothing where no cache would hold it.
template <class Real>
std::function<void()> builder<Real>::writing_anew(const direction& d, std::size_t point,
                                                  const std::vector<link>& before) const {
  if (is_callers(d, point) || p_.is_on_device) return {};
  const std::size_t which = d.steps.places[point] == place::second_work;
  const link* const last = before.empty() ? nullptr : &before.back();
  const bool is_repeatable = last && last->end == point && last->first + 1 == point &&
                             !d.steps.steps[last->first].is_move() &&
                             d.steps.places[last->first] != d.steps.places[point];
  if (is_repeatable && !near::fills_caches(state_of(p_.team()), p_.work_bytes[which]))
    return [run = last->run.get(), in = p_.arrays_at(d, last->first), out = p_.arrays_at(d, point)] {
      run->start(in, out), run->finish();
    };
  if (p_.work_bytes[which] > exchange::most_rewritten_bytes) return {};
  return [at = p_.work[which].data(), bytes = p_.work_bytes[which]] {
    for (index_t i = 0; i < bytes; i += static_cast<index_t>(near::cache_line_bytes)) {
      volatile std::byte& first = at[i];
      first = std::byte(first);
    }
  };
}

template <class Real>
link builder<Real>::fused(const direction& d, std::size_t i, const race_terms& terms) const {
  const std::vector<step>& steps = d.steps.steps;
  const auto saved = save_output(d, i + 2);
  return {
      make_fused<Real>(context_of(d, i + 1), steps[i], steps[i + 1], p_.arrays_at(d, i), p_.arrays_at(d, i + 2), terms),
      i, i + 2};
}

/// A move and the transforms after it: two stages or one, whichever is faster.
template <class Real>
void builder<Real>::add_faster(const direction& d, std::size_t i, std::vector<link>& links) const {
  const race_terms terms{share_s_ / 2, writing_anew(d, i, links)};
  if (p_.options.fusion == fft_fusion::always) {
    links.push_back(fused(d, i, terms));
    return;
  }
  const std::vector<step>& steps = d.steps.steps;
  const transpose_arrays in = p_.arrays_at(d, i), middle = p_.arrays_at(d, i + 1), out = p_.arrays_at(d, i + 2);
  link move, transforms, both;
  const candidate_stage in_turn{
      "in turn", [&] { move = one_step(d, i, engines_, links), transforms = one_step(d, i + 1, engines_, {}); },
      [&] {
        move.run->start(in, middle), move.run->finish(), transforms.run->start(middle, out), transforms.run->finish();
      }};
  const candidate_stage at_once{"at once", [&] { both = fused(d, i, terms); },
                                [&] { both.run->start(in, out), both.run->finish(); }};
  const stage_context context = context_of(d, i + 1);
  const std::string key = text(key_of(context, steps[i], sizeof(Real)), key_of(context, steps[i + 1], sizeof(Real)),
                               p_.options.method, tune::left_out_in_words(p_.options.without));
  const auto saved = save_output(d, i + 2);
  if (faster(p_.team(), key, in_turn, at_once, terms) == at_once.name) {
    links.push_back(std::move(both));
  } else {
    links.push_back(std::move(move));
    links.push_back(std::move(transforms));
  }
}

template class builder<float>;
template class builder<double>;

}  // namespace nearfar::fft
