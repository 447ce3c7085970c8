// SPDX-License-Identifier: BSD-3-Clause
// Lines of RSF headers.
#include "formats/rsf.hpp"

#include <array>
#include <base/text.hpp>
#include <cstdlib>
#include <filesystem>

#include "formats/format.hpp"

namespace nearfar::output {

namespace {

const char* rsf_type(element_type type) {
  switch (type) {
    case element_type::int8:
      return "native_uchar";
    case element_type::int16:
      return "native_short";
    case element_type::int32:
      return "native_int";
    case element_type::int64:
      return "native_long";
    case element_type::float32:
      return "native_float";
    case element_type::float64:
      return "native_double";
    case element_type::complex64:
      return "native_complex";
    case element_type::complex128:
      return "native_dcomplex";
    default:
      break;
  }
  return "native_byte";
}

}  // namespace

std::string rsf_constants(const output_array& array, const std::string& data_path) {
  text_writer out;
  out << "in=\"" << std::filesystem::absolute(data_path).lexically_normal().string() << "\"\n"
      << "data_format=\"" << rsf_type(array.type) << "\"\n"
      << "esize=" << bytes_of(array.type) << "\n"
      << "label=\"" << array.name << "\"\n";
  for (std::size_t d = array.extents.size(); d > 0; --d)
    out << "n" << array.extents.size() - d + 1 << "=" << array.extents[d - 1] << "\n";
  for (const auto& [key, value] : array.attributes)
    value_of({key, value}).size() == 1 ? out << key << "=" << value << "\n" : out << key << "=\"" << value << "\"\n";
  return out.str();
}

std::string rsf_header(const std::string& constants, int axis, const std::vector<double>& times) {
  text_writer out;
  out.precision(15);
  out << constants << "n" << axis << "=" << times.size() << "\n";
  if (!times.empty()) out << "o" << axis << "=" << times[0] << "\n";
  if (times.size() > 1) out << "d" << axis << "=" << times[1] - times[0] << "\n";
  out << "label" << axis << "=\"time\"\n";
  return out.str();
}

namespace {

class rsf final : public format {
 public:
  const char* name() const override { return "rsf"; }
  const char* words() const override {
    return "P.A.raw: the frames of each array back to back, and a text header P.A.rsf (Madagascar, numpy.memmap)";
  }
  /// A dot, an array's name, which has none, and an ending.
  bool has_made(const std::string& behind) const override {
    return behind.size() > 5 && behind.rfind('.') == behind.find('.', 1) &&
           (behind.ends_with(".raw") || behind.ends_with(".rsf"));
  }
  bool has_constant(const output_options&) const override { return true; }
  /// A value stands between quotes in a line.
  void check(const std::vector<output_array>& arrays, const output_options&) const override {
    for (const output_array& a : arrays)
      for (const auto& [key, value] : a.attributes)
        if (key.find_first_of("= \t\r\n\"") != std::string::npos || value.find_first_of("\r\n\"") != std::string::npos)
          throw usage_error(
              text("the attribute ", key, " of array ", a.name, " is '", value,
                   "'; a text header of rsf has no '\"' and no ends of lines in values, and no '=' and no ",
                   "blanks in names"));
  }
  file_plan lay_out(const format_request& r) const override {
    file_plan plan;
    for (const output_array& a : r.arrays) {
      const std::string stem = text(r.path, ".", a.name), data = stem + ".raw";
      const index_t bytes = frame_bytes_of(a);
      plan.places.push_back({as_file_number(plan.files), 0, a.is_constant ? 0 : bytes, {}});
      plan.files.push_back({.before = data, .after = "", .bytes = a.is_constant ? bytes : 0});
      plan.headers.push_back({a.is_constant ? header_kind::fixed : header_kind::rsf, stem + ".rsf",
                              rsf_constants(a, data), static_cast<int>(a.extents.size()) + 1});
    }
    return plan;
  }
};

}  // namespace

const format& rsf_format() {
  static const rsf only;
  return only;
}

}  // namespace nearfar::output
