// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <compare/compare.hpp>
#include <compare/reference_curve.hpp>
#include <cstdio>
#include <nearfar/error.hpp>
#include <sstream>
#include <vector>

namespace turbulence {
namespace {

using curve_point = std::array<double, 4>;  ///< time, energy, dissipation, enstrophy
using curve = std::vector<curve_point>;

constexpr std::array<const char*, 3> column_names{"energy", "dissipation", "enstrophy"};

/// Columns by the names of the first line that begins with #, or the first four where it has not all of them.
std::array<std::size_t, 4> columns_in(const std::string& text) {
  std::istringstream words(text.substr(0, text.find('\n')));
  std::vector<std::string> names;
  std::string word;
  while (words >> word)
    if (word != "#") names.push_back(word);
  std::array<std::size_t, 4> at{0, 1, 2, 3};
  for (std::size_t n = 0; n < column_names.size(); ++n) {
    const auto found = std::find(names.begin(), names.end(), column_names[n]);
    if (found == names.end()) return {0, 1, 2, 3};
    at[n + 1] = static_cast<std::size_t>(found - names.begin());
  }
  return at;
}

curve curve_in(const std::string& text, const std::string& name) {
  const auto at = columns_in(text);
  curve all;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::vector<double> row;
    double number = 0;
    while (words >> number) row.push_back(number);
    if (row.size() <= *std::max_element(at.begin(), at.end()) || (!all.empty() && row[0] < all.back()[0]))
      throw nearfar::usage_error(
          name + " has the line '" + line.substr(0, 60) +
          "', which is no row of a series: time, energy, dissipation, enstrophy at growing times");
    all.push_back({row[at[0]], row[at[1]], row[at[2]], row[at[3]]});
  }
  if (all.empty()) throw nearfar::usage_error(name + " has no rows");
  return all;
}

/// Between neighbours in a straight line; the time lies inside.
curve_point value_at(const curve& of, double time) {
  auto after = std::lower_bound(of.begin(), of.end(), time, [](const curve_point& p, double t) { return p[0] < t; });
  if (after == of.begin() || after == of.end()) return after == of.end() ? of.back() : *after;
  const curve_point &a = *(after - 1), &b = *after;
  const double part = (time - a[0]) / (b[0] - a[0]);
  curve_point value{};
  for (std::size_t n = 0; n < 4; ++n) value[n] = a[n] + part * (b[n] - a[n]);
  return value;
}

struct deviation {
  double most = 0, most_at = 0, squares = 0;
  int count = 0;
};

std::string line_of(const char* format, auto... values) {
  char words[200];
  std::snprintf(words, sizeof words, format, values...);
  return words;
}

const curve_point& peak_of(const curve& c, double until) {
  const auto end = std::find_if(c.begin(), c.end(), [&](const curve_point& p) { return p[0] > until; });
  return *std::max_element(c.begin(), end, [](const curve_point& a, const curve_point& b) { return a[2] < b[2]; });
}

}  // namespace

std::string comparison_of(const std::string& series, const std::string& series_name, const std::string& reference,
                          const std::string& reference_name) {
  const curve ours = curve_in(series, series_name);
  const curve theirs =
      reference.empty() ? curve_in(reference_curve_text, "the reference") : curve_in(reference, reference_name);
  const double begin = std::max(ours.front()[0], theirs.front()[0]), end = std::min(ours.back()[0], theirs.back()[0]);
  if (!(begin <= end))
    throw nearfar::usage_error(series_name +
                               line_of(" goes from time %g to %g and the reference from %g to %g: no time "
                                       "is in both",
                                       ours.front()[0], ours.back()[0], theirs.front()[0], theirs.back()[0]));
  std::string words = "   time      energy   reference  dissipation   reference   enstrophy   reference\n";
  for (double t = std::ceil(begin); t <= end; ++t) {
    const curve_point a = value_at(ours, t), b = value_at(theirs, t);
    words += line_of("%7.2f  %10.7f  %10.7f   %10.7f  %10.7f  %10.6f  %10.6f\n", t, a[1], b[1], a[2], b[2], a[3], b[3]);
  }
  std::array<deviation, 3> off{};
  for (const curve_point& a : ours) {
    if (a[0] < begin || a[0] > end) continue;
    const curve_point b = value_at(theirs, a[0]);
    for (std::size_t n = 0; n < 3; ++n) {
      const double relative = std::abs(a[n + 1] - b[n + 1]) / std::abs(b[n + 1]);
      if (relative > off[n].most) off[n].most = relative, off[n].most_at = a[0];
      off[n].squares += relative * relative, ++off[n].count;
    }
  }
  words += line_of("\ndeviations from the reference, time %g to %g\n", begin, end);
  for (std::size_t n = 0; n < 3; ++n)
    words += line_of("%-12s at most %.3g %% (at time %.3g), root mean square %.3g %%\n", column_names[n],
                     100 * off[n].most, off[n].most_at, 100 * std::sqrt(off[n].squares / std::max(1, off[n].count)));
  const curve_point &a = peak_of(ours, end), &b = peak_of(theirs, end);
  words += line_of("largest dissipation %.7f at time %.3g; the reference's %.7f at %.3g: %+.3g %%\n", a[2], a[0], b[2],
                   b[0], 100 * (a[2] / b[2] - 1));
  return words;
}

}  // namespace turbulence
