// SPDX-License-Identifier: BSD-3-Clause
// Options are --name=value; --class and --settings come first in effect, wherever they stand.
#include <app/options.hpp>
#include <charconv>
#include <mesh/octant.hpp>
#include <nearfar/error.hpp>

namespace adaptive_heat {
namespace {

struct option {
  std::string_view name, value;
};

option split(std::string_view argument) {
  const auto at = argument.find('=');
  if (at == std::string_view::npos) return {argument, {}};
  return {argument.substr(0, at), argument.substr(at + 1)};
}

[[noreturn]] void refuse(const option& o, const std::string& allowed) {
  throw nearfar::usage_error(std::string(o.name) + "=" + std::string(o.value) + ": it must be " + allowed);
}

int number_in(const option& o, int low, int high) {
  int value = 0;
  const char* const end = o.value.data() + o.value.size();
  const auto [stop, error] = std::from_chars(o.value.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high)
    refuse(o, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

double radius_in(const option& o, double most) {
  double value = 0;
  const char* const end = o.value.data() + o.value.size();
  const auto [stop, error] = std::from_chars(o.value.data(), end, value);
  if (error != std::errc() || stop != end || !(value > 0 && value <= most))
    refuse(o, "a number above 0, at most " + std::to_string(most));
  return value;
}

/// A problem that is changed in any way has no reference value.
void make_own(problem& p) { p.name = 'U', p.integral = 0; }

void apply(const option& o, app_options& options) {
  problem& p = options.what;
  if (o.name == "--class" || o.name == "--settings") return;
  if (o.name == "--form") {
    options.form = exchange_form_named(o.value);
  } else if (o.name == "--mesh") {
    options.source = mesh_source_named(o.value);
  } else if (o.name == "--levels") {
    p.levels = number_in(o, 1, max_level - 1), make_own(p);
  } else if (o.name == "--steps") {
    p.steps = number_in(o, 1, 1000000), make_own(p);
  } else if (o.name == "--iterations") {
    p.iterations = number_in(o, 1, 1000), make_own(p);
  } else if (o.name == "--radius") {
    p.radius = radius_in(o, p.length), make_own(p);
  } else if (o.name == "--verbose" && o.value.empty()) {
    options.is_verbose = true;
  } else if (o.name == "--help" && o.value.empty()) {
    options.wants_help = true;
  } else {
    throw nearfar::usage_error("there is no option '" + std::string(o.name) + (o.value.empty() ? "" : "=…") +
                               "'; --help lists what there is");
  }
}

}  // namespace

app_options parse_options(std::span<const char* const> arguments, const settings_reader& read_settings) {
  app_options options;
  option of_class, settings;
  for (const char* const a : arguments) {
    const option o = split(a);
    if (o.name == "--class") of_class = o;
    if (o.name == "--settings") settings = o;
  }
  if (!of_class.name.empty() && !settings.name.empty())
    throw nearfar::usage_error("--class=" + std::string(of_class.value) + " and --settings=" +
                               std::string(settings.value) + " are two problems; give one of them");
  if (!of_class.name.empty()) options.what = problem_class(of_class.value);
  if (!settings.name.empty()) options.what = read_settings(std::string(settings.value));
  for (const char* const a : arguments) apply(split(a), options);
  return options;
}

std::string help_text() {
  return R"(nearfar-adaptive-heat: NPB UA, a ball of heat that moves through a cube, on spectral elements that follow it

  --class=S|W|A|B|C|D|E   the problem (S)
  --form=copies           every rank computes with copies of the mortar points that it shares: one sum per iteration
  --form=owner            owners compute, others get values and send contributions
  --form=ordered          the same bits for any number of ranks; slow
  --mesh=forest           ranks adapt their parts of the mesh together
  --mesh=closed-form      each rank works out the whole mesh for itself
  --settings=FILE         a problem of your own (TOML; docs/adaptive-heat.md lists the keys)
  --levels=N --radius=X --steps=N --iterations=N
                          another problem, made from that one; it has no reference value
  --verbose               a line per mesh
)";
}

}  // namespace adaptive_heat
