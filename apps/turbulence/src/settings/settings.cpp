// SPDX-License-Identifier: BSD-3-Clause
// Keys into settings, section by section.
#include <algorithm>
#include <cmath>
#include <common/key_reader.hpp>
#include <nearfar/error.hpp>
#include <settings/settings.hpp>
#include <sstream>

namespace turbulence {
namespace {

using apps::key_reader;
using apps::range;

constexpr range positive{.low = 0, .high = 1e9, .is_open_below = true}, not_negative{.low = 0, .high = 1e9};
constexpr index_t most_steps = 1'000'000'000;

constexpr std::string_view dealiasing_words[] = {"2/3", "3/2", "none"};
constexpr std::string_view initial_words[] = {"taylor-green", "taylor-green-2d", "abc", "isotropic", "rest", "file"};
constexpr std::string_view scalar_words[] = {"layers", "none"};
constexpr std::string_view scheme_words[] = {"rk3", "rk4"};
constexpr std::string_view policy_words[] = {"automatic", "synchronous", "thread"};
constexpr std::string_view engine_words[] = {"own", "fftw", "mkl"};

template <class Enum>
void choose(key_reader& keys, std::string_view section, std::string_view key, std::span<const std::string_view> all,
            Enum& value) {
  value = static_cast<Enum>(keys.choice(section, key, all, static_cast<std::size_t>(value)));
}

void read_box(key_reader& keys, box_shape& box) {
  constexpr index_t most = index_t{1} << 16;
  const std::string shape = "three whole numbers, [x, y, z], each 1 or from 4 to " + std::to_string(most);
  const auto points = keys.numbers("grid", "points", {.low = 1, .high = static_cast<double>(most)}, 3, 3, shape,
                                   std::vector<double>{64, 64, 64});
  const auto lengths = keys.place("grid", "lengths", {positive, positive, positive}, {1, 1, 1});
  for (std::size_t d = 0; d < 3; ++d) {
    if (points[d] != std::floor(points[d]) || (points[d] > 1 && points[d] < 4)) keys.refuse("grid", "points", shape);
    box.points[2 - d] = static_cast<index_t>(points[d]), box.lengths[2 - d] = lengths[d];
  }
  if (points[0] == 1 && points[1] == 1 && points[2] == 1)
    keys.refuse("grid", "points", shape + ", and not all of them 1");
  choose(keys, "grid", "dealiasing", dealiasing_words, box.dealiasing);
}

void read_flow(key_reader& keys, settings& s) {
  choose(keys, "flow", "initial", initial_words, s.initial.kind);
  s.flow.viscosity = keys.number("flow", "viscosity", not_negative, 0.000625);
  s.initial.energy = keys.number("flow", "energy", positive, s.initial.energy);
  s.initial.peak = keys.number("flow", "peak", positive, s.initial.peak);
  s.initial.seed =
      static_cast<std::uint64_t>(keys.whole("flow", "seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  s.initial.file = keys.text("flow", "file", "");
  if ((s.initial.kind == initial_kind::file) != !s.initial.file.empty())
    throw nearfar::usage_error("flow.initial = 'file' and flow.file, the path of snapshots, go together");
  s.flow.rotation = keys.place("flow", "rotation", {range{}, range{}, range{}}, {});
  s.flow.forcing_power = keys.number("forcing", "power", not_negative, 0);
  s.flow.forcing_highest = keys.number("forcing", "highest", positive, s.flow.forcing_highest);
  if (s.flow.forcing_power > 0 && s.initial.kind == initial_kind::rest)
    keys.refuse("forcing", "power", "0 where the flow is at rest: forcing goes along the velocity");
}

void read_scalar(key_reader& keys, settings& s) {
  s.flow.has_scalar = keys.flag("scalar", "enabled", false);
  s.flow.diffusivity = s.flow.viscosity / keys.number("scalar", "schmidt", positive, 1);
  s.flow.scalar_gradient = keys.number("scalar", "gradient", {}, 0);
  s.flow.buoyancy = keys.number("scalar", "buoyancy", {}, 0);
  if (s.flow.buoyancy != 0 && !s.flow.has_scalar)
    keys.refuse("scalar", "buoyancy", "0 where there is no scalar: scalar.enabled = true");
  s.has_layers = keys.choice("scalar", "initial", scalar_words, 0) == 0;
}

void read_time(key_reader& keys, settings& s) {
  time_settings& t = s.time;
  t.end = keys.number("time", "end", positive, t.end);
  const auto kind = keys.kind_of("time", "step");
  if (kind == key_reader::kind::text) {
    constexpr std::string_view automatic[] = {"auto"};
    keys.choice("time", "step", automatic);
  } else if (kind != key_reader::kind::none) {
    t.step = keys.number("time", "step", positive);
  }
  t.courant = keys.number("time", "courant", {.low = 0, .high = 2, .is_open_below = true}, t.courant);
  t.longest = keys.number("time", "longest", positive, t.longest);
  choose(keys, "time", "scheme", scheme_words, s.flow.scheme);
  t.limit_s = keys.number("time", "limit", not_negative, 0);
}

void read_part(key_reader& keys, snapshot_settings& s) {
  constexpr std::string_view precisions[] = {"single", "double"};
  s.is_double = keys.choice("snapshots", "precision", precisions, 0) == 1;
  s.has_one_file = keys.flag("snapshots", "one-file", true);
  constexpr range part{.low = 0, .high = 1};
  s.from = keys.place("snapshots", "from", {part, part, part}, s.from);
  s.to = keys.place("snapshots", "to", {part, part, part}, s.to);
  for (std::size_t d = 0; d < 3; ++d)
    if (s.from[d] > s.to[d])
      keys.refuse("snapshots", keys.has("snapshots", "to") ? "to" : "from", "not below snapshots.from");
  const std::string all = keys.text("snapshots", "fields", "u v w vorticity scalar");
  std::istringstream words(all);
  s.fields.clear();
  for (std::string name; words >> name;) {
    constexpr std::string_view names[] = {"u", "v", "w", "vorticity", "scalar"};
    if (std::find(std::begin(names), std::end(names), name) == std::end(names))
      keys.refuse("snapshots", "fields", "some of u, v, w, vorticity and scalar, with spaces between them");
    if (std::find(s.fields.begin(), s.fields.end(), name) == s.fields.end()) s.fields.push_back(name);
  }
  if (s.fields.empty()) keys.refuse("snapshots", "fields", "some of u, v, w, vorticity and scalar");
}

void read_outputs(key_reader& keys, settings& s) {
  s.series = keys.text("series", "path", "");
  s.series_steps = keys.whole("series", "steps", 1, most_steps, 1);
  s.spectra = keys.text("spectra", "path", "");
  s.spectra_interval = keys.number("spectra", "interval", positive, s.spectra_interval);
  s.snapshots.path = keys.text("snapshots", "path", "");
  s.snapshots.interval = keys.number("snapshots", "interval", positive, s.snapshots.interval);
  s.snapshots.format = keys.text("snapshots", "format", s.snapshots.format);
  s.snapshots.compression = keys.text("snapshots", "compression", "");
  read_part(keys, s.snapshots);
  s.snapshots.policy = policy_words[keys.choice("snapshots", "policy", policy_words, 0)];
  s.checkpoints = keys.text("checkpoints", "path", "");
  s.checkpoint_steps = keys.whole("checkpoints", "steps", 0, most_steps, 0);
  if (s.time.limit_s > 0 && s.checkpoints.empty())
    keys.refuse("time", "limit", "0 where there is no checkpoints.path: the run ends with a checkpoint");
  s.flow.engine = engine_words[keys.choice("run", "engine", engine_words, 0)];
}

}  // namespace

settings settings_in(std::string_view text, const std::string& name, std::span<const std::string> assignments) {
  toml::table file = apps::parsed(text, name);
  for (const std::string& a : assignments) apps::put(file, a, "--set");
  key_reader keys(file, name);
  settings s;
  read_box(keys, s.box);
  read_flow(keys, s);
  read_scalar(keys, s);
  read_time(keys, s);
  read_outputs(keys, s);
  keys.refuse_others();
  return s;
}

}  // namespace turbulence
