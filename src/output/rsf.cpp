// SPDX-License-Identifier: BSD-3-Clause
// Lines of RSF headers.
#include "rsf.hpp"

#include <array>
#include <base/text.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>

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
  }
  return "native_byte";
}

bool is_number(const std::string& value) {
  char* end = nullptr;
  std::strtod(value.c_str(), &end);
  return !value.empty() && *end == '\0';
}

}  // namespace

void step_axis::note(index step, double time) noexcept {
  if (step == 0) first_time = time;
  if (step == 1) second_time = time;
  steps = step + 1;
}

std::string rsf_constants(const output_array& array, const std::string& data_path) {
  std::ostringstream out;
  out << "in=\"" << std::filesystem::absolute(data_path).lexically_normal().string() << "\"\n"
      << "data_format=\"" << rsf_type(array.type) << "\"\n"
      << "esize=" << bytes_of(array.type) << "\n"
      << "label=\"" << array.name << "\"\n";
  for (std::size_t d = array.extents.size(); d > 0; --d)
    out << "n" << array.extents.size() - d + 1 << "=" << array.extents[d - 1] << "\n";
  for (const auto& [key, value] : array.attributes)
    is_number(value) ? out << key << "=" << value << "\n" : out << key << "=\"" << value << "\"\n";
  return out.str();
}

std::string rsf_header(const std::string& constants, int axis, const step_axis& steps) {
  std::ostringstream out;
  out.precision(15);
  out << constants << "n" << axis << "=" << steps.steps << "\n";
  if (steps.steps > 0) out << "o" << axis << "=" << steps.first_time << "\n";
  if (steps.steps > 1) out << "d" << axis << "=" << steps.second_time - steps.first_time << "\n";
  out << "label" << axis << "=\"time\"\n";
  return out.str();
}

}  // namespace nearfar::output
