// SPDX-License-Identifier: BSD-3-Clause
// ADIOS2's BP files, where the library is installed.
#include "formats/adios2.hpp"

#include "formats/adios2_file.hpp"
#include "formats/adios2_library.hpp"
#include "formats/format.hpp"

namespace nearfar::output {

namespace {

class adios2 final : public format {
 public:
  const char* name() const override { return "adios2"; }
  const char* words() const override { return "P.bp: BP5, written by ADIOS2 where it is installed; one writer"; }
  bool has_made(const std::string& behind) const override { return behind == ".bp"; }
  bool has_constant(const output_options&) const override { return true; }
  bool has_one_writer() const override { return true; }
  void check(const std::vector<output_array>& arrays, const output_options& options) const override {
    const dimension_table dimensions(arrays, options.axes);
    for (const output_array& a : arrays)
      for (const output_axis& x : options.axes)
        if (a.name == "time" || a.name == x.name)
          throw usage_error(text("array ", a.name, " has the name of an axis; format adios2 keeps both in one file"));
    if (!adios2_found().is_whole)
      throw usage_error(
          "format adios2 needs ADIOS2 2.8 or later, whose C library libadios2_c.so is not found: add its folder to "
          "LD_LIBRARY_PATH, "
          "or name it by NEARFAR_ADIOS2=/path/libadios2_c.so");
  }
  file_plan lay_out(const format_request& r) const override {
    file_plan plan;
    plan.places.resize(r.arrays.size());
    plan.adios2 = adios2_description(r);
    return plan;
  }
};

}  // namespace

const format& adios2_format() {
  static const adios2 only;
  return only;
}

}  // namespace nearfar::output
