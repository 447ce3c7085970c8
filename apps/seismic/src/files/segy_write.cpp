// SPDX-License-Identifier: BSD-3-Clause
// Headers of shot gathers. Depths are positive downwards here and elevations upwards there.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <files/bytes.hpp>
#include <files/segy.hpp>
#include <files/segy_places.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <vector>

namespace seismic {
namespace {

constexpr double most_in_32 = std::numeric_limits<std::int32_t>::max();
constexpr int most_in_16 = std::numeric_limits<std::int16_t>::max();

/// ASCII from blank on in EBCDIC of code page 037, as NumPy and dd have it for what stands in headers.
std::byte ebcdic(char c) {
  constexpr unsigned char table[] = {
      0x40, 0x5A, 0x7F, 0x7B, 0x5B, 0x6C, 0x50, 0x7D, 0x4D, 0x5D, 0x5C, 0x4E, 0x6B, 0x60, 0x4B, 0x61, 0xF0, 0xF1, 0xF2,
      0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x5E, 0x4C, 0x7E, 0x6E, 0x6F, 0x7C, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5,
      0xC6, 0xC7, 0xC8, 0xC9, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7,
      0xE8, 0xE9, 0xBA, 0xE0, 0xBB, 0xB0, 0x6D, 0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92,
      0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xC0, 0x4F, 0xD0, 0xA1};
  static_assert(sizeof table == '~' - ' ' + 1);
  return c >= ' ' && c <= '~' ? std::byte{table[c - ' ']} : std::byte{0x40};
}

std::string card(int number, const std::string& text) {
  char line[96];
  std::snprintf(line, sizeof line, "C%2d %-76.76s", number, text.c_str());
  return line;
}

std::string places_text(const shot_gather& g) {
  char text[96];
  std::snprintf(text, sizeof text, "Shot %d at x=%.2f y=%.2f m, depth %.2f m", g.field_record, g.source_m[x],
                g.source_m[y], g.source_m[z]);
  return text;
}

std::string sizes_text(const shot_gather& g) {
  char text[96];
  std::snprintf(text, sizeof text, "%zu traces of %lld samples, %.6g ms apart, from %.6g ms", g.receivers_m.size(),
                static_cast<long long>(g.samples), 1e3 * g.interval_s, 1e3 * g.delay_s);
  return text;
}

std::string values_text(const shot_gather& g) {
  return "Values: " + std::string(facts_of(g.of).words) + ", " + std::string(facts_of(g.of).unit);
}

/// A pressure sensor, or the vertical, cross-line or in-line component of a sensor with several; x is in line.
int kind_of_trace(const quantity_facts& of) { return of.along < 0 ? 11 : 12 + of.along; }
/// Pascal, metres per second; other ones, which the text header tells.
int unit_of_values(const quantity_facts& of) { return of.along < 0 ? 1 : of.is_velocity ? 6 : -1; }

/// Forty lines of eighty characters.
std::vector<std::byte> text_header(const shot_gather& g) {
  std::string text;
  for (int n = 1; n <= 40; ++n) {
    const std::string words = n == 1   ? "Written by nearfar-seismic"
                              : n == 2 ? g.title
                              : n == 3 ? places_text(g)
                              : n == 4 ? sizes_text(g)
                              : n == 5
                                  ? "Bytes 1-4 trace, 9-12 shot, 73-88 places, 41-52 elevation and depth, 37-40 offset"
                              : n == 6  ? values_text(g)
                              : n == 39 ? "SEG Y REV1"
                              : n == 40 ? "END TEXTUAL HEADER"
                                        : "";
    text += card(n, words);
  }
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(ebcdic(c));
  return bytes;
}

void put16(std::span<std::byte> to, std::size_t at, std::int64_t value) {
  put_integer(to, at, true, static_cast<std::int16_t>(value));
}
void put32(std::span<std::byte> to, std::size_t at, double value) {
  put_integer(to, at, true, static_cast<std::int32_t>(std::lround(std::clamp(value, -most_in_32, most_in_32))));
}

std::int64_t microseconds(const shot_gather& g) { return std::llround(1e6 * g.interval_s); }
std::int64_t milliseconds(const shot_gather& g) { return std::llround(1e3 * g.delay_s); }

std::vector<std::byte> binary_header(const shot_gather& g) {
  std::vector<std::byte> bytes(segy::binary_header);
  put32(bytes, segy::job, 1), put32(bytes, segy::line, 1), put32(bytes, segy::reel, 1);
  put16(bytes, segy::traces_per_ensemble,
        std::min<std::int64_t>(most_in_16, static_cast<std::int64_t>(g.receivers_m.size())));
  put16(bytes, segy::interval, microseconds(g)), put16(bytes, segy::original_interval, microseconds(g));
  put16(bytes, segy::samples, g.samples), put16(bytes, segy::original_samples, g.samples);
  put16(bytes, segy::format, 5), put16(bytes, segy::fold, 1);
  put16(bytes, segy::sorting, 1), put16(bytes, segy::measures, 1);  // as recorded; metres
  put16(bytes, segy::revision, 0x0100), put16(bytes, segy::fixed_length, 1);
  return bytes;
}

/// Places are stored in 1 / factor metres: in centimetres, or coarser where 32 bits have no room for them.
int place_factor(const shot_gather& g) {
  double most = 0;
  const auto add = [&](const position& p) {
    for (const double v : p) most = std::max(most, std::abs(v));
  };
  add(g.source_m);
  for (const position& r : g.receivers_m) add(r);
  int factor = 100;
  while (factor > 1 && most * factor > most_in_32) factor /= 10;
  return factor;
}

void put_trace_header(std::span<std::byte> to, const shot_gather& g, std::size_t trace, int factor) {
  const position &s = g.source_m, &r = g.receivers_m[trace];
  const double number = static_cast<double>(trace) + 1;
  for (const std::size_t at :
       {segy::trace_in_line, segy::trace_in_file, segy::trace_in_record, segy::trace_in_ensemble})
    put32(to, at, number);
  for (const std::size_t at : {segy::field_record, segy::source_point, segy::ensemble}) put32(to, at, g.field_record);
  put16(to, segy::trace_kind, kind_of_trace(facts_of(g.of)));
  put16(to, segy::value_unit, unit_of_values(facts_of(g.of)));
  put32(to, segy::offset, std::hypot(r[x] - s[x], r[y] - s[y]));
  put32(to, segy::group_elevation, -factor * r[z]), put32(to, segy::source_depth, factor * s[z]);
  const int scalar = factor == 1 ? 1 : -factor;  // negative: divide by it
  put16(to, segy::elevation_scalar, scalar), put16(to, segy::coordinate_scalar, scalar);
  put32(to, segy::source_x, factor * s[x]), put32(to, segy::source_y, factor * s[y]);
  put32(to, segy::group_x, factor * r[x]), put32(to, segy::group_y, factor * r[y]);
  put16(to, segy::coordinate_unit, 1);  // length
  put16(to, segy::delay, milliseconds(g));
  put16(to, segy::trace_samples, g.samples), put16(to, segy::trace_interval, microseconds(g));
}

void check_limits(const std::string& path, const shot_gather& g) {
  const auto refuse = [&](const std::string& what) {
    throw nearfar::usage_error(path + ": " + what + "; the format rsf has no such limit");
  };
  if (g.samples > most_in_16)
    refuse(std::to_string(g.samples) +
           " samples a trace: SEG-Y rev 1 has room for 32767; gathers.interval may be longer");
  const std::int64_t whole = microseconds(g);
  if (whole < 1 || whole > most_in_16 || std::abs(1e6 * g.interval_s - static_cast<double>(whole)) > 1e-3)
    refuse("an interval of " + std::to_string(1e6 * g.interval_s) +
           " us: SEG-Y rev 1 has room for 1 to 32767 whole microseconds");
  if (std::abs(milliseconds(g)) > most_in_16)
    refuse("a delay of " + std::to_string(g.delay_s) + " s: SEG-Y rev 1 has room for 32.767 s");
}

void write_traces(apps::own_file& file, const shot_gather& g) {
  const auto samples = static_cast<std::size_t>(g.samples), bytes = segy::trace_header + 4 * samples;
  const int factor = place_factor(g);
  std::vector<std::byte> trace(bytes);
  for (std::size_t t = 0; t < g.receivers_m.size(); ++t) {
    std::fill_n(trace.begin(), segy::trace_header, std::byte{0});
    put_trace_header(trace, g, t, factor);
    for (std::size_t i = 0; i < samples; ++i)
      put_float(trace, segy::trace_header + 4 * i, true, g.values[t * samples + i]);
    file.write(segy::headers + static_cast<std::int64_t>(t * bytes), trace);
  }
}

}  // namespace

void write_segy_gather(const std::string& path, const shot_gather& g) {
  check_gather(g, path);
  check_limits(path, g);
  const std::string partial = path + ".partial";
  apps::own_file file = apps::own_file::made_anew(partial);
  try {
    file.write(0, text_header(g));
    file.write(segy::text_header, binary_header(g));
    write_traces(file, g);
    file.close();
    apps::rename_file(partial, path);
  } catch (...) {
    std::remove(partial.c_str());
    throw;
  }
}

}  // namespace seismic
