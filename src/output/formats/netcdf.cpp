// SPDX-License-Identifier: BSD-3-Clause
// NetCDF-4, and HDF5 with the same contents: one file where the number of steps is known, else one per step.
#ifdef NEARFAR_HAVE_HDF5
#include <limits>

#include "formats/format.hpp"
#include "formats/hdf5_formats.hpp"
#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

using attribute_list = std::vector<std::pair<std::string, std::string>>;

bool is_of_elements(const std::string& key) { return key == "_FillValue" || key == "missing_value"; }

void note_all(hdf5_maker& file, const std::string& object, const attribute_list& attributes) {
  for (const auto& [key, value] : attributes)
    if (!is_number(value))
      file.note(object, key, value);
    else if (object != "/" && is_of_elements(key))
      file.note_alike(object, key, std::stod(value));
    else
      file.note(object, key, std::vector{std::stod(value)});
}

void add_time(hdf5_maker& file, index steps, const output_axis* given) {
  file.add_later("time", element_type::float64, {steps});
  file.make_dimension("time", steps, 0, true);
  file.note_alike("time", "_FillValue", std::numeric_limits<double>::quiet_NaN());
  if (given != nullptr) note_all(file, "time", given->attributes);
}

void add_dimensions(hdf5_maker& file, const dimension_table& dimensions) {
  int id = 0;
  for (const dimension& d : dimensions.all) {
    if (d.axis != nullptr) file.add_values(d.name, d.axis->values);
    file.make_dimension(d.name, d.extent, ++id, d.axis != nullptr);
    if (d.axis != nullptr) note_all(file, d.name, d.axis->attributes);
  }
}

void add_arrays(hdf5_maker& file, const format_request& r, const dimension_table& dimensions, index steps) {
  for (std::size_t a = 0; a < r.arrays.size(); ++a) {
    const output_array& array = r.arrays[a];
    std::vector<index> extents{steps};
    extents.insert(extents.end(), array.extents.begin(), array.extents.end());
    file.add_later(array.name, array.type, extents);
    file.use_dimension(array.name, 0, "time");
    for (std::size_t d = 0; d < array.extents.size(); ++d)
      file.use_dimension(array.name, static_cast<int>(d) + 1, dimensions.all[dimensions.of_array[a][d]].name);
    note_all(file, array.name, array.attributes);
  }
}

class netcdf final : public format {
 public:
  netcdf(const char* name, const char* words, const char* ending) : name_(name), words_(words), ending_(ending) {}
  const char* name() const override { return name_; }
  const char* words() const override { return words_; }
  void check(const std::vector<output_array>& arrays, const output_options& options) const override {
    const dimension_table dimensions(arrays, options.axes);
    for (const output_array& a : arrays) {
      const bool is_complex = a.type == element_type::complex64 || a.type == element_type::complex128;
      if (is_complex && name_ == std::string("netcdf"))
        throw usage_error(text("array ", a.name, " is complex, which netCDF has no type for; format hdf5 has one"));
      for (const dimension& d : dimensions.all)
        if (a.name == "time" || a.name == d.name)
          throw usage_error(
              text("array ", a.name, " has the name of a dimension; format ", name_, " keeps both in one place"));
    }
  }
  file_plan lay_out(const format_request& r) const override {
    const dimension_table dimensions(r.arrays, r.options.axes);
    const index steps = r.options.expected_steps;
    const bool is_one_file = steps > 0;
    hdf5_maker file(r.path + ending_);
    add_time(file, is_one_file ? steps : 1, dimensions.time);
    add_dimensions(file, dimensions);
    add_arrays(file, r, dimensions, is_one_file ? steps : 1);
    note_all(file, "/", r.options.attributes);
    hdf5_skeleton made = file.finish();
    file_plan plan;
    for (const output_array& a : r.arrays)
      plan.places.push_back({0, made.offsets.at(a.name), is_one_file ? frame_bytes_of(a) : 0, {}});
    plan.most_steps = steps;
    stream_file f{.before = r.path, .after = ending_};
    if (!is_one_file) f.before += ".", f.digits = 6, f.is_per_step = true;
    f.bytes = made.bytes, f.time_at = made.offsets.at("time"), f.pieces = std::move(made.pieces);
    plan.files.push_back(std::move(f));
    return plan;
  }

 private:
  const char *name_, *words_, *ending_;
};

}  // namespace

const format& netcdf_format() {
  static const netcdf only(
      "netcdf", "P.nc with expected_steps, else a P.000012.nc per step: NetCDF-4, CF where attributes say so", ".nc");
  return only;
}

const format& hdf5_format() {
  static const netcdf only("hdf5", "P.h5 with expected_steps, else a P.000012.h5 per step: HDF5 with dimension scales",
                           ".h5");
  return only;
}

}  // namespace nearfar::output
#endif
