// SPDX-License-Identifier: BSD-3-Clause
// Plans: checks, work arrays, and progress from stage to stage.
#include <algorithm>
#include <base/axis_names.hpp>
#include <base/clock.hpp>
#include <base/internals.hpp>
#include <base/log.hpp>
#include <base/text.hpp>
#include <complex>
#include <exchange/exchange.hpp>
#include <fft/description.hpp>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/selection.hpp>
#include <utility>

#include "engines.hpp"
#include "whole.hpp"

namespace nearfar {
namespace fft {
namespace {

template <class Option>
void check_option(const std::string& title, const char* name, Option given, Option last) {
  if (given < Option{} || given > last)
    throw usage_error(
        text(title, ": there is no ", name, " ", static_cast<int>(given), "; there are 0 to ", static_cast<int>(last)));
}

void check_options(const team& members, const std::string& title, const fft_options& options, index_t real_bytes) {
  agree(members, [&] {
    if (options.fields < 1)
      throw usage_error(text(title, " transforms ", options.fields, " fields; 1 or more are possible"));
    check_option(title, "scaling", options.scaling, fft_scaling::orthonormal);
    check_option(title, "nyquist", options.nyquist, fft_nyquist::zero);
    check_option(title, "fusion", options.fusion, fft_fusion::always);
    tune::budget_s(options.budget_s);
  });
  require_same(
      members, (title + ": fields, scaling, Nyquist, fusion, bytes of a real").c_str(),
      std::vector<index_t>{options.fields, static_cast<index_t>(options.scaling), static_cast<index_t>(options.nyquist),
                           static_cast<index_t>(options.fusion), real_bytes});
}

template <class Real>
void allocate_work(fft_state<Real>& p) {
  for (const direction* d : {&p.forward, &p.backward}) {
    const auto bytes = work_bytes(d->steps, p.options.fields, sizeof(Real));
    for (std::size_t i = 0; i < 2; ++i) p.work_bytes[i] = std::max(p.work_bytes[i], bytes[i]);
  }
  near::arena& arena = near::arena::of(p.team());
  agree(p.team(), [&] {
    for (std::size_t i = 0; i < 2; ++i)
      if (p.work_bytes[i] > 0 && p.is_on_device)
        p.work[i].device = device::memory(p.work_bytes[i]);
      else if (p.work_bytes[i] > 0)
        p.work[i].near = arena.allocate(p.work_bytes[i]);
  });
}

/// Whether arrays are in GPU memory: all of all ranks, or none. Collective. @throws usage_error  on every rank: some
/// are
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

/// A plan without arrays yet, whose layout and options all ranks agree on.
template <class Real>
std::unique_ptr<fft_state<Real>> begin_plan(const fft_layout& layout, fft_options options,
                                            const std::source_location& where) {
  agree(state_of(layout).members, [&] {
    if (options.method.empty()) options.method = tune::pinned_method("fft");
  });
  auto p = std::make_unique<fft_state<Real>>(layout, std::move(options), where);
  require_same_layout(state_of(layout));
  check_options(p->team(), p->title, p->options, sizeof(Real));
  return p;
}

template <class Real>
void complete_plan(fft_state<Real>& p, const transpose_arrays& physical, const transpose_arrays& spectral) {
  const std::vector<step>& steps = state_of(p.layout).forward;
  agree(p.team(), [&] {
    check_arrays(p.title, p.physical, physical);
    check_arrays(p.title, p.spectral, spectral);
    p.is_in_place = check_overlaps(p.title, p.physical, physical, p.spectral, spectral);
  });
  p.is_in_place = !everywhere(state_of(p.team()), !p.is_in_place);
  p.is_on_device = agree_on_memory(p.team(), p.title, physical, spectral);
  std::vector<std::string> engines = wanted_engines(p.team(), p.options, p.is_on_device);
  p.forward.steps = placed(steps, p.is_in_place, sizeof(Real));
  p.backward.steps = placed(reversed(steps), p.is_in_place, sizeof(Real));
  allocate_work(p);
  build_links(p, physical, spectral, std::move(engines));
  p.physical_arrays.keep(physical), p.spectral_arrays.keep(spectral);
  p.identity.join(hash64().add(from_zero(describe(p.layout.shape()))).add(p.options.fields).value(),
                  plan_identity::neighbours(p.team()));
}

template <class Real>
std::unique_ptr<fft_state<Real>> make_plan(const fft_layout& layout, const transpose_arrays& physical,
                                           const transpose_arrays& spectral, fft_options options,
                                           const std::source_location& where) {
  auto p = begin_plan<Real>(layout, std::move(options), where);
  complete_plan(*p, physical, spectral);
  return p;
}

/// Makes arrays of a side. Collective.
transpose_arrays make_arrays(const array_side& side, std::optional<detail::fft_arrays>& own) {
  const std::size_t bytes = as_size(element_bytes(side.lies, side.real_bytes));
  own.emplace(detail::fft_arrays{side.lies.side, side.fields, {}, {}});
  own->memory = allocate_near({side.lies.side}, side.fields, bytes, own->starts);
  return {own->starts.data(), nullptr, own->starts.size(), bytes};
}

template <class Real>
std::unique_ptr<fft_state<Real>> make_plan(const fft_layout& layout, fft_options options,
                                           const std::source_location& where) {
  auto p = begin_plan<Real>(layout, std::move(options), where);
  const transpose_arrays physical = make_arrays(p->physical, p->own_physical);
  complete_plan(*p, physical, make_arrays(p->spectral, p->own_spectral));
  return p;
}

const tune::front_methods entered{"fft", exchange::methods_of};

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
void require_idle(const fft_state<Real>& p) {
  if (p.now) throw usage_error(text(p.title, " was started while in flight; finish() it first"));
}

/// What the stages say to an operation on these arrays. @throws usage_error
template <class Real>
void check_links(const fft_state<Real>& p, const direction& d, const transpose_arrays& physical,
                 const transpose_arrays& spectral) {
  for (const link& l : d.links)
    l.run->check(p.arrays_at(d, l.first, physical, spectral), p.arrays_at(d, l.end, physical, spectral));
}

template <class Real>
void begin(fft_state<Real>& p, direction& d) {
  p.next = 0, p.is_started = false;
  p.identity.start();
  p.now = &d;
  advance(p, false);
}

template <class Real>
void start(fft_state<Real>& p, direction& d) {
  require_idle(p);
  check_links(p, d, p.physical_arrays, p.spectral_arrays);
  begin(p, d);
}

template <class Real>
void start(fft_state<Real>& p, direction& d, const transpose_arrays& physical, const transpose_arrays& spectral) {
  require_idle(p);
  check_arrays(p.title, p.physical, physical);
  check_arrays(p.title, p.spectral, spectral);
  if (check_overlaps(p.title, p.physical, physical, p.spectral, spectral) && !p.is_in_place)
    throw usage_error(text(p.title, ": ", p.physical.name, " and ", p.spectral.name,
                           " are the same array, but the plan was not made in place"));
  if (p.is_on_device) check_on_device(p.title, p.physical, physical), check_on_device(p.title, p.spectral, spectral);
  check_links(p, d, physical, spectral);
  p.physical_arrays.keep(physical), p.spectral_arrays.keep(spectral);
  begin(p, d);
}

std::string json_of(const direction& d) {
  std::string all;
  for (const link& l : d.links)
    if (const std::string one = l.run->describe_json(); !one.empty()) all += (all.empty() ? "" : ",") + one;
  return "[" + all + "]";
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
fft_state<Real>::~fft_state() {
  if (!now || !is_mpi_usable()) return;
  try {
    fft::advance(*this, true);
  } catch (const std::exception& e) {
    log::warning(title, ": destroyed in flight, and not to be finished: ", e.what());
  }
}

template <class Real>
fft_plan<Real>::fft_plan(const fft_layout& layout, const writable_transpose_arrays& physical,
                         const writable_transpose_arrays& spectral, fft_options options, std::source_location where)
    : state_(fft::make_plan<Real>(layout, physical, spectral, std::move(options), where)) {}
template <class Real>
fft_plan<Real>::fft_plan(const fft_layout& layout, fft_options options, std::source_location where)
    : state_(fft::make_plan<Real>(layout, std::move(options), where)) {}
template <class Real>
fft_plan<Real>::~fft_plan() = default;
template <class Real>
fft_plan<Real>::fft_plan(fft_plan&&) noexcept = default;
template <class Real>
fft_plan<Real>& fft_plan<Real>::operator=(fft_plan&&) noexcept = default;

template <class Real>
void fft_plan<Real>::start_forward(const transpose_arrays& physical, const writable_transpose_arrays& spectral) {
  fft_state<Real>& p = alive(state_, "fft plan");
  fft::start(p, p.forward, physical, spectral);
}

template <class Real>
void fft_plan<Real>::start_backward(const transpose_arrays& spectral, const writable_transpose_arrays& physical) {
  fft_state<Real>& p = alive(state_, "fft plan");
  fft::start(p, p.backward, physical, spectral);
}

template <class Real>
void fft_plan<Real>::start(fft_direction where) {
  fft_state<Real>& p = alive(state_, "fft plan");
  fft::start(p, where == fft_direction::forward ? p.forward : p.backward);
}

template <class Real>
bool fft_plan<Real>::test() {
  fft_state<Real>& p = alive(state_, "fft plan");
  return !p.now || (p.identity.test() && fft::advance(p, false));
}

template <class Real>
void fft_plan<Real>::finish() {
  fft_state<Real>& p = alive(state_, "fft plan");
  if (!p.now) throw usage_error(text(p.title, " was finished without a start"));
  finish_identity(state_);
  fft::advance(p, true);
  p.now = nullptr;
}

template <class Real>
const detail::fft_arrays& fft_plan<Real>::own_arrays(fft_direction read_by, element_type elements) const {
  const fft_state<Real>& p = alive(state_, "fft plan");
  const bool is_physical = read_by == fft_direction::forward;
  const fft::array_side& side = is_physical ? p.physical : p.spectral;
  const auto& own = is_physical ? p.own_physical : p.own_spectral;
  if (!own)
    throw usage_error(
        text(p.title, ": ", side.name, " is the caller's; a plan that is made without arrays has its own"));
  const element_type wanted = side.lies.is_complex ? element_type_of<std::complex<Real>>() : element_type_of<Real>();
  if (elements != wanted)
    throw usage_error(
        text(p.title, ": elements of ", side.name, " are ", name_of(wanted), ", not ", name_of(elements)));
  return *own;
}

template <class Real>
index_t fft_plan<Real>::work_bytes() const {
  const fft_state<Real>& p = alive(state_, "fft plan");
  return p.work_bytes[0] + p.work_bytes[1];
}

template <class Real>
std::string fft_plan<Real>::method() const {
  std::string all;
  for (const fft::link& l : alive(state_, "fft plan").forward.links)
    if (const std::string one = l.run->method(); !one.empty()) all += text(all.empty() ? "" : ", ", one);
  return all.empty() ? "local" : all;
}

template <class Real>
const fft_layout& fft_plan<Real>::layout() const {
  return alive(state_, "fft plan").layout;
}
template <class Real>
const nearfar::team& fft_plan<Real>::team() const {
  return layout().team();
}
template <class Real>
double fft_plan<Real>::tuned_seconds() const noexcept {
  if (!state_) return 0;
  double sum = 0;
  for (const fft::link& l : state_->forward.links)
    if (!l.run->method().empty()) {
      if (l.run->tuned_seconds() <= 0) return 0;
      sum += l.run->tuned_seconds();
    }
  return sum;
}

template <class Real>
std::string fft_plan<Real>::describe_json() const {
  const fft_state<Real>& p = alive(state_, "fft plan");
  return text("{\"plan\":\"fft\",\"name\":", tune::json_text(p.options.name), ",\"forward\":", fft::json_of(p.forward),
              ",\"backward\":", fft::json_of(p.backward), "}");
}

template <class Real>
std::string fft_plan<Real>::describe() const {
  return from_zero(description_of(*this));
}

template <class Real>
std::string description_of(const fft_plan<Real>& plan) {
  const fft_state<Real>& p = alive(internals::pointer(plan), "fft plan");
  return text(p.title, ": ", p.options.fields, p.options.fields == 1 ? " field" : " fields", ", ",
              sizeof(Real) == sizeof(float) ? "float" : "double", ", ", description_of(p.layout), "  work arrays ",
              readable_bytes(plan.work_bytes()), " on this rank\n", fft::describe_direction("forward", p.forward),
              fft::describe_direction("backward", p.backward));
}

template std::string description_of(const fft_plan<float>& plan);
template std::string description_of(const fft_plan<double>& plan);
template class fft_plan<float>;
template class fft_plan<double>;

}  // namespace nearfar
