// SPDX-License-Identifier: BSD-3-Clause
// What names the problem (--class, a file of settings, --restart) comes first in effect, wherever it stands.
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
  std::string name, value;
};

[[noreturn]] void refuse(const option& o, const std::string& allowed) {
  throw nearfar::usage_error(o.name + "=" + o.value + ": it must be " + allowed);
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

/// A problem that is changed in any way has no reference value.
void make_own(problem& p) { p.name = 'U', p.integral = 0; }

void apply_to_problem(const option& o, app_options& options) {
  problem& p = options.what;
  const bool is_restart = !options.restart.empty();
  if (is_restart && (o.name == "--levels" || o.name == "--radius" || o.name == "--iterations"))
    throw nearfar::usage_error(o.name + "=" + o.value +
                               ": a restart goes on with the problem that it finds in its file");
  if (o.name == "--levels")
    p.levels = number_in(o, 1, max_level - 1);
  else if (o.name == "--steps")
    p.steps = number_in(o, 1, 1000000);
  else if (o.name == "--iterations")
    p.iterations = number_in(o, 1, 1000);
  else if (o.name == "--radius")
    p.radius = radius_in(o, p.length);
  else if (number_in(o, least_order, most_order) == p.order)
    return;
  else if (is_restart)
    throw nearfar::usage_error(o.name + "=" + o.value + ": a restart goes on with the order of its file, and " +
                               options.restart + " is of order " + std::to_string(p.order));
  else
    p.order = number_in(o, least_order, most_order);
  make_own(p);
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
    options.output = o.value;
  else if (o.name == "--output-every")
    options.output_every = number_in(o, 1, 1000000);
  else if (o.name == "--output-policy")
    options.output_policy = policy_in(o);
  else if (o.name == "--checkpoint")
    options.checkpoint = o.value;
  else if (o.name == "--checkpoint-every")
    options.checkpoint_every = number_in(o, 1, 1000000);
  else if (o.name == "--json")
    options.json = o.value;
  else
    return false;
  return true;
}

bool apply_to_form(const option& o, app_options& options) {
  if (o.name == "--form")
    options.form = exchange_form_named(o.value);
  else if (o.name == "--threads")
    options.threads = number_in(o, 1, most_threads);
  else if (o.name == "--predict-scaling")
    options.predicted_ranks = number_in(o, 1, most_predicted_ranks);
  else if (o.name == "--distribution")
    options.distribution = point_distribution_named(o.value), options.form = exchange_form::distributed;
  else if (o.name == "--mesh")
    options.source = mesh_source_named(o.value);
  else
    return false;
  return true;
}

/// What each option that is not common to all programs needs; empty: nothing.
constexpr struct {
  std::string_view name, value;
} own_options[] = {
    {"--class", "S, W, A, B, C, D or E"},
    {"--levels", "a number"},
    {"--steps", "a number"},
    {"--iterations", "a number"},
    {"--radius", "a number"},
    {"--order", "a number"},
    {"--output", "the name of a file"},
    {"--output-every", "a number of steps"},
    {"--output-policy", "automatic, synchronous, thread or writer"},
    {"--checkpoint", "the name of a file"},
    {"--checkpoint-every", "a number of steps"},
    {"--json", "the name of a file"},
    {"--form", "copies, assembly, owner, distributed or ordered"},
    {"--threads", "a number"},
    {"--predict-scaling", "a number of ranks"},
    {"--distribution", "a name"},
    {"--mesh", "forest or closed-form"},
    {"--verbose", ""},
    {"--compare-distributions", ""},
};

/// Collects those that are this program's own.
bool take_own(std::string_view argument, std::string_view name, apps::argument_list& behind, std::vector<option>& all) {
  const auto known =
      std::find_if(std::begin(own_options), std::end(own_options), [&](const auto& o) { return o.name == name; });
  if (known == std::end(own_options)) return false;
  const std::string value = known->value.empty() ? "" : behind.value_of(argument, std::string(known->value));
  all.push_back({std::string(name), value});
  return true;
}

/// Of the class, of the file of settings or of the restart: class S if there is none of them.
void read_problem(const std::vector<option>& own, const problem_readers& readers, app_options& options) {
  std::vector<std::string> named;
  std::string of_class = "S";
  for (const option& o : own)
    if (o.name == "--class") of_class = o.value, named.push_back("--class=" + o.value);
  if (!options.settings_file.empty()) named.push_back("--settings=" + options.settings_file);
  if (!options.restart.empty()) named.push_back("--restart=" + options.restart);
  if (named.size() > 1)
    throw nearfar::usage_error(named[0] + " and " + named[1] + " are two problems; give one of them");
  const bool is_of_settings = !options.settings_file.empty() || (named.empty() && !options.assignments.empty());
  if (!is_of_settings && !options.assignments.empty())
    throw nearfar::usage_error("--set " + options.assignments[0] + " replaces a key of a file of settings, and " +
                               named[0] + " is none");
  if (!options.restart.empty())
    options.what = readers.checkpoint(options.restart);
  else
    options.what = is_of_settings ? readers.settings(options) : problem_class(of_class);
}

void apply(const option& o, app_options& options) {
  if (o.name == "--class" || apply_to_form(o, options) || apply_to_files(o, options)) return;
  if (o.name == "--verbose")
    options.is_verbose = true;
  else if (o.name == "--compare-distributions")
    options.compares_distributions = true;
  else
    apply_to_problem(o, options);
}

}  // namespace

app_options parse_options(std::span<const char* const> arguments, const problem_readers& readers) {
  app_options options;
  if (std::getenv("OMP_NUM_THREADS") != nullptr) options.threads = std::min(omp_get_max_threads(), most_threads);
  std::vector<option> own;
  apps::take_options(arguments, options,
                     [&](std::string_view argument, std::string_view name, apps::argument_list& behind) {
                       return take_own(argument, name, behind, own);
                     });
  if (apps::wants_words(options)) return options;
  read_problem(own, readers, options);
  for (const option& o : own) apply(o, options);
  return options;
}

std::string help_text() {
  return R"(nearfar-adaptive-heat: NPB UA, a ball of heat that moves through a cube, on spectral elements that follow it

  nearfar-adaptive-heat [FILE.toml] [options]

  --class=S|W|A|B|C|D|E   a problem of the benchmark (S)
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
  --settings=FILE         a problem of your own (TOML); the same as naming the file alone
  --set section.key=value replaces a key of the file: --set time.steps=100 --set 'source.centre=[0.5, 0.5, 0.5]'
  --write-template        prints a file of settings with all keys and what they mean
  --write-tables          the same keys as tables in Markdown
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
  --help (-h), --version
)";
}

}  // namespace adaptive_heat
