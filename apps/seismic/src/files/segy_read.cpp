// SPDX-License-Identifier: BSD-3-Clause
// The binary header tells the byte order by a format code that makes sense; the file's size must agree with the traces.
#include <algorithm>
#include <bit>
#include <cmath>
#include <files/bytes.hpp>
#include <files/segy.hpp>
#include <files/segy_header.hpp>
#include <nearfar/error.hpp>

namespace seismic {
namespace {

constexpr index_t most_traces = index_t{1} << 26;  ///< 0.5 GB of line numbers

[[noreturn]] void refuse_segy(const std::string& path, const std::string& why) {
  throw nearfar::io_error(path + " cannot be read as SEG-Y: " + why);
}

bool is_format(std::int16_t code) { return code >= 1 && code <= 16; }

std::int64_t end_of_text(const std::string& path, std::span<const std::byte> header, const segy_shape& s) {
  const auto revision = integer_in<std::uint16_t>(header, segy::revision, s.is_big_endian);
  const auto extended = integer_in<std::int16_t>(header, segy::extended_headers, s.is_big_endian);
  if (revision < 0x0100 || extended == 0) return segy::headers;
  if (extended < 0 || extended > 1000)
    refuse_segy(path, std::to_string(extended) + " extended text headers; 0 to 1000 are taken");
  return segy::headers + std::int64_t{segy::text_header} * extended;
}

segy_shape shape_of(const std::string& path, const apps::own_file& file) {
  const std::int64_t bytes = file.size();
  if (bytes < segy::headers + segy::trace_header)
    refuse_segy(path, "it has " + std::to_string(bytes) + " bytes; its headers alone need 3840");
  std::array<std::byte, segy::binary_header> header{};
  file.read(segy::text_header, header);
  segy_shape s;
  const auto big = integer_in<std::int16_t>(header, segy::format, true),
             little = integer_in<std::int16_t>(header, segy::format, false);
  s.is_big_endian = is_format(big);
  const std::int16_t code = s.is_big_endian ? big : little;
  if (code != 1 && code != 5)
    refuse_segy(path, "its numbers are of format " + std::to_string(code) +
                          "; 1 (IBM floats) and 5 (IEEE floats) are taken, big or little endian");
  s.is_ibm = code == 1;
  s.samples = integer_in<std::uint16_t>(header, segy::samples, s.is_big_endian);
  if (s.samples < 1) refuse_segy(path, "traces of 0 samples; there must be 1 to 65535");
  s.first = end_of_text(path, header, s);
  if (bytes <= s.first || (bytes - s.first) % s.trace_bytes() != 0)
    refuse_segy(path, std::to_string(bytes) + " bytes are not headers and whole traces of " +
                          std::to_string(s.samples) + " samples (" + std::to_string(s.trace_bytes()) +
                          " bytes each): it is truncated, or its traces differ in length");
  s.traces = (bytes - s.first) / s.trace_bytes();
  if (s.traces > most_traces)
    refuse_segy(path, std::to_string(s.traces) + " traces; at most " + std::to_string(most_traces) + " are taken");
  return s;
}

struct line_place {
  std::int32_t line = 0, cross = 0;
  friend bool operator==(const line_place&, const line_place&) = default;
};

std::vector<line_place> places_of(const std::string& path, const apps::own_file& file, const segy_shape& s) {
  std::vector<line_place> all;
  std::array<std::byte, segy::trace_header> header{};
  for (index_t t = 0; t < s.traces; ++t) {
    file.read(s.first + t * s.trace_bytes(), header);
    const index_t samples = integer_in<std::uint16_t>(header, segy::trace_samples, s.is_big_endian);
    if (samples != 0 && samples != s.samples)
      refuse_segy(path, "trace " + std::to_string(t) + " has " + std::to_string(samples) + " samples, the file says " +
                            std::to_string(s.samples));
    all.push_back({integer_in<std::int32_t>(header, segy::inline_number, s.is_big_endian),
                   integer_in<std::int32_t>(header, segy::crossline_number, s.is_big_endian)});
  }
  return all;
}

/// Traces in a line; all of them where the numbers say nothing.
index_t traces_per_line(const std::string& path, const std::vector<line_place>& all) {
  const auto total = static_cast<index_t>(all.size());
  const auto first_of_second =
      std::find_if(all.begin(), all.end(), [&](const line_place& p) { return p.line != all[0].line; });
  const index_t length = first_of_second - all.begin();
  if (length == total || length == 0) return total;
  if (length == 1 && all[1].cross == all[0].cross && total > 1) return 1;
  for (index_t t = 0; t < total; ++t) {
    const auto at = static_cast<std::size_t>(t), row = static_cast<std::size_t>(t / length * length),
               column = static_cast<std::size_t>(t % length);
    if (total % length != 0 || all[at].line != all[row].line || all[at].cross != all[column].cross)
      refuse_segy(path, "trace " + std::to_string(t) + " is of inline " + std::to_string(all[at].line) +
                            " and crossline " + std::to_string(all[at].cross) + ": lines must have the same " +
                            std::to_string(length) + " crosslines as the first one, one line after the other");
  }
  return length;
}

class segy_array : public array_source {
 public:
  explicit segy_array(const std::string& path)
      : path_(path), file_(apps::own_file::to_read(path)), shape_(shape_of(path, file_)) {
    const index_t length = traces_per_line(path, places_of(path, file_, shape_));
    if (length < shape_.traces) extents_.push_back(shape_.traces / length);
    extents_.push_back(length);
    extents_.push_back(shape_.samples);
    header_ = segy_header(file_, shape_, length);
  }
  const std::vector<index_t>& extents() const override { return extents_; }
  const file_header& header() const override { return header_; }
  std::string name() const override { return path_; }

  void read(std::span<const index_t> lower, std::span<const index_t> upper, std::span<float> values) const override {
    const auto width = static_cast<std::size_t>(upper.back() - lower.back());
    std::vector<std::byte> bytes(4 * width);
    for_each_row(extents_, lower, upper, [&](index_t row, index_t from) {
      const index_t trace = from / shape_.samples, sample = from % shape_.samples;
      file_.read(shape_.first + trace * shape_.trace_bytes() + segy::trace_header + 4 * sample, bytes);
      convert(bytes, values.subspan(static_cast<std::size_t>(row) * width, width));
    });
  }

 private:
  void convert(std::span<const std::byte> bytes, std::span<float> values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bits = integer_in<std::uint32_t>(bytes, 4 * i, shape_.is_big_endian);
      values[i] = shape_.is_ibm ? ibm_float(bits) : std::bit_cast<float>(bits);
    }
  }

  std::string path_;
  apps::own_file file_;
  segy_shape shape_;
  std::vector<index_t> extents_;
  file_header header_;
};

}  // namespace

float ibm_float(std::uint32_t bits) {
  const double fraction = static_cast<double>(bits & 0xFFFFFFU) * 0x1p-24;
  const int exponent = 4 * (static_cast<int>((bits >> 24) & 0x7FU) - 64);
  const double value = std::ldexp(fraction, exponent);
  return static_cast<float>((bits >> 31) != 0 ? -value : value);
}

std::shared_ptr<const array_source> open_segy(const std::string& path) { return std::make_shared<segy_array>(path); }

}  // namespace seismic
