// SPDX-License-Identifier: BSD-3-Clause
// Plans: two chains, one per direction, that share two work arrays.
#include <algorithm>
#include <base/clock.hpp>
#include <base/text.hpp>
#include <cmath>
#include <device/device.hpp>
#include <exchange/exchange.hpp>
#include <limits>
#include <near/arena.hpp>
#include <near/past_caches.hpp>
#include <near/signal.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "arrays.hpp"
#include "engines.hpp"
#include "fusion.hpp"
#include "stage.hpp"

namespace nearfar {
namespace fft {
namespace {

/// A stage, between two places of its chain.
struct link {
  std::unique_ptr<stage> run;
  std::size_t first = 0, end = 0;  ///< steps
  double quickest_s = std::numeric_limits<double>::infinity();
};

struct direction {
  chain steps;
  std::vector<link> links;
};

/// A work array, in near memory or the GPU's.
struct work_memory {
  near::block near;
  device::memory device;
  std::byte* data() const { return near ? near.data() : device.data(); }
};

}  // namespace
}  // namespace fft

template <class Real>
struct fft_state {
  fft_state(const fft_layout& l, fft_options o)
      : layout(l),
        options(std::move(o)),
        title(text("fft \"", options.name, "\"")),
        physical{"physical", l.state().forward.front().from, options.fields, sizeof(Real)},
        spectral{"spectral", l.state().forward.back().to, options.fields, sizeof(Real)} {}
  fft_layout layout;
  fft_options options;
  std::string title;
  fft::array_side physical, spectral;
  bool is_in_place = false, is_on_device = false;
  std::array<index, 2> work_bytes{};
  fft::work_memory work[2];
  fft::direction forward, backward;

  fft::direction* now = nullptr;  ///< in flight
  std::size_t next = 0;           ///< link
  bool is_started = false;        ///< that link
  double started_s = 0;
  fft::kept_arrays<Real> in, out;

  const team& members() const { return layout.state().members; }

  transpose_arrays arrays_at(const fft::direction& d, std::size_t point) const {
    const fft::resting& r = point == 0 ? d.steps.steps.front().from : d.steps.steps[point - 1].to;
    switch (d.steps.places[point]) {
      case fft::place::input:
        return in;
      case fft::place::output:
        return out;
      default:
        return {work[d.steps.places[point] == fft::place::second_work].data(),
                as_size(fft::element_bytes(r, sizeof(Real)))};
    }
  }
};

namespace fft {
namespace {

/// What one direction multiplies by.
double factor_of(const fft_shape& shape, fft_scaling scaling, bool is_backward) {
  const double n = roundtrip_factor(shape);
  if (scaling == fft_scaling::orthonormal) return 1 / std::sqrt(n);
  return scaling == (is_backward ? fft_scaling::backward : fft_scaling::forward) ? 1 / n : 1;
}

std::string key_of(const stage_context& context, const step& what, index real_bytes) {
  std::string words = text(describe(context.shape), context.is_backward ? " backward" : " forward", " along");
  for (const int d : what.axes) words += text(" ", d);
  words += text(" of ", context.options.fields, " fields of ", real_bytes, "-byte reals, ");
  for (const resting* r : {&what.from, &what.to}) {
    const array_shape shape = shape_of(r->side);
    for (int d = 0; d < shape.held.dimensions; ++d) words += text(shape.held.extent(d), ":", shape.strides[at(d)], " ");
  }
  return words;
}

template <class Real>
class builder {
 public:
  builder(fft_state<Real>& p, double budget_s, std::vector<std::string> engines)
      : p_(p), engines_(std::move(engines)), share_s_(budget_s / std::max(1, races())) {}

  void build(direction& d, bool is_backward) {
    const std::vector<step>& steps = d.steps.steps;
    const std::size_t scaling = scaling_step(steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto context_of = [&](std::size_t k) {
        const double factor = factor_of(p_.layout.shape(), p_.options.scaling, is_backward);
        return stage_context{p_.layout.shape(),         p_.options,      is_backward,
                             k == scaling ? factor : 1, p_.is_on_device, goes_past_caches(d, k)};
      };
      const bool has_next = i + 1 < steps.size();
      if (has_next && may_fuse(d, i) && can_fuse(context_of(i + 1), steps[i], steps[i + 1])) {
        add_pair(d, context_of(i + 1), i);
        ++i;
      } else {
        d.links.push_back({make(context_of(i), d, i), i, i + 1});
      }
    }
  }

 private:
  /// The first step if it transforms: what comes after a move may be fused, which leaves no place for a factor. Else the last transforms.
  static std::size_t scaling_step(const std::vector<step>& steps) {
    std::size_t last = steps.size();
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (!steps[i].is_move()) last = i;
    return steps[0].is_move() ? last : 0;
  }

  /// Whether what a stage of transforms stores would push what it needs out of the caches. In place its lines are there already.
  bool goes_past_caches(const direction& d, std::size_t k) const {
    const step& s = d.steps.steps[k];
    const auto is_callers = [&](std::size_t point) {
      return d.steps.places[point] == place::input || d.steps.places[point] == place::output;
    };
    const bool is_same_memory =
        d.steps.places[k] == d.steps.places[k + 1] || (p_.is_in_place && is_callers(k) && is_callers(k + 1));
    if (s.is_move() || is_same_memory || p_.is_on_device) return false;
    index bytes = 0;
    for (const resting* r : {&s.from, &s.to})
      bytes += shape_of(r->side).elements * element_bytes(*r, sizeof(Real)) * p_.options.fields;
    return near::fills_caches(p_.members().state(), bytes);
  }

  int races() const {
    int count = 0;
    for (const direction* d : {&p_.forward, &p_.backward})
      for (const step& s : d->steps.steps) count += s.is_move() ? 2 : engines_.size() > 1;
    return count;
  }

  bool may_fuse(const direction& d, std::size_t i) const {
    return p_.options.fusion != fft_fusion::never && p_.members().size() > 1 &&
           d.steps.places[i] != d.steps.places[i + 2] &&
           std::find(engines_.begin(), engines_.end(), "own") != engines_.end() &&
           !(p_.is_in_place && d.steps.places[i] == place::input && d.steps.places[i + 2] == place::output);
  }

  /// The caller's output, which races write, as it is now; nothing where that is not written.
  std::unique_ptr<saved_arrays> save_output(const direction& d, std::size_t point) const {
    std::unique_ptr<saved_arrays> saved;
    const array_side output{"the output", d.steps.steps.back().to, p_.options.fields, sizeof(Real)};
    if (d.steps.places[point] == place::output)
      agree(p_.members(), [&] { saved = std::make_unique<saved_arrays>(output, p_.out); });
    return saved;
  }

  std::unique_ptr<stage> make(const stage_context& context, const direction& d, std::size_t i) const {
    const step& what = d.steps.steps[i];
    const transpose_arrays in = p_.arrays_at(d, i), out = p_.arrays_at(d, i + 1);
    if (what.is_move() && p_.is_on_device)
      return make_device_move(context, what, as_index(in.element_bytes()), share_s_);
    if (what.is_move()) return make_move(context, what, in, out, {share_s_, writing_anew(d, i)});
    std::unique_ptr<saved_arrays> saved;
    if (engines_.size() > 1) saved = save_output(d, i + 1);
    return fastest(
        p_.members(), engines_, key_of(context, what, sizeof(Real)),
        [&](const std::string& engine) { return make_transforms<Real>(context, what, engine); }, in, out, share_s_);
  }

  /// Writes a work array anew, by the stage before where that is local: caches of near ranks that have read it give it up. Nothing where
  /// no cache would hold it.
  std::function<void()> writing_anew(const direction& d, std::size_t point) const {
    if (d.steps.places[point] == place::input || d.steps.places[point] == place::output || p_.is_on_device) return {};
    const std::size_t which = d.steps.places[point] == place::second_work;
    const link* const before = d.links.empty() ? nullptr : &d.links.back();
    const bool is_repeatable = before && before->end == point && before->first + 1 == point &&
                               !d.steps.steps[before->first].is_move() &&
                               d.steps.places[before->first] != d.steps.places[point];
    if (is_repeatable && !near::fills_caches(p_.members().state(), p_.work_bytes[which]))
      return [run = before->run.get(), in = p_.arrays_at(d, before->first), out = p_.arrays_at(d, point)] {
        run->start(in, out), run->finish();
      };
    if (p_.work_bytes[which] > exchange::most_rewritten_bytes) return {};
    return [at = p_.work[which].data(), bytes = p_.work_bytes[which]] {
      for (index i = 0; i < bytes; i += static_cast<index>(near::cache_line_bytes)) {
        volatile std::byte& first = at[i];
        first = std::byte(first);
      }
    };
  }

  /// A move and the transforms after it: two stages or one, whichever is faster.
  void add_pair(direction& d, const stage_context& context, std::size_t i) const {
    const std::vector<step>& steps = d.steps.steps;
    const transpose_arrays in = p_.arrays_at(d, i), middle = p_.arrays_at(d, i + 1), out = p_.arrays_at(d, i + 2);
    const std::function<void()> rewrite = writing_anew(d, i);
    std::unique_ptr<stage> move, transforms, fused;
    const candidate_stage in_turn{
        "in turn", [&] { move = make(context, d, i), transforms = make(context, d, i + 1); },
        [&] { move->start(in, middle), move->finish(), transforms->start(middle, out), transforms->finish(); }};
    const candidate_stage at_once{
        "at once",
        [&] {
          fused = make_fused<Real>(context, steps[i], steps[i + 1], in, out, {share_s_ / 2, rewrite});
        },
        [&] { fused->start(in, out), fused->finish(); }};
    const std::string key = text(key_of(context, steps[i], sizeof(Real)), key_of(context, steps[i + 1], sizeof(Real)),
                                 p_.options.method, left_out_in_words(p_.options));
    const auto saved = save_output(d, i + 2);
    if (p_.options.fusion == fft_fusion::always) {
      at_once.make();
      d.links.push_back({std::move(fused), i, i + 2});
    } else if (faster(p_.members(), key, in_turn, at_once, {share_s_ / 2, rewrite}) == at_once.name) {
      d.links.push_back({std::move(fused), i, i + 2});
    } else {
      d.links.push_back({std::move(move), i, i + 1});
      d.links.push_back({std::move(transforms), i + 1, i + 2});
    }
  }

  fft_state<Real>& p_;
  std::vector<std::string> engines_;
  double share_s_;
};

template <class Option>
void check_option(const std::string& title, const char* name, Option given, Option last) {
  if (given < Option{} || given > last)
    throw usage_error(
        text(title, ": there is no ", name, " ", static_cast<int>(given), "; there are 0 to ", static_cast<int>(last)));
}

void check_options(const team& members, const std::string& title, const fft_options& options, index real_bytes) {
  agree(members, [&] {
    if (options.fields < 1)
      throw usage_error(text(title, " transforms ", options.fields, " fields; 1 or more are possible"));
    check_option(title, "scaling", options.scaling, fft_scaling::orthonormal);
    check_option(title, "nyquist", options.nyquist, fft_nyquist::zero);
    check_option(title, "fusion", options.fusion, fft_fusion::always);
  });
  require_same(members, (title + ": fields, scaling, Nyquist, fusion, bytes of a real").c_str(),
               std::vector<index>{options.fields, static_cast<index>(options.scaling),
                                  static_cast<index>(options.nyquist), static_cast<index>(options.fusion), real_bytes});
}

template <class Real>
void allocate_work(fft_state<Real>& p) {
  for (const direction* d : {&p.forward, &p.backward}) {
    const auto bytes = work_bytes(d->steps, p.options.fields, sizeof(Real));
    for (std::size_t i = 0; i < 2; ++i) p.work_bytes[i] = std::max(p.work_bytes[i], bytes[i]);
  }
  near::arena& arena = near::arena::of(p.members());
  agree(p.members(), [&] {
    for (std::size_t i = 0; i < 2; ++i)
      if (p.work_bytes[i] > 0 && p.is_on_device)
        p.work[i].device = device::memory(p.work_bytes[i]);
      else if (p.work_bytes[i] > 0)
        p.work[i].near = arena.allocate(p.work_bytes[i]);
  });
}

/// Whether arrays are in GPU memory: all of all ranks, or none. Collective. @throws usage_error  on every rank: some are
bool agree_on_memory(const team& members, const std::string& title, const transpose_arrays& physical,
                     const transpose_arrays& spectral) {
  std::array<std::int64_t, 2> count{};
  for (const transpose_arrays* side : {&physical, &spectral})
    for (std::size_t i = 0; i < side->count(); ++i)
      if ((*side)[i]) ++count[device::is_device_memory((*side)[i])];
  agree(
      members, [] {}, count);
  if (count[0] > 0 && count[1] > 0)
    throw usage_error(
        text(title, ": some arrays are in GPU memory and some are not; all of all ranks may be, or none"));
  return count[1] > 0;
}

template <class Real>
std::unique_ptr<fft_state<Real>> make_plan(const fft_layout& layout, const transpose_arrays& physical,
                                           const transpose_arrays& spectral, fft_options options) {
  auto p = std::make_unique<fft_state<Real>>(layout, std::move(options));
  const std::vector<step>& steps = layout.state().forward;
  require_same_layout(layout.state());
  check_options(p->members(), p->title, p->options, sizeof(Real));
  agree(p->members(), [&] {
    check_arrays(p->title, p->physical, physical);
    check_arrays(p->title, p->spectral, spectral);
    p->is_in_place = check_overlaps(p->title, p->physical, physical, p->spectral, spectral);
  });
  p->is_in_place = !everywhere(p->members().state(), !p->is_in_place);
  p->is_on_device = agree_on_memory(p->members(), p->title, physical, spectral);
  std::vector<std::string> engines = wanted_engines(p->members(), p->options, p->is_on_device);
  p->forward.steps = placed(steps, p->is_in_place, sizeof(Real));
  p->backward.steps = placed(reversed(steps), p->is_in_place, sizeof(Real));
  allocate_work(*p);
  builder<Real> build(*p, tuning_budget_s(p->options), std::move(engines));
  p->in.keep(physical), p->out.keep(spectral);
  build.build(p->forward, false);
  p->in.keep(spectral), p->out.keep(physical);
  build.build(p->backward, true);
  return p;
}

template <class Real>
fft_state<Real>& alive(const std::unique_ptr<fft_state<Real>>& state) {
  if (!state) throw usage_error("this fft plan has been moved from");
  return *state;
}

/// Goes on from link to link; where it would have to wait, only if it may. True when all is done.
template <class Real>
bool advance(fft_state<Real>& p, bool may_wait) {
  direction& d = *p.now;
  for (; p.next < d.links.size(); ++p.next) {
    link& l = d.links[p.next];
    if (!p.is_started) {
      p.started_s = seconds_now();
      l.run->start(p.arrays_at(d, l.first), p.arrays_at(d, l.end));
      p.is_started = true;
    }
    if (!may_wait && !l.run->test()) return false;
    l.run->finish();
    l.quickest_s = std::min(l.quickest_s, seconds_now() - p.started_s);
    p.is_started = false;
  }
  return true;
}

void check_on_device(const std::string& title, const array_side& side, const transpose_arrays& arrays) {
  for (std::size_t i = 0; i < arrays.count(); ++i)
    if (arrays[i] && !device::is_device_memory(arrays[i]))
      throw usage_error(text(title, ": array ", i, " of ", side.name,
                             " is not in GPU memory, as the arrays were that the plan was made with"));
}

template <class Real>
void start(fft_state<Real>& p, direction& d, const array_side& from, const array_side& to, const transpose_arrays& in,
           const transpose_arrays& out) {
  if (p.now) throw usage_error(text(p.title, " was started while in flight; finish() it first"));
  check_arrays(p.title, from, in);
  check_arrays(p.title, to, out);
  if (check_overlaps(p.title, from, in, to, out) && !p.is_in_place)
    throw usage_error(
        text(p.title, ": ", from.name, " and ", to.name, " are the same array, but the plan was not made in place"));
  if (p.is_on_device) check_on_device(p.title, from, in), check_on_device(p.title, to, out);
  p.in.keep(in), p.out.keep(out);
  p.now = &d, p.next = 0, p.is_started = false;
  advance(p, false);
}

std::string describe_direction(const char* name, const direction& d) {
  std::string words = text("  ", name, "\n");
  for (const link& l : d.links) {
    words += text("    ", l.run->describe());
    if (l.quickest_s < std::numeric_limits<double>::infinity())
      words += text(", quickest ", readable_time(l.quickest_s));
    words += "\n";
  }
  return words;
}

}  // namespace
}  // namespace fft

template <class Real>
fft_plan<Real>::fft_plan(const fft_layout& layout, const transpose_arrays& physical, const transpose_arrays& spectral,
                         fft_options options)
    : state_(fft::make_plan<Real>(layout, physical, spectral, std::move(options))) {}
template <class Real>
fft_plan<Real>::~fft_plan() = default;
template <class Real>
fft_plan<Real>::fft_plan(fft_plan&&) noexcept = default;
template <class Real>
fft_plan<Real>& fft_plan<Real>::operator=(fft_plan&&) noexcept = default;

template <class Real>
void fft_plan<Real>::start_forward(const transpose_arrays& physical, const transpose_arrays& spectral) {
  fft_state<Real>& p = fft::alive(state_);
  fft::start(p, p.forward, p.physical, p.spectral, physical, spectral);
}

template <class Real>
void fft_plan<Real>::start_backward(const transpose_arrays& spectral, const transpose_arrays& physical) {
  fft_state<Real>& p = fft::alive(state_);
  fft::start(p, p.backward, p.spectral, p.physical, spectral, physical);
}

template <class Real>
bool fft_plan<Real>::test() {
  fft_state<Real>& p = fft::alive(state_);
  return !p.now || fft::advance(p, false);
}

template <class Real>
void fft_plan<Real>::finish() {
  fft_state<Real>& p = fft::alive(state_);
  if (!p.now) throw usage_error(text(p.title, " was finished without a start"));
  fft::advance(p, true);
  p.now = nullptr;
}

template <class Real>
index fft_plan<Real>::work_bytes() const {
  const fft_state<Real>& p = fft::alive(state_);
  return p.work_bytes[0] + p.work_bytes[1];
}

template <class Real>
std::string fft_plan<Real>::describe() const {
  const fft_state<Real>& p = fft::alive(state_);
  return text(p.title, ": ", p.options.fields, p.options.fields == 1 ? " field" : " fields", ", ",
              sizeof(Real) == sizeof(float) ? "float" : "double", ", ", p.layout.describe(), "  work arrays ",
              readable_bytes(work_bytes()), " on this rank\n", fft::describe_direction("forward", p.forward),
              fft::describe_direction("backward", p.backward));
}

template class fft_plan<float>;
template class fft_plan<double>;

}  // namespace nearfar
