// SPDX-License-Identifier: BSD-3-Clause
// Lines of the report.
#include <app/report.hpp>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <element/kernels.hpp>

namespace adaptive_heat {
namespace {

__attribute__((format(printf, 2, 3))) void add(std::string& to, const char* format, ...) {
  char line[256];
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  to.append(line, static_cast<std::size_t>(length)).push_back('\n');
}

void add_verification(std::string& text, const problem& what, const run_result& r) {
  if (!r.has_reference) {
    add(text, " Temperature integral: no reference value, no verification performed");
    add(text, "           %20.13E", r.integral);
    add(text, " Heat given       =  %12.5E", what.heat_given());
    add(text, " Heat held        =  %12.5E (%.1f %%)", r.integral, 100 * r.integral / what.heat_given());
    add(text, " Temperature      =  %12.5E to %.5E", r.temperatures[0], r.temperatures[1]);
    add(text, " Of a step's residual at most %.1E is left; more iterations leave less", r.residual_left);
    if (std::abs(r.integral) > 1.5 * what.heat_moved())
      add(text, " That is more than was given: radius or diffusivity are too small for these elements");
    return;
  }
  add(text, " Verification being performed for class %c", what.name);
  add(text, " accuracy setting for epsilon =  %19.13E", 1e-8);
  add(text, " Comparison of temperature integrals");
  add(text, " %s%20.13E%20.13E%20.13E", r.is_verified ? "          " : "FAILURE:  ", r.integral, what.integral,
      r.relative_error);
  add(text, " %s", r.is_verified ? "Verification Successful" : "Verification failed");
}

/// Of the root.
void add_adaptation(std::string& text, const adaptation_times& t) {
  const std::pair<const char*, double> parts[] = {{"refinement", t.refinement}, {"repartition", t.repartition},
                                                  {"ghosts", t.ghosts},         {"interpolation", t.interpolation},
                                                  {"numbering", t.numbering},   {"inspection", t.inspection},
                                                  {"elements", t.elements},     {"preconditioner", t.preconditioner}};
  for (const auto& [name, seconds] : parts) add(text, "   %-14s=             %12.4f s", name, seconds);
}

}  // namespace

std::string report(const problem& what, int ranks, const run_result& r) {
  std::string text;
  add_verification(text, what, r);
  add(text, "\n\n UA Benchmark Completed.");
  add(text, " Class           =             %12c", what.name);
  add(text, " Size            =             %12d", what.levels);
  if (what.order != usual_order) add(text, " Order           =             %12d", what.order);
  add(text, " Iterations      =             %12d", what.steps);
  add(text, " Time in seconds =             %12.3f", r.seconds);
  add(text, " Total processes =             %12d", ranks);
  add(text, " Mop/s total     =             %12.2f", r.mops());
  add(text, " Mop/s/process   =             %12.2f", r.mops() / ranks);
  add(text, " Operation type  =     coll. point advanced");
  add(text, " Verification    =             %12s",
      !r.has_reference ? "NOT PERFORMED"
      : r.is_verified  ? "SUCCESSFUL"
                       : "UNSUCCESSFUL");
  add(text, "\n Convection      =             %12.3f s", r.convection_seconds);
  add(text, " Diffusion       =             %12.3f s", r.diffusion_seconds);
  add(text, " Adaptation      =             %12.3f s (%.1f %%)", r.adaptation_seconds,
      100 * r.adaptation_seconds / r.seconds);
  add_adaptation(text, r.adaptation);
  add(text, " Kernels         =             %12s", kernels(what.order).name.data());
  return text;
}

}  // namespace adaptive_heat
