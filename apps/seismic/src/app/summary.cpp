// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/expected_error.hpp>
#include <app/line.hpp>
#include <app/recordings.hpp>
#include <app/summary.hpp>
#include <app/traces.hpp>
#include <cmath>
#include <set>

namespace seismic {

namespace {

constexpr double told_share = 1e-6;  ///< of a wavelet's energy: a thousandth of its amplitude
constexpr std::size_t most_named = 3;

std::string place_of(const position& p) { return line_part("x, y, z = %.6g, %.6g, %.6g m", p[x], p[y], p[z]); }

std::string warning(const std::string& words) { return line("          WARNING: %s", words.c_str()); }

std::string cut_words(const wavelet& w, double end_s, std::size_t number) {
  const cut_shares cut = cut_of(w, end_s);
  std::string words;
  if (cut.before > told_share)
    words += warning(
        line_part("source %zu: %.3g %% of the wavelet's energy lies before time 0, where the run begins: it is cut; "
                  "a delay that is longer by %.4g s keeps it",
                  number, 100 * cut.before, -w.begin_s()));
  if (cut.behind > told_share)
    words += warning(line_part("source %zu: %.3g %% of the wavelet's energy comes after the end of the run, at %.4g s",
                               number, 100 * cut.behind, end_s));
  return words;
}

std::string source_words(const settings& s, const std::vector<driving_source>& sources) {
  std::string words;
  for (std::size_t n = 0; n < std::min(most_named, sources.size()); ++n) {
    const wavelet& w = *sources[n].in_time;
    words += line("source    %s, %.4g to %.4g s, times %.4g, at %s%s", w.name().c_str(), w.begin_s(), w.end_s(),
                  sources[n].amplitude, place_of(s.sources[n].where_m).c_str(),
                  s.has_usual_source ? ": the settings have none, and this is the default" : "");
  }
  if (sources.size() > most_named) words += line("          and %zu more", sources.size() - most_named);
  for (std::size_t n = 0; n < sources.size(); ++n) words += cut_words(*sources[n].in_time, s.time.end_s, n + 1);
  if (sources.size() > 1 && !s.gathers.file.empty())
    words +=
        warning(line_part("%zu sources act in one run, and the gather is of their sum; its headers have the place "
                          "of the first",
                          sources.size()));
  return words;
}

/// What receivers record, where that is not just the pressure.
std::string quantity_words(const settings& s) {
  std::string words = line("          %s", words_of_recordings(s).c_str());
  if (!records_velocities(s)) return words;
  std::set<double> densities;
  for (const recording& r : recordings_of(s))
    if (facts_of(r.of).is_velocity) densities.insert(r.density_kg_m3);
  words += "          velocities from -grad p over a density of";
  for (const double density : densities) words += line_part(" %.6g", density);
  words += " kg/m^3\n";
  if (s.medium != medium_kind::iso)
    words += line(
        "          in anisotropic ground p is the pressure across its axis: velocities are those of particles where "
        "the "
        "ground around a receiver is isotropic");
  return words;
}

std::string receiver_words(const settings& s) {
  if (s.receivers_m.empty()) return {};
  std::string words = line("receivers %zu, from %s to %s", s.receivers_m.size(),
                           place_of(s.receivers_m.front()).c_str(), place_of(s.receivers_m.back()).c_str());
  if (!records_pressure_alone(s)) words += quantity_words(s);
  if (s.gathers.file.empty()) words += warning("what the receivers record is not written: there is no gathers.file");
  return words;
}

std::string file_words(const settings& s) {
  std::string files;
  const auto add = [&](const char* kind, const std::string& path) {
    if (!path.empty()) files += (files.empty() ? "" : "; ") + std::string(kind) + ' ' + path;
  };
  for (const std::string& file : gather_files(s)) add("gather", file);
  add("snapshots", s.snapshots.path), add("checkpoints", s.checkpoints.path);
  if (!files.empty()) return "files     " + files + '\n';
  return warning("nothing is written: there is no gathers.file, snapshots.path or checkpoints.path");
}

double diagonal_m(const grid& g) {
  double square = 0;
  for (std::size_t d = 0; d < 3; ++d) square += std::pow(static_cast<double>(g.points[d] - 1) * g.spacing_m[d], 2);
  return std::sqrt(square);
}

/// Of the source that has the shortest waves.
std::string error_words(const settings& s, const ground& on, const std::vector<driving_source>& sources, double dt_s) {
  const auto highest = [](const driving_source& a) { return a.in_time->highest_frequency_hz(); };
  const auto worst = std::max_element(sources.begin(), sources.end(),
                                      [&](const auto& a, const auto& b) { return highest(a) < highest(b); });
  if (worst == sources.end()) return {};
  double widest = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (on.inner.points[d] > 1) widest = std::max(widest, on.inner.spacing_m[d]);
  const bool is_corrected = corrects_steps(s);
  const error_setting where{.slowest_m_s = on.facts.slowest_p,
                            .spacing_m = widest,
                            .order = s.order,
                            .dt_s = is_corrected ? 0 : dt_s,
                            .is_tilted = s.medium == medium_kind::tti,
                            .path_m = diagonal_m(on.inner)};
  const double fastest_wave = highest(*worst);
  return line(
      "errors    that of time steps %s; velocity off by up to %.2g %% at %.1f Hz, %.2g %% at a third of that; a "
      "trace by about "
      "%.2g %% (L2) after %.4g km in the slowest ground, the grid's diagonal",
      is_corrected ? "is taken out of wavelets and traces" : "is left in",
      100 * std::abs(velocity_error(fastest_wave, where)), fastest_wave,
      100 * std::abs(velocity_error(fastest_wave / 3, where)), 100 * trace_error(*worst->in_time, where),
      where.path_m / 1000);
}

}  // namespace

std::string summary(const settings& what, const ground& on, const std::vector<driving_source>& sources, double dt_s) {
  std::string words;
  for (const std::string& c : on.caveats) words += warning(c);
  if (const std::string unit = unit_text(on.facts); !unit.empty()) words += warning(unit);
  return words + source_words(what, sources) + error_words(what, on, sources, dt_s) + receiver_words(what) +
         file_words(what);
}

}  // namespace seismic
