// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for ADIOS2's C library: writes what it is given as records into PATH/data.0, a line of words and the data
// behind it, for read_back.py. MOCK_ADIOS2_FAILS_AT=N: the end of step N says no, and a call after it ends the program,
// as nobody may rely on one. MOCK_ADIOS2_WAITS_FOR=FILE: steps end when that is there.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using sizes = std::vector<std::size_t>;

struct variable {
  std::string name;
  int type = 0;
  sizes shape, start, count;
};

struct library {
  std::vector<variable*> variables;
  std::vector<std::string> attributes;
  std::string keep_steps;
  std::ofstream file;
  std::string path;
  long step = -1;
  bool has_failed = false, is_in_step = false;
};
library* the = nullptr;

constexpr int mode_append = 3, mode_sync = 5;

/// What is wrong with how we are called ends the program.
void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "mock ADIOS2: %s\n", what);
  std::abort();
}

std::size_t bytes_of(int type) {
  const std::size_t bytes[] = {0, 4, 8, 8, 16, 1, 2, 4, 8};
  require(type >= 1 && type <= 8, "no such type");
  return bytes[type];
}

std::string words(const sizes& s) {
  std::ostringstream out;
  for (std::size_t i = 0; i < s.size(); ++i) out << (i > 0 ? "x" : "") << s[i];
  return s.empty() ? "-" : out.str();
}

/// The records of steps before `keep`, in a file of their own.
void keep_records(const std::string& path, long keep) {
  std::ifstream from(path, std::ios::binary);
  std::ostringstream kept;
  for (std::string line; std::getline(from, line);) {
    std::istringstream fields(line);
    std::string kind;
    long step = 0;
    std::size_t bytes = 0;
    fields >> kind >> step >> bytes;
    std::string data(bytes, '\0');
    from.read(data.data(), static_cast<std::streamsize>(bytes));
    if (step < keep) kept << line << '\n' << data;
  }
  from.close();
  std::ofstream(path, std::ios::binary | std::ios::trunc) << kept.str();
}

void record(const std::string& kind, long step, std::size_t bytes, const std::string& rest, const void* data) {
  the->file << kind << ' ' << step << ' ' << bytes << ' ' << rest << '\n';
  the->file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}

}  // namespace

extern "C" {

void* adios2_init_serial() {
  require(the == nullptr, "begun twice");
  return the = new library;
}

int adios2_finalize(void* adios) {
  require(adios == the && !the->has_failed, "called after an error");
  for (variable* v : the->variables) delete v;
  delete the;
  the = nullptr;
  return 0;
}

void* adios2_declare_io(void* adios, const char*) { return adios; }

int adios2_set_engine(void*, const char* name) { return std::string(name) == "BP5" ? 0 : 1; }

int adios2_set_parameter(void*, const char* key, const char* value) {
  if (std::string(key) == "AppendAfterSteps") the->keep_steps = value;
  return 0;
}

void* adios2_define_variable(void*, const char* name, int type, std::size_t dimensions, const std::size_t* shape,
                             const std::size_t* start, const std::size_t* count, int) {
  bytes_of(type);
  auto* v =
      new variable{name, type, {shape, shape + dimensions}, {start, start + dimensions}, {count, count + dimensions}};
  the->variables.push_back(v);
  return v;
}

void* adios2_define_attribute(void*, const char* name, int type, const void* value) {
  const std::string text =
      type == 0 ? static_cast<const char*>(value) : std::to_string(*static_cast<const double*>(value));
  the->attributes.push_back(std::string(name) + "=" + text);
  return the;
}

void* adios2_define_attribute_array(void*, const char* name, int, const void* values, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += std::to_string(static_cast<const double*>(values)[i]) + " ";
  the->attributes.push_back(std::string(name) + "=" + text);
  return the;
}

void* adios2_open(void*, const char* path, int mode) {
  std::filesystem::create_directories(path);
  the->path = std::string(path) + "/data.0";
  if (mode == mode_append) {
    require(!the->keep_steps.empty(), "appended without AppendAfterSteps");
    the->step = std::stol(the->keep_steps) - 1;
    keep_records(the->path, the->step + 1);
  }
  the->file.open(the->path, std::ios::binary | (mode == mode_append ? std::ios::app : std::ios::trunc));
  for (const std::string& a : the->attributes)
    if (mode != mode_append) record("attribute", 0, a.size(), "", a.data());
  return the->file ? the : nullptr;
}

int adios2_begin_step(void*, int, float, int* status) {
  require(!the->has_failed && !the->is_in_step, "a step begins where none can");
  the->is_in_step = true;
  ++the->step;
  *status = 0;
  return 0;
}

int adios2_set_selection(void* of, std::size_t dimensions, const std::size_t* start, const std::size_t* count) {
  auto* v = static_cast<variable*>(of);
  require(dimensions == v->shape.size(), "a selection of other dimensions");
  v->start.assign(start, start + dimensions), v->count.assign(count, count + dimensions);
  return 0;
}

int adios2_put(void*, void* of, const void* data, int mode) {
  require(!the->has_failed && the->is_in_step && mode == mode_sync, "data where or as none can be");
  const auto& v = *static_cast<variable*>(of);
  std::size_t bytes = bytes_of(v.type);
  for (std::size_t d = 0; d < v.shape.size(); ++d) {
    require(v.start[d] + v.count[d] <= v.shape[d], "a block outside of its variable");
    bytes *= v.count[d];
  }
  record("block", the->step, bytes,
         v.name + " " + std::to_string(v.type) + " " + words(v.shape) + " " + words(v.start) + " " + words(v.count),
         data);
  return 0;
}

int adios2_end_step(void*) {
  require(!the->has_failed && the->is_in_step, "a step ends that has not begun");
  the->is_in_step = false;
  if (const char* awaited = std::getenv("MOCK_ADIOS2_WAITS_FOR"))
    while (!std::filesystem::exists(awaited)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const char* fails = std::getenv("MOCK_ADIOS2_FAILS_AT");
  if (fails != nullptr && std::atol(fails) == the->step) {
    the->has_failed = true;
    the = nullptr;  // its owner must not touch it again, and nobody else does
    return 1;
  }
  record("end", the->step, 0, "", "");
  the->file.flush();
  return 0;
}

int adios2_close(void* engine) {
  require(engine == the && !the->has_failed, "closed after an error");
  the->file.close();
  return 0;
}

}  // extern "C"
