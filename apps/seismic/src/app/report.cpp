// SPDX-License-Identifier: BSD-3-Clause
#include <app/line.hpp>
#include <app/report.hpp>

namespace seismic {

namespace {

const char* name_of(system_kind system) {
  switch (system) {
    case system_kind::isotropic:
      return "isotropic";
    case system_kind::fletcher_vti:
      return "VTI, Fletcher's system";
    case system_kind::fletcher_tti:
      return "TTI, Fletcher's system";
    case system_kind::self_adjoint:
      return "self-adjoint system";
  }
  return "";
}

/// Of a step, per point: what has to come from memory and go there, were the cache large enough for the planes around.
double bytes_per_point(system_kind system) { return 4.0 * (3 * fields_of(system) + coefficients_of(system)); }

}  // namespace

std::string opening(const settings& what, const ground& on, const propagator& waves, index_t steps,
                    const run_facts& facts) {
  const auto& p = on.all.points;
  std::string words = line("grid      %ld x %ld x %ld points (x, y, z), %.1f million with the sides' layers",
                           static_cast<long>(on.inner.points[x]), static_cast<long>(on.inner.points[y]),
                           static_cast<long>(on.inner.points[z]), static_cast<double>(p[0] * p[1] * p[2]) / 1e6);
  words += line("medium    %s, order %d; P waves of %.0f to %.0f m/s", name_of(on.system), what.order,
                on.facts.slowest_p, on.facts.fastest_p);
  if (on.facts.clamped > 0)
    words += line("          delta was lowered to epsilon in %ld cells, by %.3g at most",
                  static_cast<long>(on.facts.clamped), on.facts.most_lowered);
  if (on.facts.growing > 0)
    words += line(
        "          WARNING: fields grow in %ld cells: delta is above epsilon there, and vs is not %.3g vp at least (or "
        "left out)",
        static_cast<long>(on.facts.growing), on.facts.least_vs_share);
  if (on.least_vs_share > 0) words += line("          vs was raised to at least %.3g vp", on.least_vs_share);
  words += line(
      "time      %ld steps of %.4g ms; at most %.4g ms are stable; the operator was measured to reach %.3g of that "
      "bound's rate",
      static_cast<long>(steps), 1e3 * waves.dt_s(), 1e3 * waves.bound().stable_dt(),
      facts.measured / waves.bound().largest_rate);
  if (facts.highest_hz > 0)
    words += line("waves     up to %.1f Hz: %.1f points in the shortest P wave", facts.highest_hz,
                  points_per_wavelength(on.facts, on.inner, facts.highest_hz));
  words += facts.summary;
  words += line("run       %s", waves.describe().c_str());
  return facts.no_gpu.empty() ? words : words + line("          no GPU is used: %s", facts.no_gpu.c_str());
}

std::string closing(const ground& on, index_t steps, double seconds, const snapshots* films) {
  const double points = static_cast<double>(on.all.size()) * static_cast<double>(steps), rate = points / seconds;
  std::string words = line("done      %.3f s, %.1f Mpts/s, %.1f GB/s of %.0f bytes per point and step", seconds,
                           rate / 1e6, rate * bytes_per_point(on.system) / 1e9, bytes_per_point(on.system));
  if (films != nullptr)
    words +=
        line("snapshots %ld; the run waited %.3f s for them, %.3f s of it at the end; %s",
             static_cast<long>(films->written()), films->waiting_s(), films->closing_s(), films->describe().c_str());
  return words;
}

}  // namespace seismic
