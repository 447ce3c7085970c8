// SPDX-License-Identifier: BSD-3-Clause
#include <app/observers.hpp>
#include <app/run.hpp>
#include <cmath>
#include <statistics/statistics.hpp>

namespace turbulence {
namespace {

/// A multiple of the interval lies behind the time before and not behind this one.
bool is_due(double before, double time, double interval, bool is_first) {
  const auto number = [&](double t) { return std::floor(t / interval + 1e-9); };
  return is_first || number(time) > number(before);
}

std::string series_heading(const flow& of) {
  std::string names = "# time step dt";
  for (const std::string_view name : names_of_numbers(of.options().has_scalar)) names += ' ' + std::string(name);
  return names + '\n';
}

std::string spectra_heading(const flow& of) {
  return std::string("# time k energy transfer dissipation") + (of.options().has_scalar ? " scalar\n" : "\n");
}

std::string rows_of_spectra(flow& of, double time) {
  const shell_spectra s = spectra_of(of);
  std::string rows;
  for (std::size_t n = 0; n < s.energy.size(); ++n) {
    std::vector<double> row{time, static_cast<double>(n) * of.on().shell_width(), s.energy[n], s.transfer[n],
                            s.dissipation[n]};
    if (!s.scalar.empty()) row.push_back(s.scalar[n]);
    rows += row_of(row);
  }
  return rows;
}

}  // namespace

observers::observers(flow& of, const settings& what, const run_place& from) : of_(of), what_(what) {
  const nearfar::team& team = of.on().team();
  const std::optional<double> kept = from.stream.empty() ? std::nullopt : std::optional(from.time);
  if (!what.series.empty()) series_.emplace(team, what.series, series_heading(of), kept);
  if (!what.spectra.empty()) spectra_.emplace(team, what.spectra, spectra_heading(of), kept);
  if (!what.snapshots.path.empty()) films_.emplace(of, what.snapshots, what.time.end, kept);
}

void observers::look(const run_place& at, double time_before, double dt) {
  const bool is_first = at.step == 0;
  if (series_ && (at.step % what_.series_steps == 0 || is_at_end(what_.time, at.time))) {
    std::vector<double> row{at.time, static_cast<double>(at.step), dt};
    for (const double value : values_of(numbers_of(of_), of_.options().has_scalar)) row.push_back(value);
    series_->add(row_of(row));
  }
  if (spectra_ && is_due(time_before, at.time, what_.spectra_interval, is_first))
    spectra_->add(rows_of_spectra(of_, at.time));
  if (films_ && is_due(time_before, at.time, what_.snapshots.interval, is_first)) films_->write(at.time);
}

void observers::flush() {
  if (films_) films_->flush();
}

void observers::close() {
  if (films_) films_->close();
}

}  // namespace turbulence
