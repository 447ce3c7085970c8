// SPDX-License-Identifier: BSD-3-Clause
// Readable keys first, sums of values behind them: the first difference says what the cause is.
#include <app/recordings.hpp>
#include <app/signature.hpp>
#include <app/traces.hpp>
#include <bit>
#include <nearfar/collective.hpp>

namespace seismic {

namespace {

std::string words_of(double number) { return apps::exact_words(number); }
std::string words_of(index_t number) { return std::to_string(number); }
std::string words_of(bool flag) { return flag ? "true" : "false"; }

/// As files list them: x, y, z.
template <class T>
std::string words_of(const std::array<T, 3>& a) {
  return '[' + words_of(a[2]) + ", " + words_of(a[1]) + ", " + words_of(a[0]) + ']';
}

/// Bits of a place and of a value, well mixed: their sum does not depend on the order. @source Steele et al. 2014,
/// SplittableRandom's finaliser
std::uint64_t mixed(std::uint64_t place, std::uint64_t bits) {
  std::uint64_t n = (place + 1) * 0x9e3779b97f4a7c15ULL ^ bits;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ULL;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebULL;
  return n ^ (n >> 31);
}

std::string shown_sum(std::uint64_t sum) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return digits;
}

/// Of what the kernels read, at all points.
std::uint64_t sum_of_medium(const nearfar::team& team, const propagator& waves) {
  const nearfar::box& own = waves.own();
  const tile_shape& shape = waves.shape();
  const auto& all = waves.tiles().extents();
  const auto values = waves.model().pointers();
  std::uint64_t sum = 0;
  for (int c = 0; c < coefficients_of(waves.options().system); ++c) {
    const float* const from = values[static_cast<std::size_t>(c)];
#pragma omp parallel for reduction(+ : sum) num_threads(waves.options().threads) schedule(static)
    for (index_t k = 0; k < own.extent(0); ++k)
      for (index_t j = 0; j < own.extent(1); ++j) {
        const float* const row = from + k * shape.plane() + j * shape.row();
        const index_t first = ((c * all[0] + own.lower[0] + k) * all[1] + own.lower[1] + j) * all[2];
        for (index_t i = 0; i < own.extent(2); ++i)
          sum += mixed(static_cast<std::uint64_t>(first + i), std::bit_cast<std::uint32_t>(row[i]));
      }
  }
  return nearfar::allreduce(team, sum, nearfar::reduce_op::sum);
}

std::uint64_t sum_of(const wavelet& w, double dt_s) {
  constexpr int steps = 4096;  // what comes later is left to the file's owner
  std::uint64_t sum = 0;
  for (int n = 0; n < steps; ++n)
    sum += mixed(static_cast<std::uint64_t>(n), std::bit_cast<std::uint64_t>(w.at(n * dt_s)));
  return sum;
}

std::uint64_t sum_of(const std::vector<position>& places) {
  std::uint64_t sum = 0, place = 0;
  for (const position& p : places)
    for (const double metres : p) sum += mixed(place++, std::bit_cast<std::uint64_t>(metres));
  return sum;
}

void add_source(key_values& keys, const source_settings& s, const driving_source& drives, double dt_s, std::size_t n) {
  constexpr std::array<const char*, 3> kinds{"ricker", "fletcher", "file"};
  const std::string name = "sources[" + std::to_string(n) + "].";
  keys.emplace_back(name + "position", words_of(s.where_m));
  keys.emplace_back(name + "wavelet", kinds[static_cast<std::size_t>(s.wavelet)]);
  if (s.wavelet != wavelet_kind::file) keys.emplace_back(name + "frequency", words_of(s.frequency_hz));
  keys.emplace_back(name + "delay", s.delay_s ? words_of(*s.delay_s) : "as usual");
  keys.emplace_back(name + "amplitude", words_of(s.amplitude));
  keys.emplace_back(name + "scaling", s.scaling == source_scaling::physical ? "physical" : "none");
  keys.emplace_back(name + "wavelet (sum of its values)", shown_sum(sum_of(*drives.in_time, dt_s)));
}

const char* words_of(system_kind system) {
  constexpr std::array<const char*, systems> names{"iso", "fletcher's of vti", "fletcher's of tti", "self-adjoint"};
  return names[static_cast<std::size_t>(system)];
}

}  // namespace

key_values signature_of(const nearfar::team& team, const settings& s, const ground& on, const propagator& waves,
                        const shot& points) {
  constexpr std::array<const char*, 3> media{"iso", "vti", "tti"};
  constexpr std::array<const char*, 5> sides{"sponge", "cpml", "random", "periodic", "rigid"};
  key_values keys{{"grid.points", words_of(s.space.points)},
                  {"grid.spacing", words_of(s.space.spacing_m)},
                  {"grid.origin", words_of(s.space.origin_m)},
                  {"medium.kind", media[static_cast<std::size_t>(s.medium)]},
                  {"medium.system", words_of(on.system)},
                  {"medium.order", words_of(index_t{s.order})},
                  {"sides.kind", sides[static_cast<std::size_t>(s.sides.kind)]},
                  {"sides.free-surface", words_of(s.sides.has_free_surface)}};
  const auto add = [&](const char* key, const std::string& value) { keys.emplace_back(key, value); };
  if (on.layers != nearfar::ghosts(0)) add("sides.cells", words_of(index_t{s.sides.cells}));
  add("time.step", words_of(waves.dt_s()));
  add("time.correction", words_of(corrects_steps(s)));
  add("[[sources]]", words_of(static_cast<index_t>(s.sources.size())));
  for (std::size_t n = 0; n < s.sources.size(); ++n)
    add_source(keys, s.sources[n], points.sources()[n], waves.dt_s(), n);
  add("[[receivers]]", words_of(static_cast<index_t>(s.receivers_m.size())));
  if (points.receivers() > 0) {
    add("[[receivers]] (sum of their places)", shown_sum(sum_of(s.receivers_m)));
    if (!records_pressure_alone(s)) add("[[receivers]] (quantities)", words_of_recordings(s));
    add("gathers.interval (time steps)", words_of(points.steps_per_sample()));
  }
  add("run.point-half-width", words_of(index_t{s.run.tap_half_width}));
  if (s.sides.kind == side_kind::random) add("run.seed", std::to_string(s.run.seed));
  add("[model] (slowest P wave)", words_of(on.facts.slowest_p));
  add("[model] (fastest P wave)", words_of(on.facts.fastest_p));
  add("[model] (sum of its values)", shown_sum(sum_of_medium(team, waves)));
  return keys;
}

std::string difference_of(const key_values& checkpoint, const key_values& present) {
  const auto value = [](const key_values& all, const std::string& key) {
    const std::string found = apps::value_in(all, key);
    return found.empty() ? "none" : found;
  };
  const auto words = [&](const std::string& key) -> std::string {
    const std::string before = value(checkpoint, key), now = value(present, key);
    if (before == now) return "";
    return "the checkpoint is of a run with " + key + " = " + before + ", and the settings have " + now;
  };
  for (const auto& list : {present, checkpoint})
    for (const auto& [key, ignored] : list)
      if (std::string w = words(key); !w.empty()) return w;
  return "";
}

}  // namespace seismic
