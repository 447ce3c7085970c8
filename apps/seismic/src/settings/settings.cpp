// SPDX-License-Identifier: BSD-3-Clause
// Keys into settings, section by section. What needs the model is checked elsewhere.
#include <algorithm>
#include <cmath>
#include <common/key_reader.hpp>
#include <limits>
#include <model/file_property.hpp>
#include <model/property.hpp>
#include <nearfar/error.hpp>
#include <numbers>
#include <settings/settings.hpp>

namespace seismic {
namespace {

using apps::key_reader;
using apps::range;
using words = std::span<const std::string_view>;

constexpr range any_number{}, positive_number{.low = 0, .is_open_below = true}, not_negative{.low = 0};
constexpr index_t most_points = index_t{1} << 20;
constexpr std::size_t most_receivers = 10'000'000;

constexpr std::string_view medium_words[] = {"iso", "vti", "tti"};
constexpr std::string_view system_words[] = {"fletcher", "self-adjoint"};
constexpr std::string_view side_words[] = {"sponge", "cpml", "random", "periodic", "rigid"};
constexpr std::string_view model_words[] = {"properties", "fletcher", "salt", "thrust"};
constexpr std::string_view wavelet_words[] = {"ricker", "fletcher", "file"};
constexpr std::string_view scaling_words[] = {"physical", "none"};
constexpr std::string_view gather_words[] = {"segy", "rsf"};
constexpr std::string_view policy_words[] = {"automatic", "synchronous", "thread", "writer", "far-writer"};
constexpr std::string_view device_words[] = {"auto", "cpu", "gpu"};
constexpr std::string_view kernel_words[] = {"fastest", "plain", "avx2", "avx512"};
constexpr std::string_view order_words[] = {"xyz", "zxy"};
constexpr std::string_view velocity_words[] = {"m/s", "km/s"};
constexpr std::string_view angle_words[] = {"degrees", "radians"};
constexpr std::string_view property_words[] = {"vp", "vs", "epsilon", "delta", "tilt", "azimuth"};

template <class Enum>
Enum chosen(key_reader& keys, std::string_view section, std::string_view key, words all, Enum fallback) {
  return static_cast<Enum>(keys.choice(section, key, all, static_cast<std::size_t>(fallback)));
}

/// Files say x, y, z; arrays are z, y, x.
template <class T>
std::array<T, 3> turned(const std::array<T, 3>& a) {
  return {a[2], a[1], a[0]};
}

std::array<index_t, 3> whole_numbers(key_reader& keys, std::string_view section, std::string_view key, index_t most,
                                     const std::array<index_t, 3>& fallback) {
  const std::string shape = "three whole numbers, [x, y, z], from 1 to " + std::to_string(most);
  const std::vector<double> usual{static_cast<double>(fallback[0]), static_cast<double>(fallback[1]),
                                  static_cast<double>(fallback[2])};
  const auto values = keys.numbers(section, key, {.low = 1, .high = static_cast<double>(most)}, 3, 3, shape, usual);
  for (const double v : values)
    if (v != std::floor(v)) keys.refuse(section, key, shape);
  return {static_cast<index_t>(values[0]), static_cast<index_t>(values[1]), static_cast<index_t>(values[2])};
}

/// Of the file that model.vp names.
grid grid_of_model(key_reader& keys, const settings& s) {
  constexpr std::string_view only[] = {"model"};
  keys.choice("grid", "points", only);
  if (keys.kind_of("model", "vp") != key_reader::kind::text)
    keys.refuse("grid", "points", "three whole numbers where model.vp is not a file");
  const file_order order = chosen(keys, "model", "file-order", order_words, s.model.order);
  grid g = grid_of_file(*open_array(keys.text("model", "vp")), order);
  for (const dimension d : {z, y, x}) {
    const bool is_one = g.points[d] == 1;
    if (std::isnan(g.origin_m[d])) g.origin_m[d] = 0;
    if (std::isnan(g.spacing_m[d]) && !is_one && !keys.has("grid", "spacing"))
      keys.refuse("grid", "points", "given together with grid.spacing, which the file does not say");
    if (std::isnan(g.spacing_m[d]) || g.spacing_m[d] <= 0) g.spacing_m[d] = 10;
  }
  return g;
}

void read_grid(key_reader& keys, settings& s) {
  constexpr range length{.low = 1e-6, .high = 1e6};
  grid usual{.points = {101, 101, 101}, .spacing_m = {10, 10, 10}, .origin_m = {0, 0, 0}};
  if (keys.kind_of("grid", "points") == key_reader::kind::text)
    s.space.points = (usual = grid_of_model(keys, s)).points;
  else
    s.space.points = turned(whole_numbers(keys, "grid", "points", most_points, turned(usual.points)));
  s.space.spacing_m = turned(keys.place("grid", "spacing", {length, length, length}, turned(usual.spacing_m)));
  s.space.origin_m = turned(keys.place("grid", "origin", {any_number, any_number, any_number}, turned(usual.origin_m)));
  for (const dimension d : {z, x})
    if (s.space.points[d] == 1)
      keys.refuse("grid", "points", "at least 2 along x and z; along y 1 makes two dimensions");
}

void read_medium(key_reader& keys, settings& s) {
  s.medium = chosen(keys, "medium", "kind", medium_words, s.medium);
  s.system = chosen(keys, "medium", "system", system_words, s.system);
  s.order = static_cast<int>(keys.whole("medium", "order", 4, 12, s.order));
  if (s.order % 4 != 0) keys.refuse("medium", "order", "4, 8 or 12");
}

range range_of(property_kind kind) {
  if (kind == property_kind::vp) return {.low = 0, .high = 1e5, .is_open_below = true};
  if (kind == property_kind::vs) return {.low = 0, .high = 1e5};
  if (kind == property_kind::tilt || kind == property_kind::azimuth) return {.low = -360, .high = 360};
  return {.low = -0.5, .high = 5};
}

std::vector<layer> layers_in(key_reader& keys, std::string_view key, const range& allowed) {
  std::vector<layer> all;
  for (const auto& row : keys.rows("model", key, 2, "layers from above, [[depth of the top in m, value], ...]")) {
    if (!allowed.holds(row[1])) keys.refuse("model", key, "layers whose values are each " + allowed.words());
    if (!all.empty() && row[0] <= all.back().top_m)
      keys.refuse("model", key, "layers from above: each deeper than the one before");
    all.push_back({row[0], row[1]});
  }
  if (all.empty()) keys.refuse("model", key, "at least one layer");
  return all;
}

std::optional<property_values> values_in(key_reader& keys, property_kind kind) {
  const std::string_view key = property_words[static_cast<std::size_t>(kind)];
  const range allowed = range_of(kind);
  switch (keys.kind_of("model", key)) {
    case key_reader::kind::none:
      return std::nullopt;
    case key_reader::kind::text:
      return keys.text("model", key);
    case key_reader::kind::list:
      return layers_in(keys, key, allowed);
    default:
      return keys.number("model", key, allowed);
  }
}

void read_files(key_reader& keys, model_settings& m) {
  m.order = chosen(keys, "model", "file-order", order_words, m.order);
  if (keys.choice("model", "velocity-unit", velocity_words, 0) == 1) m.velocity_unit = 1000;
  if (keys.choice("model", "angle-unit", angle_words, 0) == 0) m.angle_unit = std::numbers::pi / 180;
  m.extrusion_slope = keys.number("model", "extrusion-slope", {.low = -100, .high = 100}, m.extrusion_slope);
}

/// Generated models have all properties, others none that the medium has not.
void refuse_values(const key_reader& keys, const settings& s, property_kind kind) {
  const std::string_view key = property_words[static_cast<std::size_t>(kind)];
  if (s.model.kind != model_kind::properties)
    keys.refuse("model", key,
                "left out: kind = '" + std::string(model_words[static_cast<std::size_t>(s.model.kind)]) +
                    "' says it; with kind = 'properties' it may be given");
  const bool is_angle = kind == property_kind::tilt || kind == property_kind::azimuth;
  const property_values& v = *s.model.values[static_cast<std::size_t>(kind)];
  const bool is_zero = std::holds_alternative<double>(v) && std::get<double>(v) == 0;
  if (kind == property_kind::vp || is_zero) return;
  if (s.medium == medium_kind::iso) keys.refuse("model", key, "left out or 0: the medium is iso");
  if (s.medium == medium_kind::vti && is_angle) keys.refuse("model", key, "left out or 0: the medium is vti");
}

void read_model(key_reader& keys, settings& s) {
  model_settings& m = s.model;
  m.kind = chosen(keys, "model", "kind", model_words, m.kind);
  for (std::size_t p = 0; p < m.values.size(); ++p) {
    m.values[p] = values_in(keys, static_cast<property_kind>(p));
    if (m.values[p]) refuse_values(keys, s, static_cast<property_kind>(p));
  }
  if (m.kind == model_kind::properties && !m.values[0]) m.values[0] = 2000.0;
  m.sigma = keys.number("model", "sigma", {.low = 0.01, .high = 1e6}, m.sigma);
  m.clamps = keys.flag("model", "clamp", m.clamps);
  m.elliptic_m = keys.number("model", "elliptic-radius", not_negative, m.elliptic_m);
  if (m.elliptic_m > 0 && s.medium == medium_kind::iso)
    keys.refuse("model", "elliptic-radius", "0 or left out: the medium is iso, which sends no shear waves");
  read_files(keys, m);
}

void read_time(key_reader& keys, settings& s) {
  s.time.end_s = keys.number("time", "end", {.low = 0, .high = 1e6, .is_open_below = true}, 0.5);
  if (keys.kind_of("time", "step") == key_reader::kind::text) {
    if (keys.text("time", "step") != "auto") keys.refuse("time", "step", "a number of seconds above 0, or 'auto'");
  } else if (keys.has("time", "step")) {
    s.time.step_s = keys.number("time", "step", {.low = 0, .high = s.time.end_s, .is_open_below = true});
  }
  s.time.is_corrected = keys.flag("time", "correction", s.time.is_corrected);
  s.time.limit_s = keys.number("time", "limit", not_negative, s.time.limit_s);
}

void read_sides(key_reader& keys, settings& s) {
  s.sides.kind = chosen(keys, "sides", "kind", side_words, s.sides.kind);
  s.sides.cells = static_cast<int>(keys.whole("sides", "cells", 1, 1000, s.sides.cells));
  s.sides.has_free_surface = keys.flag("sides", "free-surface", s.sides.has_free_surface);
}

/// Along x, y, z.
std::array<range, 3> inside(const grid& g) {
  const auto along = [&](dimension d) {
    return range{.low = g.origin_m[d], .high = g.origin_m[d] + static_cast<double>(g.points[d] - 1) * g.spacing_m[d]};
  };
  return {along(x), along(y), along(z)};
}

position centre_of(const grid& g) {
  position middle{};
  for (std::size_t d = 0; d < 3; ++d) middle[d] = g.origin_m[d] + static_cast<double>(g.points[d] / 2) * g.spacing_m[d];
  return middle;
}

position position_in(key_reader& keys, std::string_view section, const grid& g) {
  const key_reader::kind kind = keys.kind_of(section, "position");
  if (kind == key_reader::kind::none) return centre_of(g);
  if (kind != key_reader::kind::text) return turned(keys.place(section, "position", inside(g), {}));
  if (keys.text(section, "position") != "centre")
    keys.refuse(section, "position", "three numbers, [x, y, z], or 'centre'");
  return centre_of(g);
}

source_settings source_in(key_reader& keys, std::string_view section, const grid& g) {
  constexpr range frequency{.low = 0, .high = 1e6, .is_open_below = true};
  source_settings s;
  s.where_m = position_in(keys, section, g);
  s.wavelet = chosen(keys, section, "wavelet", wavelet_words, s.wavelet);
  s.frequency_hz = keys.number(section, "frequency", frequency, s.wavelet == wavelet_kind::fletcher ? 40 : 15);
  if (const double delay = keys.number(section, "delay", any_number, 0); keys.has(section, "delay")) s.delay_s = delay;
  s.amplitude = keys.number(section, "amplitude", any_number, s.amplitude);
  s.scaling = chosen(keys, section, "scaling", scaling_words, s.scaling);
  const bool has_file = s.wavelet == wavelet_kind::file;
  s.file = keys.text(section, "file", has_file ? std::nullopt : std::optional(std::string()));
  s.interval_s = keys.number(section, "interval", positive_number, has_file ? std::nullopt : std::optional(0.0));
  return s;
}

void read_sources(key_reader& keys, settings& s) {
  for (const std::string& section : keys.tables("sources")) s.sources.push_back(source_in(keys, section, s.space));
  s.has_usual_source = s.sources.empty();
  if (s.has_usual_source) s.sources.push_back(source_in(keys, "sources[0]", s.space));
}

void refuse_receiver(const key_reader& keys, std::string_view section, std::string_view key, const grid& g,
                     const position& p) {
  const std::array<range, 3> all = inside(g);
  const position along = turned(p);
  for (std::size_t d = 0; d < 3; ++d)
    if (!all[d].holds(along[d]))
      keys.refuse(section, key,
                  std::string("inside the grid: ") + "xyz"[d] + " of a receiver is " + std::to_string(along[d]) +
                      " m, not " + all[d].words());
}

void add_receiver_grid(key_reader& keys, const std::string& section, settings& s) {
  const auto first = keys.place(section, "first", inside(s.space), {});
  const auto step = keys.place(section, "step", {any_number, any_number, any_number}, {});
  const auto count = whole_numbers(keys, section, "count", static_cast<index_t>(most_receivers), {1, 1, 1});
  const double all = static_cast<double>(count[0]) * static_cast<double>(count[1]) * static_cast<double>(count[2]);
  if (all + static_cast<double>(s.receivers_m.size()) > static_cast<double>(most_receivers))
    keys.refuse(section, "count", "at most " + std::to_string(most_receivers) + " receivers in all");
  const auto at = [&](std::size_t d, index_t n) { return first[d] + static_cast<double>(n) * step[d]; };
  refuse_receiver(keys, section, "count", s.space, {at(2, count[2] - 1), at(1, count[1] - 1), at(0, count[0] - 1)});
  for (index_t k = 0; k < count[2]; ++k)
    for (index_t j = 0; j < count[1]; ++j)
      for (index_t i = 0; i < count[0]; ++i) s.receivers_m.push_back({at(2, k), at(1, j), at(0, i)});
}

void add_listed_receivers(key_reader& keys, const std::string& section, settings& s) {
  for (const auto& row : keys.rows(section, "at", 3, "places, [[x, y, z], ...]")) {
    s.receivers_m.push_back({row[2], row[1], row[0]});
    refuse_receiver(keys, section, "at", s.space, s.receivers_m.back());
  }
}

/// What the receivers of a table record, which are those behind `first`.
receiver_group group_in(key_reader& keys, const std::string& section, const settings& s, std::size_t first) {
  constexpr range density{.low = 1, .high = 1e5};
  std::array<std::string_view, quantities.size()> names;
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = quantities[n].name;
  receiver_group group{.first = first, .count = s.receivers_m.size() - first, .quantities = {}};
  for (const std::size_t n : keys.choices(section, "quantities", names, {0})) {
    group.quantities.push_back(static_cast<quantity>(n));
    if (quantities[n].along == y && s.space.is_flat())
      keys.refuse(section, "quantities", "without " + std::string(names[n]) + ": the grid has one point along y");
    if (quantities[n].is_velocity && !keys.has(section, "density"))
      throw nearfar::usage_error(section + ".quantities has " + std::string(names[n]) + ", which needs " + section +
                                 ".density, of the ground there: " + density.words() + ", in kg/m^3");
  }
  group.density_kg_m3 = keys.number(section, "density", density, 0);
  return group;
}

void read_receivers(key_reader& keys, settings& s) {
  for (const std::string& section : keys.tables("receivers")) {
    const std::size_t first = s.receivers_m.size();
    for (const std::string_view key : {"at", "first", "step", "count"}) keys.kind_of(section, key);
    const bool has_list = keys.has(section, "at");
    if (has_list) add_listed_receivers(keys, section, s);
    if (keys.has(section, "first")) add_receiver_grid(keys, section, s);
    if (!has_list && !keys.has(section, "first"))
      throw nearfar::usage_error(section + " says no place: it needs at = [[x, y, z], ...], or first, step and count");
    s.receiver_groups.push_back(group_in(keys, section, s, first));
  }
}

void read_gathers(key_reader& keys, settings& s) {
  s.gathers.file = keys.text("gathers", "file", "");
  s.gathers.format = chosen(keys, "gathers", "format", gather_words, s.gathers.format);
  s.gathers.interval_s = keys.number("gathers", "interval", {.low = 0, .high = s.time.end_s}, 0);
  if (!s.gathers.file.empty() && s.receivers_m.empty())
    keys.refuse("gathers", "file", "left out where there are no [[receivers]]");
}

std::optional<position> corner_in(key_reader& keys, std::string_view key, const grid& g) {
  if (keys.kind_of("snapshots", key) == key_reader::kind::none) return std::nullopt;
  return turned(keys.place("snapshots", key, inside(g), {}));
}

void read_part(key_reader& keys, const grid& g, snapshot_settings& s) {
  s.from_m = corner_in(keys, "from", g), s.to_m = corner_in(keys, "to", g);
  for (std::size_t d = 0; s.from_m && s.to_m && d < 3; ++d)
    if ((*s.to_m)[d] < (*s.from_m)[d])
      keys.refuse("snapshots", "to", "not before snapshots.from along any of x, y and z");
  s.stride = turned(whole_numbers(keys, "snapshots", "stride", most_points, {1, 1, 1}));
  s.has_sides = keys.flag("snapshots", "with-sides", s.has_sides);
  if (s.has_sides && (s.from_m || s.to_m))
    keys.refuse("snapshots", "with-sides", "false where a part of the grid is chosen");
}

void read_snapshots(key_reader& keys, settings& s) {
  snapshot_settings& n = s.snapshots;
  n.path = keys.text("snapshots", "path", "");
  n.interval_s = keys.number("snapshots", "interval", {.low = 0, .high = s.time.end_s}, 0);
  n.steps = keys.whole("snapshots", "steps", 0, 1'000'000'000, 0);
  if (n.interval_s > 0 && n.steps > 0) keys.refuse("snapshots", "steps", "left out where snapshots.interval is given");
  if (!n.path.empty() && n.interval_s == 0 && n.steps == 0)
    keys.refuse("snapshots", "path", "given together with snapshots.interval or snapshots.steps");
  read_part(keys, s.space, n);
  n.format = keys.text("snapshots", "format", n.format);
  n.has_one_file = keys.flag("snapshots", "one-file", n.has_one_file);
  n.compression = keys.text("snapshots", "compression", n.compression);
  n.policy = policy_words[keys.choice("snapshots", "policy", policy_words, 0)];
  n.throttle_mb_per_s = keys.number("snapshots", "throttle", not_negative, 0);
}

void read_rest(key_reader& keys, settings& s) {
  s.checkpoints.path = keys.text("checkpoints", "path", "");
  s.checkpoints.steps = keys.whole("checkpoints", "steps", 0, 1'000'000'000, 0);
  if (s.time.limit_s > 0 && s.checkpoints.path.empty())
    keys.refuse("time", "limit", "0 where there is no checkpoints.path: the run ends with a checkpoint");
  s.run.threads = static_cast<int>(keys.whole("run", "threads", 0, 1024, 0));
  s.run.seed = static_cast<std::uint64_t>(keys.whole("run", "seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  s.run.device = chosen(keys, "run", "device", device_words, s.run.device);
  s.run.kernels = chosen(keys, "run", "kernels", kernel_words, s.run.kernels);
  s.run.tap_half_width =
      static_cast<int>(keys.whole("run", "point-half-width", 1, most_half_width, s.run.tap_half_width));
  s.run.pretended_step_s = keys.number("run", "pretended-step", {.low = 0, .high = 1000}, 0);
  if (s.run.pretended_step_s == 0) return;
  if (!s.gathers.file.empty() || !s.checkpoints.path.empty() || s.snapshots.path.empty() || !s.time.step_s)
    keys.refuse(
        "run", "pretended-step",
        "0 unless there are snapshots.path and time.step, and neither gathers.file nor checkpoints.path: no wave "
        "is computed");
}

}  // namespace

nearfar::box snapshot_part(const settings& what) {
  constexpr double slack = 1e-6;  // spacings: metres are rounded
  const grid& g = what.space;
  nearfar::box part = g.whole();
  for (std::size_t d = 0; d < 3; ++d) {
    const auto place = [&](const position& p) { return (p[d] - g.origin_m[d]) / g.spacing_m[d]; };
    if (what.snapshots.from_m) part.lower[d] = static_cast<index_t>(std::ceil(place(*what.snapshots.from_m) - slack));
    if (what.snapshots.to_m) part.upper[d] = static_cast<index_t>(std::floor(place(*what.snapshots.to_m) + slack)) + 1;
    if (part.extent(static_cast<int>(d)) == 0)
      throw nearfar::usage_error(
          std::string("snapshots.from and snapshots.to: no grid point lies between them along ") + "zyx"[d] +
          ", where neighbours are " + std::to_string(g.spacing_m[d]) + " m apart");
  }
  return part;
}

settings settings_in(std::string_view text, const std::string& name, std::span<const std::string> assignments) {
  toml::table file = apps::parsed(text, name);
  for (const std::string& a : assignments) apps::put(file, a, "--set");
  key_reader keys(file, name);
  settings s;
  read_grid(keys, s);
  read_medium(keys, s);
  read_model(keys, s);
  read_time(keys, s);
  read_sides(keys, s);
  read_sources(keys, s);
  read_receivers(keys, s);
  read_gathers(keys, s);
  read_snapshots(keys, s);
  read_rest(keys, s);
  keys.refuse_others();
  snapshot_part(s);  // refuses an empty one
  return s;
}

}  // namespace seismic
