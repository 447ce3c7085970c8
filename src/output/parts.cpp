// SPDX-License-Identifier: BSD-3-Clause
// JSON of files, arrays and boxes, written and read. What is read may be damaged: every number is checked before it is
// used as a size or place.
#include "parts.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace nearfar::output {

namespace {

using json = nlohmann::ordered_json;

constexpr int part_kinds = static_cast<int>(output_part::types) + 1, most_digits = 20;
constexpr std::size_t most_shown = 40;
constexpr index_t most_bytes = index_t{1} << 55, most_offset = index_t{1} << 60;

// ---- to JSON ----

json json_of(const box& b) {
  json lower = json::array(), upper = json::array();
  for (std::size_t d = 0; d < as_size(b.dimensions); ++d) lower.push_back(b.lower[d]), upper.push_back(b.upper[d]);
  return {{"lower", lower}, {"upper", upper}};
}

json json_of_files(const std::string& path, const writer_plan& plan) {
  json files = json::array();
  for (const stream_file& f : plan.files.files)
    files.push_back({{"before", f.before.substr(path.size())},  // so that all may be moved together
                     {"after", f.after},
                     {"digits", f.digits},
                     {"is_per_step", f.is_per_step},
                     {"bytes", f.bytes}});
  return files;
}

json json_of_headers(const std::string& path, const writer_plan& plan) {
  json headers = json::array();
  for (const header_file& h : plan.files.headers)
    headers.push_back({{"name", h.path.substr(path.size())}, {"is_numbered", h.kind == header_kind::zarr_times}});
  return headers;
}

bool has_parts(const writer_plan& plan) noexcept { return plan.layout.table_bytes == 0 && plan.files.adios2.empty(); }

/// Attributes may be of any letters.
void write_parts(const std::string& path, const writer_plan& plan, const json& arrays, const json& writers) {
  const std::string format(plan.format.begin(), std::find(plan.format.begin(), plan.format.end(), '\0'));
  json all{{"format", format}, {"files", json_of_files(path, plan)}, {"headers", json_of_headers(path, plan)}};
  all["layout"] = plan.files.layout;
  if (!plan.files.adios2.empty()) all["folder"] = ".bp";
  all["arrays"] = arrays, all["writers"] = writers;
  replace_file(parts_path(path), all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", plan.is_synced);
  if (plan.is_synced) sync_folder_of(parts_path(path));
}

/// What readers are told besides the places.
void describe(json& one, const output_array& a) {
  json attributes = json::array();
  for (const auto& [key, value] : a.attributes) attributes.push_back({key, value});
  one["type"] = name_of(a.type);
  one["attributes"] = attributes;
  one["dimensions"] = a.dimensions;
  one["compression"] = a.compression;
  one["part"] = static_cast<int>(a.part);
}

json json_of_arrays(const writer_plan& plan, const std::vector<output_array>& arrays) {
  json list = json::array();
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const array_shape& shape = plan.layout.arrays[a];
    const array_place& p = plan.files.places[a];
    json one{{"name", arrays[a].name},
             {"extents", shape.extents},
             {"bytes", shape.element_bytes},
             {"is_constant", shape.is_constant},
             {"file", p.file},
             {"offset", p.offset},
             {"stride", p.stride}};
    if (plan.codecs[a].kind != codec_kind::none)
      one["chunk"] = std::vector<index_t>(p.chunk.begin(), p.chunk.begin() + as_index(shape.extents.size()));
    describe(one, arrays[a]);
    list.push_back(one);
  }
  return list;
}

json json_of(const noted_parts::entry& e) {
  json list = json::array();
  for (const auto& bricks : e.writers) {
    json parts = json::array();
    for (const brick& b : bricks) {
      json part{{"array", b.array}};
      part.update(json_of(b.where));
      parts.push_back(part);
    }
    list.push_back(parts);
  }
  return {{"from_step", e.from_step}, {"parts", list}};
}

// ---- from JSON ----

void require(bool ok, const std::string& complaint) {
  if (!ok) throw io_error(complaint);
}

/// A whole number that `T` has; else JSON's numbers would be cut to it.
template <class T>
T number_of(const json& n, const char* what) {
  const bool is_whole = n.is_number_unsigned()
                            ? n.get<std::uint64_t>() <= std::numeric_limits<T>::max()
                            : n.is_number_integer() && n.get<index_t>() >= std::numeric_limits<T>::min() &&
                                  n.get<index_t>() <= std::numeric_limits<T>::max();
  require(is_whole,
          text("'", what, "' is ", n.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, most_shown)));
  return n.get<T>();
}

template <class T = index_t>
T number_at(const json& of, const char* key) {
  return number_of<T>(of.at(key), key);
}

std::vector<index_t> numbers_at(const json& of, const char* key) {
  const json& list = of.at(key);
  require(list.is_array() && list.size() <= max_dimensions, text("'", key, "' is no list of 1 to 4 numbers"));
  std::vector<index_t> numbers;
  for (const json& n : list) numbers.push_back(number_of<index_t>(n, key));
  return numbers;
}

/// A part of a file's name.
std::string name_at(const json& of, const char* key) {
  std::string name = of.at(key).get<std::string>();
  require(name.find('\0') == std::string::npos, text("'", key, "' has a zero"));
  return name;
}

stream_file file_of(const std::string& path, const json& f) {
  stream_file made{.before = path + name_at(f, "before"),
                   .after = name_at(f, "after"),
                   .digits = number_at<int>(f, "digits"),
                   .is_per_step = f.at("is_per_step").get<bool>(),
                   .bytes = f.contains("bytes") ? number_at(f, "bytes") : 0};
  require(made.digits >= 0 && made.digits <= most_digits, text("a number of a file has ", made.digits, " digits"));
  require(made.bytes >= 0 && made.bytes <= most_offset, text("a file has ", made.bytes, " bytes"));
  return made;
}

header_file header_of(const std::string& path, const json& h) {
  const bool is_numbered = h.at("is_numbered").get<bool>();
  return {is_numbered ? header_kind::zarr_times : header_kind::fixed, path + name_at(h, "name"), ""};
}

element_type type_named(const std::string& name) {
  for (int type = static_cast<int>(element_type::int8); type <= static_cast<int>(element_type::complex128); ++type)
    if (name == name_of(static_cast<element_type>(type))) return static_cast<element_type>(type);
  throw io_error(text("there is no type '", name, "'"));
}

output_array array_of(const json& a) {
  output_array made{.name = a.at("name").get<std::string>(), .extents = numbers_at(a, "extents")};
  made.is_constant = a.at("is_constant").get<bool>();
  if (!a.contains("type")) return made;
  made.type = type_named(a.at("type").get<std::string>());
  for (const json& pair : a.at("attributes"))
    made.attributes.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  made.dimensions = a.at("dimensions").get<std::vector<std::string>>();
  made.compression = a.at("compression").get<std::string>();
  const int part = number_at<int>(a, "part");
  require(part >= 0 && part < part_kinds, text("there is no part ", part));
  made.part = static_cast<output_part>(part);
  return made;
}

array_shape shape_of(const json& a, const output_array& array, bool has_types) {
  array_shape shape{array.extents, number_at(a, "bytes"), false, array.is_constant};
  const auto dimensions = shape.extents.size();
  require(dimensions >= 1 && dimensions <= max_dimensions, text(array.name, " has ", dimensions, " dimensions"));
  require(shape.element_bytes >= 1 && shape.element_bytes <= 16 &&
              (!has_types || shape.element_bytes == bytes_of(array.type)),
          text("elements of ", array.name, " have ", shape.element_bytes, " bytes"));
  index_t bytes = shape.element_bytes;
  for (const index_t e : shape.extents)
    require(e >= 1 && !__builtin_mul_overflow(bytes, e, &bytes) && bytes <= most_bytes,
            text(array.name, " has an extent ", e));
  return shape;
}

/// Chunks of an array, of which each has a file.
index_t chunks_of(const array_shape& shape, const array_place& p) {
  index_t count = 1;
  for (std::size_t d = 0; d < shape.extents.size(); ++d) {
    const index_t chunk = p.chunk.at(d);
    require(chunk >= 1 && chunk <= shape.extents[d], text("a chunk has an extent ", chunk));
    count *= (shape.extents[d] + chunk - 1) / chunk;  // of at most most_bytes in all
  }
  return count;
}

array_place place_of(const json& a, const array_shape& shape, std::size_t files) {
  array_place p{.file = number_at<int>(a, "file"), .offset = number_at(a, "offset"), .stride = number_at(a, "stride")};
  const auto chunk = a.contains("chunk") ? numbers_at(a, "chunk") : std::vector<index_t>();
  require(chunk.empty() || chunk.size() == shape.extents.size(), "a chunk has other dimensions than its array");
  std::copy(chunk.begin(), chunk.end(), p.chunk.begin());
  require(p.offset >= 0 && p.offset <= most_offset && p.stride >= 0 && p.stride <= most_bytes,
          text("an array lies at ", p.offset, " and ", p.stride, " behind that"));
  const index_t of_array = chunk.empty() ? 1 : chunks_of(shape, p);
  require(p.file >= 0 && of_array <= as_index(files) - p.file, text("there is no file ", p.file, " of an array"));
  return p;
}

brick brick_of(const json& j, const std::vector<array_shape>& arrays) {
  brick b{.array = number_at<int>(j, "array"), .where = {}};
  require(b.array >= 0 && b.array < static_cast<int>(arrays.size()), text("there is no array ", b.array));
  const auto lower = numbers_at(j, "lower"), upper = numbers_at(j, "upper");
  const auto& extents = arrays[as_size(b.array)].extents;
  require(lower.size() == extents.size() && upper.size() == extents.size(),
          "a part has other dimensions than its array");
  b.where.dimensions = static_cast<int>(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    require(lower[d] >= 0 && lower[d] <= upper[d] && upper[d] <= extents[d],
            text("a part is from ", lower[d], " to ", upper[d], " of an array of extent ", extents[d]));
    b.where.lower.at(d) = lower[d], b.where.upper.at(d) = upper[d];
  }
  return b;
}

/// Each element of each array is written by one writer: what is read of a step is no more than the step.
void require_cover_once(const noted_parts::entry& e, const writer_plan& plan) {
  std::vector<index_t> left;
  for (const array_shape& a : plan.layout.arrays) left.push_back(whole_of(a).cells());
  for (const auto& bricks : e.writers)
    for (const brick& b : bricks) {
      index_t& rest = left[as_size(b.array)];
      require(b.where.cells() <= rest, text("the parts of array ", b.array, " are more than the array"));
      rest -= b.where.cells();
    }
  for (std::size_t a = 0; a < left.size(); ++a)
    require(left[a] == 0, text("the parts of array ", a, " lack ", left[a], " of its elements"));
}

noted_parts::entry entry_of(const json& j, const writer_plan& plan) {
  noted_parts::entry e{.from_step = number_at(j, "from_step")};
  require(e.from_step >= 0, text("parts are of step ", e.from_step, " on"));
  for (const json& parts : j.at("parts")) {
    e.writers.emplace_back();
    for (const json& p : parts) e.writers.back().push_back(brick_of(p, plan.layout.arrays));
  }
  require_cover_once(e, plan);
  return e;
}

noted_parts parts_of_json(const std::string& path, const json& all) {
  noted_parts made;
  made.format = all.value("format", "");
  made.plan.files.layout = all.contains("layout") ? number_at<int>(all, "layout") : 0;
  for (const json& f : all.at("files")) made.plan.files.files.push_back(file_of(path, f));
  if (all.contains("headers"))
    for (const json& h : all.at("headers")) made.headers.push_back(header_of(path, h));
  if (all.contains("folder")) made.folder = path + name_at(all, "folder");
  made.has_types = !all.at("arrays").empty();
  for (const json& a : all.at("arrays")) made.has_types = made.has_types && a.contains("type");
  for (const json& a : all.at("arrays")) {
    made.arrays.push_back(array_of(a));
    made.plan.layout.arrays.push_back(shape_of(a, made.arrays.back(), made.has_types));
    made.plan.files.places.push_back(place_of(a, made.plan.layout.arrays.back(), made.plan.files.files.size()));
    // Whichever it is: the sums are of bytes as the files have them.
    made.plan.codecs.push_back({.kind = a.contains("chunk") ? codec_kind::zstd : codec_kind::none});
  }
  for (const json& e : all.at("writers")) made.entries.push_back(entry_of(e, made.plan));
  return made;
}

}  // namespace

bool operator==(const noted_parts::entry& a, const noted_parts::entry& b) {
  const auto is_same = [](const brick& x, const brick& y) { return x.array == y.array && x.where == y.where; };
  return a.from_step == b.from_step && std::equal(a.writers.begin(), a.writers.end(), b.writers.begin(),
                                                  b.writers.end(), [&](const auto& x, const auto& y) {
                                                    return std::equal(x.begin(), x.end(), y.begin(), y.end(), is_same);
                                                  });
}

const noted_parts::entry* noted_parts::of_step(index_t step) const noexcept {
  const entry* latest = nullptr;
  for (const entry& e : entries)
    if (e.from_step <= step) latest = &e;
  return latest;
}

std::string parts_path(const std::string& path) { return path + ".parts.json"; }

std::string text_of_parts(const std::string& path) { return bytes_of_own_file(parts_path(path), false); }

noted_parts parts_of_text(const std::string& path, const std::string& words) {
  try {
    return parts_of_json(path, json::parse(words));
  } catch (const json::exception& e) {
    throw io_error(text(parts_path(path), " cannot be understood: ", e.what()));
  } catch (const io_error& e) {
    throw io_error(text(parts_path(path), " cannot be understood: ", e.what()));
  }
}

std::optional<noted_parts> read_parts(const std::string& path) {
  const std::string words = text_of_parts(path);
  if (words.empty() && !std::filesystem::exists(parts_path(path))) return {};
  return parts_of_text(path, words);
}

int layout_of_stream(const std::string& path) {
  if (read_journal(journal_path(path), false).steps() == 0) return newest_layout;
  const auto noted = read_parts(path);
  const int layout = noted ? noted->plan.files.layout : 0;
  if (layout < 0 || layout > newest_layout)
    throw io_error(text(path, " has the layout ", layout, ", of another version of the library; 0 to ", newest_layout,
                        " can be appended to, and output_opening::create replaces it"));
  return layout;
}

void note_files(const std::string& path, const writer_plan& plan) {
  write_parts(path, plan, json::array(), json::array());
}

void note_parts(const std::string& path, const writer_plan& plan, const std::vector<output_array>& arrays,
                const std::vector<std::vector<brick>>& writers) {
  if (!has_parts(plan)) return note_files(path, plan);
  std::vector<noted_parts::entry> entries;
  if (plan.first_step > 0)
    if (auto before = read_parts(path)) entries = std::move(before->entries);
  std::erase_if(entries, [&](const noted_parts::entry& e) { return e.from_step >= plan.first_step; });
  noted_parts::entry now{plan.first_step, writers};
  if (!entries.empty()) now.from_step = entries.back().from_step;  // to be compared
  if (entries.empty() || !(entries.back() == now)) entries.push_back({plan.first_step, std::move(now.writers)});
  json list = json::array();
  for (const auto& e : entries) list.push_back(json_of(e));
  write_parts(path, plan, json_of_arrays(plan, arrays), list);
}

std::uint64_t signature_of(const std::string& format, const std::vector<output_array>& arrays) {
  hash64 h;
  h.add(format);
  for (const output_array& a : arrays) {
    // From 0, as the Python package has the types.
    const auto type = static_cast<index_t>(a.type) - static_cast<index_t>(element_type::int8);
    h.add(a.name).add(a.compression).add(type).add(as_index(a.extents.size()));
    for (std::size_t d = a.is_varying ? 1 : 0; d < a.extents.size(); ++d) h.add(a.extents[d]);
    if (a.is_varying) h.add(index_t{-1});
    if (a.is_constant) h.add(index_t{-2});
    if (a.part != output_part::point_data) h.add(static_cast<index_t>(a.part));
  }
  return h.value();
}

void require_same_arrays(const std::string& path, const noted_parts& noted, const journal_contents& whole) {
  if (whole.steps() == 0 || !noted.has_types) return;
  const format_label& label = whole.records.front().format;
  const bool is_same = label == format_label{} || label == label_of(noted.format);
  if (!is_same || signature_of(noted.format, noted.arrays) != whole.signature)
    throw io_error(text(parts_path(path), " does not have the arrays that the journal is of: one of both is damaged"));
}

}  // namespace nearfar::output
