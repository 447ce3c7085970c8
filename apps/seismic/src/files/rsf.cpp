// SPDX-License-Identifier: BSD-3-Clause
// Headers are words; what has no "=" in it is the history of the file, which says nothing here.
#include <charconv>
#include <cstdio>
#include <files/bytes.hpp>
#include <files/rsf.hpp>
#include <filesystem>
#include <nearfar/error.hpp>
#include <vector>

namespace seismic {
namespace {

constexpr std::int64_t most_rsf_bytes = 4 << 20;

[[noreturn]] void refuse_rsf(const std::string& path, const std::string& why) {
  throw nearfar::io_error(path + " cannot be read as RSF: " + why);
}

/// Takes a word from the front; blanks inside quotes belong to it, quotes do not.
std::string next_word(std::string_view& text) {
  std::string word;
  char quote = 0;
  while (!text.empty()) {
    const char c = text.front();
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    if (quote == 0 && is_blank) break;
    text.remove_prefix(1);
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      word += c;
  }
  return word;
}

index_t count_in(const std::string& path, const rsf_header& header, const std::string& key) {
  const auto at = header.find(key);
  if (at == header.end()) return 1;
  index_t n = 0;
  const char* const end = at->second.data() + at->second.size();
  const auto [stop, error] = std::from_chars(at->second.data(), end, n);
  if (error != std::errc() || stop != end || n < 1)
    refuse_rsf(path, key + "=" + at->second + ": it must be a whole number of at least 1");
  return n;
}

/// Slowest first, without the slowest dimensions of 1.
std::vector<index_t> extents_in(const std::string& path, const rsf_header& header) {
  if (!header.contains("n1")) refuse_rsf(path, "its header has no n1");
  std::vector<index_t> extents;
  for (int n = 9; n >= 1; --n) {
    const index_t count = count_in(path, header, 'n' + std::to_string(n));
    if (!extents.empty() || count > 1 || n <= 2) extents.push_back(count);
  }
  return extents;
}

double number_in(const rsf_header& header, const std::string& key) {
  double number = std::numeric_limits<double>::quiet_NaN();
  if (const auto at = header.find(key); at != header.end())
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), number);
  return number;
}

std::vector<array_axis> axes_in(const rsf_header& header, std::size_t count) {
  std::vector<array_axis> axes;
  for (std::size_t n = count; n >= 1; --n) {
    const std::string number = std::to_string(n);
    const auto unit = header.find("unit" + number);
    axes.push_back(
        {number_in(header, 'o' + number), number_in(header, 'd' + number), unit == header.end() ? "" : unit->second});
  }
  return axes;
}

std::string data_path(const std::string& path, const rsf_header& header) {
  const auto in = header.find("in");
  if (in == header.end()) refuse_rsf(path, "its header has no in=");
  if (in->second == "stdin")
    refuse_rsf(path,
               "in=stdin: its numbers stand in the same file, which is not understood; sfcp with out=FILE parts them");
  return (std::filesystem::path(path).parent_path() / in->second).string();
}

std::string text_or(const rsf_header& header, const std::string& key, const std::string& fallback) {
  const auto at = header.find(key);
  return at == header.end() ? fallback : at->second;
}

std::string rsf_text(const std::string& in, std::int64_t n1, double d1, double o1, std::size_t n2,
                     const std::string& words) {
  char text[400];
  std::snprintf(text, sizeof text,
                "n1=%lld d1=%.9g o1=%.9g %s\nn2=%zu d2=1 o2=0 label2=\"Trace\"\nesize=4 data_format=\"native_float\"\n",
                static_cast<long long>(n1), d1, o1, words.c_str(), n2);
  return text + ("in=\"" + in + "\"\n");
}

/// The header replaces the old one after the numbers have.
void write_rsf(const std::string& path, const std::string& header, std::span<const float> values) {
  apps::own_file file = apps::own_file::made_anew(path + "@.partial");
  file.write(0, std::as_bytes(values));
  file.close();
  apps::rename_file(path + "@.partial", path + "@");
  apps::write_whole(path, header);
}

}  // namespace

rsf_header rsf_header_of(const std::string& path) {
  const apps::own_file file = apps::own_file::to_read(path);
  const std::int64_t bytes = file.size();
  if (bytes > most_rsf_bytes)
    refuse_rsf(path, "a header of " + std::to_string(bytes) + " bytes; at most 4194304 are taken");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  if (text.find('\0') != std::string::npos) refuse_rsf(path, "it is not text");
  rsf_header header;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string word = next_word(rest);
    if (const auto equals = word.find('='); equals != std::string::npos && equals > 0)
      header[word.substr(0, equals)] = word.substr(equals + 1);
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return header;
}

array_layout rsf_layout(const std::string& path) {
  const rsf_header header = rsf_header_of(path);
  array_layout layout;
  layout.extents = extents_in(path, header);
  checked_product(layout.extents, path);
  layout.header.axes = axes_in(header, layout.extents.size());
  layout.path = data_path(path, header);
  const std::string format = text_or(header, "data_format", "native_float"), size = text_or(header, "esize", "4");
  if (format != "native_float" && format != "xdr_float")
    refuse_rsf(path, "data_format=" + format + "; native_float and xdr_float are taken");
  if (size != "4") refuse_rsf(path, "esize=" + size + "; numbers have 4 bytes");
  layout.is_big_endian = format == "xdr_float" || std::endian::native == std::endian::big;
  return layout;
}

void write_rsf_gather(const std::string& path, const shot_gather& g) {
  check_gather(g, path);
  const std::string label(facts_of(g.of).words), unit(facts_of(g.of).unit);
  const std::string name = std::filesystem::path(path).filename().string();
  write_rsf(path,
            rsf_text(name + "@", g.samples, g.interval_s, g.delay_s, g.receivers_m.size(),
                     "label1=\"Time\" unit1=\"s\" label=\"" + label + "\" unit=\"" + unit + "\""),
            g.values);
  std::vector<float> places;
  for (const position& r : g.receivers_m)
    for (const position& p : {g.source_m, r})
      for (const dimension d : {x, y, z}) places.push_back(static_cast<float>(p[d]));
  const std::string beside = std::filesystem::path(path).replace_extension().string() + "_places.rsf";
  write_rsf(
      beside,
      rsf_text(std::filesystem::path(beside).filename().string() + "@", 6, 1, 0, g.receivers_m.size(), "unit1=\"m\""),
      places);
}

}  // namespace seismic
