// SPDX-License-Identifier: BSD-3-Clause
// Options are --name=value; --class, --settings and --restart come first in effect, wherever they stand.
#include <omp.h>

#include <algorithm>
#include <app/options.hpp>
#include <charconv>
#include <cstdlib>
#include <mesh/octant.hpp>
#include <nearfar/error.hpp>

namespace adaptive_heat {
namespace {

constexpr int most_predicted_ranks = 1 << 20;

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

constexpr int most_threads = 1024;

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

std::string file_in(const option& o) {
  if (o.value.empty()) refuse(o, "the name of a file");
  return std::string(o.value);
}

/// A problem that is changed in any way has no reference value.
void make_own(problem& p) { p.name = 'U', p.integral = 0; }

bool apply_to_problem(const option& o, problem& p) {
  if (o.name == "--levels")
    p.levels = number_in(o, 1, max_level - 1);
  else if (o.name == "--steps")
    p.steps = number_in(o, 1, 1000000);
  else if (o.name == "--iterations")
    p.iterations = number_in(o, 1, 1000);
  else if (o.name == "--radius")
    p.radius = radius_in(o, p.length);
  else if (o.name == "--order" && number_in(o, least_order, most_order) == p.order)
    return true;
  else if (o.name == "--order")
    p.order = number_in(o, least_order, most_order);
  else
    return false;
  make_own(p);
  return true;
}

nearfar::output_policy policy_in(const option& o) {
  using nearfar::output_policy;
  if (o.value == "automatic") return output_policy::automatic;
  if (o.value == "synchronous") return output_policy::synchronous;
  if (o.value == "thread") return output_policy::thread;
  if (o.value != "writer") refuse(o, "automatic, synchronous, thread or writer");
  return output_policy::writer;
}

bool apply_to_files(const option& o, app_options& options) {
  if (o.name == "--output")
    options.output = file_in(o);
  else if (o.name == "--output-every")
    options.output_every = number_in(o, 1, 1000000);
  else if (o.name == "--output-policy")
    options.output_policy = policy_in(o);
  else if (o.name == "--checkpoint")
    options.checkpoint = file_in(o);
  else if (o.name == "--checkpoint-every")
    options.checkpoint_every = number_in(o, 1, 1000000);
  else if (o.name == "--json")
    options.json = file_in(o);
  else
    return false;
  return true;
}

bool apply_flag(const option& o, app_options& options) {
  if (!o.value.empty()) return false;
  if (o.name == "--verbose")
    options.is_verbose = true;
  else if (o.name == "--compare-distributions")
    options.compares_distributions = true;
  else if (o.name == "--force")
    options.is_forced = true;
  else if (o.name == "--help")
    options.wants_help = true;
  else if (o.name == "--version")
    options.wants_version = true;
  else
    return false;
  return true;
}

bool names_problem(const option& o) { return o.name == "--class" || o.name == "--settings" || o.name == "--restart"; }

void apply(const option& o, app_options& options) {
  if (names_problem(o)) return;
  if (o.name == "--form") {
    options.form = exchange_form_named(o.value);
  } else if (o.name == "--threads") {
    options.threads = number_in(o, 1, most_threads);
  } else if (o.name == "--predict-scaling") {
    options.predicted_ranks = number_in(o, 1, most_predicted_ranks);
  } else if (o.name == "--distribution") {
    options.distribution = point_distribution_named(o.value), options.form = exchange_form::distributed;
  } else if (o.name == "--mesh") {
    options.source = mesh_source_named(o.value);
  } else if (!apply_to_problem(o, options.what) && !apply_to_files(o, options) && !apply_flag(o, options)) {
    throw nearfar::usage_error("there is no option '" + std::string(o.name) + (o.value.empty() ? "" : "=…") +
                               "'; --help lists what there is");
  }
}

/// The one option that says what is solved; class S if there is none.
option problem_option(std::span<const char* const> arguments) {
  option found{"--class", "S"};
  bool is_given = false;
  for (const char* const a : arguments) {
    const option o = split(a);
    if (!names_problem(o)) continue;
    if (is_given && o.name != found.name)
      throw nearfar::usage_error(std::string(found.name) + "=" + std::string(found.value) + " and " +
                                 std::string(o.name) + "=" + std::string(o.value) +
                                 " are two problems; give one of them");
    found = o, is_given = true;
  }
  return found;
}

/// Of a run that goes on only the end may be another one.
void refuse_to_change_restart(std::span<const char* const> arguments, const app_options& options) {
  for (const char* const a : arguments) {
    const option o = split(a);
    if (o.name == "--levels" || o.name == "--radius" || o.name == "--iterations")
      throw nearfar::usage_error(std::string(a) + ": a restart goes on with the problem that it finds in its file");
    if (o.name == "--order" && number_in(o, least_order, most_order) != options.what.order)
      throw nearfar::usage_error(std::string(a) + ": a restart goes on with the order of its file, and " +
                                 options.restart + " is of order " + std::to_string(options.what.order));
  }
}

}  // namespace

app_options parse_options(std::span<const char* const> arguments, const problem_readers& readers) {
  app_options options;
  if (std::getenv("OMP_NUM_THREADS") != nullptr) options.threads = std::min(omp_get_max_threads(), most_threads);
  const option which = problem_option(arguments);
  if (which.name == "--class") options.what = problem_class(which.value);
  if (which.name == "--settings") options.what = readers.settings(file_in(which));
  if (which.name == "--restart") {
    options.restart = file_in(which);
    options.what = readers.checkpoint(options.restart);
    refuse_to_change_restart(arguments, options);
  }
  for (const char* const a : arguments) apply(split(a), options);
  return options;
}

std::string help_text() {
  return R"(nearfar-adaptive-heat: NPB UA, a ball of heat that moves through a cube, on spectral elements that follow it

  --class=S|W|A|B|C|D|E   the problem (S)
  --form=copies           every rank computes with copies of the mortar points that it shares: one round of messages
                          per sum
  --form=assembly         the same, but owners make the sums: two rounds
  --form=owner            owners compute, others get values and send contributions
  --form=distributed      sums in a vector that is distributed by block, without regard to the elements
  --distribution=NAME     sums are made in a vector that is distributed by block, cyclic, block-cyclic, two-block,
                          reversed-two-block or owner-rule, in NPB's numbering of mortar points
  --compare-distributions what these and the forms cost in messages and time on the first mesh, in place of a run
  --predict-scaling=RANKS what a step would take on up to so many ranks, by counting messages and a cost model, in
                          place of a run
  --form=ordered          the same bits for any number of ranks; slow
  --threads=N             of each rank (OMP_NUM_THREADS, or 1); results do not depend on it
  --mesh=forest           ranks adapt their parts of the mesh together
  --mesh=closed-form      each rank works out the whole mesh for itself
  --settings=FILE         a problem of your own (TOML; apps/adaptive-heat/README.md lists the keys)
  --levels=N --radius=X --steps=N --iterations=N --order=N
                          another problem, made from that one; it has no reference value
  --output=NAME.vtkhdf --output-every=N
                          mesh and temperature every N steps (10), at the start and at the end: NAME.000000.vtkhdf and
                          so on,
                          for ParaView; NAME.vtkhdf has all of them
  --output-policy=thread  who writes them: a thread, the program itself (synchronous), the last rank of each node, which
                          does
                          nothing else (writer), or whichever takes the least time (automatic)
  --checkpoint=NAME --checkpoint-every=N
                          the state of the run every N steps (100) and at the end: NAME-a.h5 and NAME-b.h5 by turns
  --restart=NAME          goes on from the newest of them, or from NAME-a, on any number of ranks; --steps=N may put the
                          end
                          elsewhere
  --json=FILE             times, sizes and traffic, for machines
  --force                 starts even where the memory does not seem to suffice
  --verbose               a line per mesh
  --help, --version
)";
}

}  // namespace adaptive_heat
