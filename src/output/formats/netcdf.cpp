// SPDX-License-Identifier: BSD-3-Clause
// NetCDF-4, and HDF5 with the same contents: one file where the number of steps is known, else one per step.
#ifdef NEARFAR_HAVE_HDF5
#include <algorithm>
#include <numeric>

#include "formats/format.hpp"
#include "formats/hdf5_formats.hpp"
#include "formats/hdf5_maker.hpp"

namespace nearfar::output {

namespace {

void add_time(hdf5_maker& file, index_t steps, const output_axis* given, growth grows) {
  file.add_later("time", element_type::float64, {steps}, byte_meaning::number, grows);
  file.make_dimension("time", steps, 0, true);
  if (given != nullptr) note_all(file, "time", given->attributes);
}

/// Whether a dimension without values is the third from the last of an array: programs for climate data (CDO) take it
/// for the vertical, and want numbers there.
bool is_level(const format_request& r, const dimension_table& dimensions, std::size_t which) {
  constexpr index_t most_levels = 1 << 16;
  const dimension& d = dimensions.all[which];
  bool is_third = false;
  for (std::size_t a = 0; a < r.arrays.size(); ++a) {
    const auto& own = dimensions.of_array[a];
    if (r.arrays[a].is_varying && own.front() == which) return false;
    is_third = is_third || (own.size() >= 3 && own[own.size() - 3] == which);
  }
  return r.layout > 0 && is_third && d.axis == nullptr && !d.is_array && d.extent <= most_levels;
}

/// The number of each level.
void add_levels(hdf5_maker& file, const dimension& d) {
  std::vector<double> numbers(as_size(d.extent));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  file.add_values(d.name, numbers);
}

void note_levels(hdf5_maker& file, const dimension& d) {
  file.note(d.name, "long_name", std::string("number of the level"));
  file.note(d.name, "units", std::string("1"));
  if (d.name.front() == 'z') file.note(d.name, "axis", std::string("Z"));
}

void add_dimensions(hdf5_maker& file, const format_request& r, const dimension_table& dimensions) {
  for (std::size_t n = 0; n < dimensions.all.size(); ++n) {
    const dimension& d = dimensions.all[n];
    const bool is_levels = is_level(r, dimensions, n);
    if (d.axis != nullptr) file.add_values(d.name, d.axis->values);
    if (is_levels) add_levels(file, d);
    file.make_dimension(d.name, d.extent, static_cast<int>(n) + 1, d.axis != nullptr || d.is_array || is_levels);
    if (d.axis != nullptr) note_all(file, d.name, d.axis->attributes);
    if (is_levels) note_levels(file, d);
  }
  for (const output_axis* s : dimensions.scalars) {
    file.add_scalar(s->name, s->values.front());
    note_all(file, s->name, s->attributes);
  }
}

/// As netCDF has it: bytes with an encoding are letters.
bool is_text(const output_array& a) {
  const auto is_encoding = [](const auto& attribute) { return attribute.first == "_Encoding"; };
  return a.type == element_type::int8 && std::any_of(a.attributes.begin(), a.attributes.end(), is_encoding);
}

byte_meaning meaning_of(const output_array& a) {
  return is_text(a) ? byte_meaning::control_message : byte_meaning::number;
}

/// Before their dimensions, which they become.
void add_arrays_of_values(hdf5_maker& file, const format_request& r, const dimension_table& dimensions) {
  for (const dimension& d : dimensions.all)
    for (const output_array& a : r.arrays)
      if (d.is_array && a.name == d.name) file.add_later(a.name, a.type, a.extents, meaning_of(a));
}

void add_arrays(hdf5_maker& file, const format_request& r, const dimension_table& dimensions, index_t steps,
                growth grows) {
  for (std::size_t a = 0; a < r.arrays.size(); ++a) {
    const output_array& array = r.arrays[a];
    const dimension& first = dimensions.all[dimensions.of_array[a].front()];
    if (!first.is_array || first.name != array.name) {
      std::vector<index_t> extents = array.extents;
      std::vector<std::string> names;
      for (const std::size_t d : dimensions.of_array[a]) names.push_back(dimensions.all[d].name);
      if (!array.is_constant) extents.insert(extents.begin(), steps), names.insert(names.begin(), "time");
      file.add_later(array.name, array.type, extents, meaning_of(array), array.is_constant ? growth::none : grows);
      for (std::size_t d = 0; d < names.size(); ++d) file.use_dimension(array.name, static_cast<int>(d), names[d]);
    }
    note_all(file, array.name, array.attributes);
  }
}

class netcdf final : public format {
 public:
  netcdf(const char* name, const char* words, const char* ending) : name_(name), words_(words), ending_(ending) {}
  const char* name() const override { return name_; }
  const char* words() const override { return words_; }
  void check(const std::vector<output_array>& arrays, const output_options& options) const override {
    dimension_table(arrays, options.axes).part_from_arrays(arrays);
    for (const output_array& a : arrays) {
      const bool is_complex = a.type == element_type::complex64 || a.type == element_type::complex128;
      if (is_complex && name_ == std::string("netcdf"))
        throw usage_error(text("array ", a.name, " is complex, which netCDF has no type for; format hdf5 has one"));
    }
  }
  bool has_made(const std::string& behind) const override {
    return behind == ending_ || is_file_of_step(behind, ending_);
  }
  bool has_varying() const override { return name_ == std::string("hdf5"); }
  bool has_constant(const output_options& options) const override { return options.expected_steps > 0; }
  /// Readers find a step's own extents in its file. Its time is written with the data, as in other streams.
  step_layout lay_out_step(const format_request& r, const step_request& step) const override {
    const auto arrays = arrays_of_step(r, step);
    hdf5_skeleton made = skeleton({r.path, arrays, r.options, r.codecs, r.chunks, r.layout}, 1, growth::none);
    step_layout l{made.bytes, {}, {}, std::move(made.pieces)};
    for (const output_array& a : arrays) l.begins.push_back(made.offsets.at(a.name));
    l.pieces.push_back(piece_of(made.offsets.at("time"), step.time));
    return l;
  }
  file_plan lay_out(const format_request& r) const override {
    const index_t steps = r.options.expected_steps;
    const bool is_one_file = steps > 0;
    if (std::any_of(r.arrays.begin(), r.arrays.end(), [](const output_array& a) { return a.is_varying; }))
      return plan_of_varying_steps(r, ending_);
    hdf5_skeleton made = is_one_file ? skeleton(r, steps, growth::by_steps) : skeleton(r, 1, growth::none);
    file_plan plan;
    for (const output_array& a : r.arrays)
      plan.places.push_back({0, made.offsets.at(a.name), is_one_file && !a.is_constant ? frame_bytes_of(a) : 0, {}});
    plan.most_steps = steps;
    stream_file f{.before = r.path, .after = ending_};
    if (!is_one_file) f.before += ".", f.digits = 6, f.is_per_step = true;
    f.bytes = made.bytes, f.time_at = made.offsets.at("time"), f.pieces = std::move(made.pieces);
    f.counts = std::move(made.counts);
    if (!f.counts.empty()) std::rotate(f.counts.begin(), f.counts.begin() + 1, f.counts.end());  // the times last
    plan.files.push_back(std::move(f));
    return plan;
  }

 private:
  hdf5_skeleton skeleton(const format_request& r, index_t steps, growth grows) const {
    dimension_table dimensions(r.arrays, r.options.axes);
    dimensions.part_from_arrays(r.arrays);
    hdf5_maker file(r.path + ending_, r.layout);
    add_time(file, steps, dimensions.time, grows);
    add_arrays_of_values(file, r, dimensions);
    add_dimensions(file, r, dimensions);
    add_arrays(file, r, dimensions, steps, grows);
    note_all(file, "/", r.options.attributes);
    return file.finish();
  }
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
