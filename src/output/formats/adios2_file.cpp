// SPDX-License-Identifier: BSD-3-Clause
// Variables, attributes and steps in the words of ADIOS2.
#include "formats/adios2_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "files.hpp"
#include "formats/adios2_library.hpp"
#include "formats/format.hpp"

namespace nearfar::output {

namespace {

using json = nlohmann::json;
using sizes = std::vector<std::size_t>;

sizes sizes_of(const std::vector<index_t>& extents) { return {extents.begin(), extents.end()}; }

/// Of several arrays and axes: {"p/units", "Pa"}, as ADIOS2's readers find the attributes of a variable.
void add_attributes(json& to, const std::string& whose,
                    const std::vector<std::pair<std::string, std::string>>& attributes) {
  for (const attribute& a : attributes) {
    const attribute_value v = value_of(a);
    json& value = to[whose.empty() ? a.first : whose + "/" + a.first];
    if (v.is_words())
      value = a.second;
    else
      v.integers.empty() ? value = v.reals : value = v.integers;
  }
}

}  // namespace

std::string adios2_description(const format_request& r) {
  const dimension_table dimensions(r.arrays, r.options.axes);
  json all{
      {"path", r.path + ".bp"}, {"arrays", json::array()}, {"axes", json::array()}, {"attributes", json::object()}};
  add_attributes(all["attributes"], "", r.options.attributes);
  for (std::size_t a = 0; a < r.arrays.size(); ++a) {
    const output_array& array = r.arrays[a];
    all["arrays"].push_back({{"name", array.name}, {"type", adios2_type(array.type)}, {"shape", array.extents}});
    add_attributes(all["attributes"], array.name, array.attributes);
    std::string names;
    for (const std::size_t d : dimensions.of_array[a]) names += (names.empty() ? "" : " ") + dimensions.all[d].name;
    all["attributes"][array.name + "/dimensions"] = names;
  }
  for (const output_axis& x : r.options.axes) {
    if (x.name != "time") all["axes"].push_back({{"name", x.name}, {"values", x.values}});
    add_attributes(all["attributes"], x.name, x.attributes);
  }
  return all.dump();
}

struct adios2_file::contents {
  json what;
  std::string path;
  const adios2_calls& calls = adios2_found();
  void *adios = nullptr, *engine = nullptr, *time = nullptr;
  std::vector<void*> arrays, axes;
  index_t frame = 0;
  bool is_broken = false;

  explicit contents(const std::string& description) : what(json::parse(description)), path(what["path"]) {
    if (!calls.is_whole)
      throw io_error(text(path, " cannot be written here: ADIOS2's libadios2_c.so is not found (NEARFAR_ADIOS2)"));
  }
  ~contents() {
    if (is_broken || engine == nullptr) return;
    calls.close(engine);
    calls.finalize(adios);
  }
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;

  [[noreturn]] void refuse(const std::string& why) {
    is_broken = true;
    throw io_error(
        text("step ", frame, " of ", path, " cannot be written: ", why, "; the ", frame, " steps before it are whole"));
  }
  void check(int status, const char* call) {
    if (status != 0) refuse(text("ADIOS2's ", call, " says ", status));
  }
  void* check(void* handle, const char* call) {
    if (handle == nullptr) refuse(text("ADIOS2's ", call, " gives nothing"));
    return handle;
  }

  void open();
  void define_attributes(void* io);
  void put_axes();
};

void adios2_file::contents::define_attributes(void* io) {
  for (const auto& [name, value] : what["attributes"].items()) {
    if (value.is_string()) {
      const std::string words = value;
      check(calls.define_attribute(io, name.c_str(), adios2_string, words.c_str()), "define_attribute");
      continue;
    }
    const auto define = [&](int type, const auto& numbers) {
      if (numbers.size() == 1)
        check(calls.define_attribute(io, name.c_str(), type, numbers.data()), "define_attribute");
      else
        check(calls.define_attribute_array(io, name.c_str(), type, numbers.data(), numbers.size()),
              "define_attribute_array");
    };
    if (value[0].is_number_integer())
      define(adios2_type(element_type::int64), value.get<std::vector<std::int64_t>>());
    else
      define(adios2_double, value.get<std::vector<double>>());
  }
}

// Steps that the file has and the journal has not are overwritten.
void adios2_file::contents::open() {
  if (frame > 0 && !std::filesystem::exists(path)) refuse("it is not there, but the journal has steps of it");
  adios = check(calls.init(), "init");
  void* io = check(calls.declare_io(adios, "nearfar"), "declare_io");
  check(calls.set_engine(io, "BP5"), "set_engine");
  check(calls.set_parameter(io, "AsyncWrite", "Off"), "set_parameter");  // who writes does nothing else
  if (frame > 0) check(calls.set_parameter(io, "AppendAfterSteps", text(frame).c_str()), "set_parameter");
  time = check(calls.define_variable(io, "time", adios2_double, 0, nullptr, nullptr, nullptr, 1), "define_variable");
  for (const json& a : what["arrays"]) {
    const std::string name = a["name"];
    const sizes shape = sizes_of(a["shape"]), none(shape.size(), 0);
    arrays.push_back(check(
        calls.define_variable(io, name.c_str(), a["type"], shape.size(), shape.data(), none.data(), shape.data(), 0),
        "define_variable"));
  }
  for (const json& x : what["axes"]) {
    const std::string name = x["name"];
    const sizes shape{x["values"].size()}, none{0};
    axes.push_back(
        check(calls.define_variable(io, name.c_str(), adios2_double, 1, shape.data(), none.data(), shape.data(), 1),
              "define_variable"));
  }
  define_attributes(io);
  engine = check(calls.open(io, path.c_str(), frame > 0 ? adios2_mode_append : adios2_mode_write), "open");
}

void adios2_file::contents::put_axes() {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::vector<double> values = what["axes"][i]["values"];
    check(calls.put(engine, axes[i], values.data(), adios2_mode_sync), "put");
  }
}

adios2_file::adios2_file(const std::string& description) : is_(std::make_unique<contents>(description)) {}
adios2_file::~adios2_file() = default;
adios2_file::adios2_file(adios2_file&&) noexcept = default;
adios2_file& adios2_file::operator=(adios2_file&&) noexcept = default;

void adios2_file::begin(index_t frame, double time) {
  if (is_->is_broken) is_->refuse("a step before could not be written");
  is_->frame = frame;
  if (is_->engine == nullptr) is_->open();
  int status = 0;
  is_->check(is_->calls.begin_step(is_->engine, adios2_step_append, -1, &status), "begin_step");
  is_->check(is_->calls.put(is_->engine, is_->time, &time, adios2_mode_sync), "put");
  if (frame == 0) is_->put_axes();
}

void adios2_file::put(const brick& b, const std::byte* data) {
  sizes start, count;
  for (int d = 0; d < b.where.dimensions; ++d) {
    start.push_back(as_size(b.where.lower[as_size(d)]));
    count.push_back(as_size(b.where.extent(d)));
  }
  void* array = is_->arrays[as_size(b.array)];
  is_->check(is_->calls.set_selection(array, start.size(), start.data(), count.data()), "set_selection");
  is_->check(is_->calls.put(is_->engine, array, data, adios2_mode_sync), "put");
}

void adios2_file::end(bool is_synced) {
  is_->check(is_->calls.end_step(is_->engine), "end_step");
  if (!is_synced) return;
  // A BP file is a folder; the library leaves it to the system when its files reach the disk.
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(is_->path, problem)) {
    const descriptor file = open_file(entry.path().string(), O_RDONLY);
    if (fdatasync(file.get()) != 0 && errno != EINVAL)
      is_->refuse(text(entry.path().string(), ": ", std::strerror(errno)));
  }
  if (problem) is_->refuse(problem.message());
}

}  // namespace nearfar::output
