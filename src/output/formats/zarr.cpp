// SPDX-License-Identifier: BSD-3-Clause
// Metadata of Zarr version 3 (https://zarr-specs.readthedocs.io), and the names of its chunks.
#include "formats/zarr.hpp"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "formats/format.hpp"

namespace nearfar::output {

namespace {

using json = nlohmann::ordered_json;
using attribute_list = std::vector<std::pair<std::string, std::string>>;

const char* zarr_type(element_type type) {
  const char* names[] = {"int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(type)];
}

json fill_value_of(element_type type) {
  if (type == element_type::float32 || type == element_type::float64) return "NaN";
  if (type == element_type::complex64 || type == element_type::complex128) return json::array({"NaN", "NaN"});
  return 0;
}

json attributes_of(const attribute_list& list) {
  json all = json::object();
  for (const auto& [key, value] : list) {
    const auto numbers = numbers_in({key, value});
    if (numbers.empty())
      all[key] = value;
    else if (numbers.size() == 1)
      all[key] = numbers[0];
    else
      all[key] = numbers;
  }
  return all;
}

json bytes_codec(index element_bytes) {
  json codec{{"name", "bytes"}};
  const char* order = std::endian::native == std::endian::little ? "little" : "big";
  if (element_bytes > 1) codec["configuration"] = {{"endian", order}};
  return codec;
}

/// What is the same for all arrays; the shape's first extent is the number of steps, but in constant ones.
json array_json(const std::vector<index>& shape, const std::vector<index>& chunk, element_type type) {
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape},
          {"data_type", zarr_type(type)},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunk}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "."}}}}},
          {"fill_value", fill_value_of(type)},
          {"codecs", json::array({bytes_codec(bytes_of(type))})}};
}

json codec_json(const codec& c, index element_bytes) {
  if (c.kind == codec_kind::zstd)
    return {{"name", "zstd"}, {"configuration", {{"level", c.level}, {"checksum", false}}}};
  if (c.kind == codec_kind::zfp)
    return {{"name", "numcodecs.zfpy"},
            {"configuration", {{"mode", 4}, {"tolerance", c.tolerance}, {"rate", -1}, {"precision", -1}}}};
  return {{"name", "blosc"},
          {"configuration",
           {{"cname", c.kind == codec_kind::blosc_lz4 ? "lz4" : "zstd"},
            {"clevel", c.level},
            {"shuffle", "shuffle"},
            {"typesize", element_bytes},
            {"blocksize", 0}}}};
}

/// zfp makes bytes of numbers itself, the others take what the codec "bytes" makes.
json codecs_json(const codec& c, index element_bytes) {
  json list = json::array();
  if (c.kind != codec_kind::zfp) list.push_back(bytes_codec(element_bytes));
  if (c.kind != codec_kind::none) list.push_back(codec_json(c, element_bytes));
  return list;
}

json group_json(const attribute_list& attributes) {
  return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes_of(attributes)}};
}

/// ".0.0.0" and so on: what follows the step in the names of an array's chunks, C order.
std::vector<std::string> keys_of(const std::vector<index>& extents, const std::vector<index>& chunk) {
  std::vector<std::string> keys{""};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::vector<std::string> longer;
    for (const std::string& key : keys)
      for (index i = 0; i * chunk[d] < extents[d]; ++i) longer.push_back(text(key, ".", i));
    keys = std::move(longer);
  }
  return keys;
}

void add_array(file_plan& plan, const format_request& r, const dimension_table& dimensions, std::size_t which) {
  const output_array& a = r.arrays[which];
  const std::string folder = text(r.path, ".zarr/", a.name, "/");
  const bool is_compressed = r.codecs[which].kind != codec_kind::none;
  const std::vector<index>& part = is_compressed ? r.chunks[which] : a.extents;
  std::vector<index> shape{0}, chunk{1};
  json names = json::array({"time"});
  for (std::size_t d = 0; d < a.extents.size(); ++d) {
    shape.push_back(a.extents[d]), chunk.push_back(part[d]);
    names.push_back(dimensions.all[dimensions.of_array[which][d]].name);
  }
  json meta = array_json(shape, chunk, a.type);
  meta["codecs"] = codecs_json(r.codecs[which], bytes_of(a.type));
  meta["dimension_names"] = names;
  meta["attributes"] = attributes_of(a.attributes);
  array_place place{as_file_number(plan.files), 0, 0, {}};
  if (is_compressed) std::copy(part.begin(), part.end(), place.chunk.begin());
  plan.places.push_back(place);
  for (const std::string& key : keys_of(a.extents, part))
    plan.files.push_back({.before = folder + "c.",
                          .after = key,
                          .is_per_step = true,
                          .is_of_one_writer = is_compressed,
                          .bytes = is_compressed ? 0 : frame_bytes_of(a)});
  plan.headers.push_back({header_kind::zarr, folder + "zarr.json", meta.dump()});
}

/// One chunk, a file of all steps.
void add_constant(file_plan& plan, const format_request& r, const dimension_table& dimensions, std::size_t which) {
  const output_array& a = r.arrays[which];
  const std::string folder = text(r.path, ".zarr/", a.name, "/");
  json meta = array_json(a.extents, a.extents, a.type), names = json::array();
  for (const std::size_t d : dimensions.of_array[which]) names.push_back(dimensions.all[d].name);
  meta["dimension_names"] = names;
  meta["attributes"] = attributes_of(a.attributes);
  plan.places.push_back({as_file_number(plan.files), 0, 0, {}});
  const std::string chunk = keys_of(a.extents, a.extents).front();
  plan.files.push_back({.before = folder + "c" + chunk, .after = "", .bytes = frame_bytes_of(a)});
  plan.headers.push_back({header_kind::fixed, folder + "zarr.json", meta.dump(2) + "\n"});
}

void add_times(file_plan& plan, const std::string& path, const output_axis* given) {
  const std::string folder = path + ".zarr/time/";
  json meta = array_json({0}, {static_cast<index>(zarr_times_per_chunk)}, element_type::float64);
  meta["dimension_names"] = {"time"};
  meta["attributes"] = attributes_of(given != nullptr ? given->attributes : attribute_list{});
  plan.headers.push_back({header_kind::zarr_times, folder + "c.", ""});
  plan.headers.push_back({header_kind::zarr, folder + "zarr.json", meta.dump()});
}

void add_axis(file_plan& plan, const std::string& path, const output_axis& x, bool is_scalar) {
  const std::string folder = text(path, ".zarr/", x.name, "/");
  const std::vector<index> shape(is_scalar ? 0 : 1, as_index(x.values.size()));
  json meta = array_json(shape, shape, element_type::float64);
  meta["dimension_names"] = is_scalar ? json::array() : json::array({x.name});
  meta["attributes"] = attributes_of(x.attributes);
  std::string bytes(x.values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), x.values.data(), bytes.size());
  plan.headers.push_back({header_kind::fixed, folder + (is_scalar ? "c" : "c.0"), bytes});
  plan.headers.push_back({header_kind::fixed, folder + "zarr.json", meta.dump(2) + "\n"});
}

class zarr final : public format {
 public:
  const char* name() const override { return "zarr"; }
  const char* words() const override {
    return "P.zarr: a Zarr v3 group, a file per array and step (zarr-python, xarray)";
  }
  bool has_made(const std::string& behind) const override { return behind == ".zarr"; }
  bool has_compression() const override { return true; }
  bool has_constant(const output_options&) const override { return true; }
  void check(const std::vector<output_array>& arrays, const output_options& options) const override {
    const dimension_table dimensions(arrays, options.axes);
    for (const output_array& a : arrays)
      for (const dimension& d : dimensions.all)
        if (a.name == "time" || (d.axis != nullptr && a.name == d.name))
          throw usage_error(text("array ", a.name, " has the name of an axis; format zarr keeps both in one folder"));
  }
  file_plan lay_out(const format_request& r) const override {
    const dimension_table dimensions(r.arrays, r.options.axes);
    file_plan plan;
    for (std::size_t a = 0; a < r.arrays.size(); ++a)
      r.arrays[a].is_constant ? add_constant(plan, r, dimensions, a) : add_array(plan, r, dimensions, a);
    add_times(plan, r.path, dimensions.time);
    for (const dimension& d : dimensions.all)
      if (d.axis != nullptr) add_axis(plan, r.path, *d.axis, false);
    for (const output_axis* s : dimensions.scalars) add_axis(plan, r.path, *s, true);
    plan.headers.push_back(
        {header_kind::fixed, r.path + ".zarr/zarr.json", group_json(r.options.attributes).dump(2) + "\n"});
    return plan;
  }
};

}  // namespace

const format& zarr_format() {
  static const zarr only;
  return only;
}

}  // namespace nearfar::output
