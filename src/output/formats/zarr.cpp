// SPDX-License-Identifier: BSD-3-Clause
// Metadata of Zarr version 3 (https://zarr-specs.readthedocs.io), and the names of its chunks.
#include "formats/zarr.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "formats/format.hpp"

namespace nearfar::output {

namespace {

using json = nlohmann::ordered_json;
using attribute_list = std::vector<std::pair<std::string, std::string>>;

bool is_complex(element_type type) noexcept {
  return type == element_type::complex64 || type == element_type::complex128;
}
bool is_real(element_type type) noexcept { return type == element_type::float32 || type == element_type::float64; }

/// Zarr has words for what JSON has no numbers for.
json json_of(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  return x;
}

json fill_value_of(element_type type, const attribute_value& given) {
  if (is_complex(type))
    return json::array({given.is_words() ? "NaN" : json_of(given.real(0)), given.is_words() ? "NaN" : json_of(0)});
  if (is_real(type)) return given.is_words() ? json("NaN") : json_of(given.real(0));
  return given.is_words() ? 0 : given.integers.empty() ? static_cast<std::int64_t>(given.reals[0]) : given.integers[0];
}

/// The bytes of a double, as xarray has the attribute _FillValue of arrays of floating point, so that it has every
/// value.
std::string in_base64(double x) {
  constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bits = std::bit_cast<std::uint64_t>(x);
  std::array<unsigned, 9> bytes{};  // little-endian, filled up to triples
  for (std::size_t i = 0; i < sizeof bits; ++i) bytes[i] = static_cast<unsigned>(bits >> (8 * i)) & 255U;
  std::string words;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned triple = bytes[i] << 16U | bytes[i + 1] << 8U | bytes[i + 2];
    for (const unsigned shift : {18U, 12U, 6U, 0U}) words += characters[triple >> shift & 63U];
  }
  words.back() = '=';
  return words;
}

json fill_attribute_of(element_type type, const attribute_value& v) {
  if (is_complex(type)) return json::array({in_base64(v.real(0)), in_base64(0)});
  return is_real(type) ? json(in_base64(v.real(0))) : fill_value_of(type, v);
}

json json_of(const attribute_value& v) {
  json list = json::array();
  for (const std::int64_t n : v.integers) list.push_back(n);
  for (const double x : v.reals) list.push_back(json_of(x));
  return list.size() == 1 ? list[0] : list;
}

/// Of an array of that type, or (null) of something else.
json attributes_of(const attribute_list& list, const element_type* type) {
  json all = json::object();
  for (const attribute& a : list) {
    const attribute_value v = value_of(a, type != nullptr && is_of_elements(a.first));
    if (v.is_words())
      all[a.first] = a.second;
    else
      all[a.first] = type != nullptr && a.first == "_FillValue" ? fill_attribute_of(*type, v) : json_of(v);
  }
  return all;
}

attribute_value fill_in(const attribute_list& list) {
  for (const attribute& a : list)
    if (a.first == "_FillValue") return value_of(a, true);
  return {};
}

json bytes_codec(index_t element_bytes) {
  json codec{{"name", "bytes"}};
  const char* order = std::endian::native == std::endian::little ? "little" : "big";
  if (element_bytes > 1) codec["configuration"] = {{"endian", order}};
  return codec;
}

/// What is the same for all arrays; the shape's first extent is the number of steps, but in constant ones.
json array_json(const std::vector<index_t>& shape, const std::vector<index_t>& chunk, element_type type,
                const attribute_list& attributes) {
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape},
          {"data_type", name_of(type)},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunk}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "."}}}}},
          {"fill_value", fill_value_of(type, fill_in(attributes))},
          {"codecs", json::array({bytes_codec(bytes_of(type))})},
          {"attributes", attributes_of(attributes, &type)}};
}

json codec_json(const codec& c, index_t element_bytes) {
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
json codecs_json(const codec& c, index_t element_bytes) {
  json list = json::array();
  if (c.kind != codec_kind::zfp) list.push_back(bytes_codec(element_bytes));
  if (c.kind != codec_kind::none) list.push_back(codec_json(c, element_bytes));
  return list;
}

/// With what its arrays' own zarr.json say, as zarr-python has it, so that readers need not look into each folder.
json group_json(const attribute_list& attributes, const std::vector<header_file>& headers) {
  json arrays = json::object();
  for (const header_file& h : headers) {
    const std::filesystem::path path(h.path);
    if (path.filename() == "zarr.json") arrays[path.parent_path().filename().string()] = json::parse(h.constants);
  }
  return {{"zarr_format", 3},
          {"node_type", "group"},
          {"attributes", attributes_of(attributes, nullptr)},
          {"consolidated_metadata", {{"kind", "inline"}, {"must_understand", false}, {"metadata", arrays}}}};
}

/// ".0.0.0" and so on: what follows the step in the names of an array's chunks, C order.
std::vector<std::string> keys_of(const std::vector<index_t>& extents, const std::vector<index_t>& chunk) {
  std::vector<std::string> keys{""};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::vector<std::string> longer;
    for (const std::string& key : keys)
      for (index_t i = 0; i * chunk[d] < extents[d]; ++i) longer.push_back(text(key, ".", i));
    keys = std::move(longer);
  }
  return keys;
}

void add_array(file_plan& plan, const format_request& r, const dimension_table& dimensions, std::size_t which) {
  const output_array& a = r.arrays[which];
  const std::string folder = text(r.path, ".zarr/", a.name, "/");
  const bool is_compressed = r.codecs[which].kind != codec_kind::none;
  const std::vector<index_t>& part = is_compressed ? r.chunks[which] : a.extents;
  std::vector<index_t> shape{0}, chunk{1};
  json names = json::array({"time"});
  for (std::size_t d = 0; d < a.extents.size(); ++d) {
    shape.push_back(a.extents[d]), chunk.push_back(part[d]);
    names.push_back(dimensions.all[dimensions.of_array[which][d]].name);
  }
  json meta = array_json(shape, chunk, a.type, a.attributes);
  meta["codecs"] = codecs_json(r.codecs[which], bytes_of(a.type));
  meta["dimension_names"] = names;
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
  json meta = array_json(a.extents, a.extents, a.type, a.attributes), names = json::array();
  for (const std::size_t d : dimensions.of_array[which]) names.push_back(dimensions.all[d].name);
  meta["dimension_names"] = names;
  plan.places.push_back({as_file_number(plan.files), 0, 0, {}});
  const std::string chunk = keys_of(a.extents, a.extents).front();
  plan.files.push_back({.before = folder + "c" + chunk, .after = "", .bytes = frame_bytes_of(a)});
  plan.headers.push_back({header_kind::fixed, folder + "zarr.json", meta.dump(2) + "\n"});
}

void add_times(file_plan& plan, const std::string& path, const output_axis* given) {
  const std::string folder = path + ".zarr/time/";
  json meta = array_json({0}, {static_cast<index_t>(zarr_times_per_chunk)}, element_type::float64,
                         given != nullptr ? given->attributes : attribute_list{});
  meta["dimension_names"] = {"time"};
  plan.headers.push_back({header_kind::zarr_times, folder + "c.", ""});
  plan.headers.push_back({header_kind::zarr, folder + "zarr.json", meta.dump()});
}

void add_axis(file_plan& plan, const std::string& path, const output_axis& x, bool is_scalar) {
  const std::string folder = text(path, ".zarr/", x.name, "/");
  const std::vector<index_t> shape(is_scalar ? 0 : 1, as_index(x.values.size()));
  json meta = array_json(shape, shape, element_type::float64, x.attributes);
  meta["dimension_names"] = is_scalar ? json::array() : json::array({x.name});
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
    add_times(plan, r.path, dimensions.time);  // before arrays have their steps
    for (std::size_t a = 0; a < r.arrays.size(); ++a)
      r.arrays[a].is_constant ? add_constant(plan, r, dimensions, a) : add_array(plan, r, dimensions, a);
    for (const dimension& d : dimensions.all)
      if (d.axis != nullptr) add_axis(plan, r.path, *d.axis, false);
    for (const output_axis* s : dimensions.scalars) add_axis(plan, r.path, *s, true);
    plan.headers.push_back(
        {header_kind::zarr, r.path + ".zarr/zarr.json", group_json(r.options.attributes, plan.headers).dump()});
    return plan;
  }
};

}  // namespace

const format& zarr_format() {
  static const zarr only;
  return only;
}

}  // namespace nearfar::output
