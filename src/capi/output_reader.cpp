// SPDX-License-Identifier: BSD-3-Clause
// The C interface to reading output back.
#include <algorithm>
#include <memory>
#include <topology/agree.hpp>

#include "handles.hpp"

using namespace nearfar::capi;
using nearfar::index_t;
using nearfar::text;

namespace {

nearfar::output_reader_options options_of(const nearfar_output_reader_options* options) {
  nearfar::output_reader_options o;
  const nearfar_output_reader_options known = read_options(options), *const from = &known;
  if (from->stride != 0) o.stride = from->stride;
  o.reads_ahead = is_on(from->reads_ahead, o.reads_ahead);
  if (from->depth != 0) o.depth = from->depth;
  o.most_bytes = from->most_bytes;
  o.checksum = is_on(from->checksum, o.checksum);
  return o;
}

std::string name_of(const char* name) {
  require(name != nullptr, "the array's name is NULL");
  return name;
}

/// An empty box of zeros has as many dimensions as any other.
nearfar::output_selection selection_of(const nearfar_output_selection& from, const nearfar::output_reader& reader) {
  nearfar::output_selection s{.name = name_of(from.name)};
  s.wanted.dimensions = NEARFAR_MAX_DIMENSIONS;
  for (const nearfar::output_array& a : reader.arrays())
    if (a.name == s.name) s.wanted.dimensions = static_cast<int>(a.extents.size());
  std::copy_n(from.wanted.lower, s.wanted.dimensions, s.wanted.lower.begin());
  std::copy_n(from.wanted.upper, s.wanted.dimensions, s.wanted.upper.begin());
  s.padding = ghosts_of(from.padding, s.wanted.dimensions);
  return s;
}

void describe(const nearfar::output_array& from, nearfar_output_reader::public_array& to) {
  for (const auto& [key, value] : from.attributes) to.attributes.push_back({key.c_str(), value.c_str()});
  for (const std::string& name : from.dimensions) to.dimension_names.push_back(name.c_str());
  to.array.name = from.name.c_str();
  to.array.type = static_cast<nearfar_element_type>(from.type);
  to.array.dimensions = static_cast<int>(from.extents.size());
  to.array.extents = from.extents.data();
  to.array.attribute_count = static_cast<int>(to.attributes.size());
  to.array.attributes = to.attributes.data();
  to.array.dimension_names = to.dimension_names.empty() ? nullptr : to.dimension_names.data();
  to.array.compression = from.compression.c_str();
  to.array.part = static_cast<nearfar_output_part>(from.part);
  to.array.is_constant = from.is_constant ? 1 : 0;
}

}  // namespace

extern "C" {

nearfar_status nearfar_output_reader_create(nearfar_team* team, const char* path,
                                            const nearfar_output_reader_options* options,
                                            nearfar_output_reader** reader) {
  return making(reader, [&] {
    nearfar::output_reader_options wanted;
    make_over(
        team, reader, "reader",
        [&] {
          require(path != nullptr, "the path of the stream is NULL");
          wanted = options_of(options);
        },
        [&](nearfar_output_reader& made) {
          made.value.emplace(team->value, path, wanted);
          const auto& arrays = made.value->arrays();
          made.arrays.resize(arrays.size());
          for (std::size_t a = 0; a < arrays.size(); ++a) describe(arrays[a], made.arrays[a]);
        });
  });
}

nearfar_status nearfar_output_reader_steps(nearfar_output_reader* reader, int64_t capacity, nearfar_output_step* steps,
                                           int64_t* count) {
  if (count) *count = 0;
  return guarded([&] {
    const auto& found = value_of(reader).steps();
    require_result(count, "count");
    require(capacity >= 0 && (capacity == 0 || steps != nullptr),
            text("the list for ", capacity, " steps is NULL, or shorter than nothing"));
    *count = static_cast<int64_t>(found.size());
    for (std::size_t i = 0; i < found.size() && static_cast<int64_t>(i) < capacity; ++i)
      steps[i] = {found[i].step, found[i].time};
  });
}

int nearfar_output_reader_arrays(const nearfar_output_reader* reader) {
  return guarded_value(-1, [&] {
    value_of(reader);
    return static_cast<int>(reader->arrays.size());
  });
}

nearfar_status nearfar_output_reader_array(nearfar_output_reader* reader, int number, nearfar_output_array* array) {
  if (array) *array = {};
  return guarded([&] {
    value_of(reader);
    require_result(array, "array");
    require(number >= 0 && number < static_cast<int>(reader->arrays.size()),
            text("there is no array number ", number, "; there are 0 to ", reader->arrays.size() - 1));
    *array = reader->arrays[static_cast<std::size_t>(number)].array;
  });
}

nearfar_status nearfar_output_reader_select(nearfar_output_reader* reader, int count,
                                            const nearfar_output_selection* selections) {
  return guarded([&] {
    nearfar::output_reader& r = value_of(reader);
    std::vector<nearfar::output_selection> wanted;
    nearfar::agree(reader->owner->value, [&] {
      require(count >= 0 && (selections != nullptr || count == 0),
              text("the list of selections has ", count, " entries", selections ? "" : ", at NULL"));
      for (int i = 0; i < count; ++i) wanted.push_back(selection_of(selections[i], r));
    });
    r.select(std::move(wanted));
  });
}

nearfar_status nearfar_output_reader_begin_step(nearfar_output_reader* reader, int64_t step, double* time) {
  return guarded([&] {
    const double found = value_of(reader).begin_step(step);
    if (time) *time = found;
  });
}

nearfar_status nearfar_output_reader_get(nearfar_output_reader* reader, const char* name, void* data) {
  return guarded([&] { value_of(reader).get(name_of(name), data); });
}

nearfar_status nearfar_output_reader_get_strided(nearfar_output_reader* reader, const char* name, void* data,
                                                 const int64_t strides_bytes[NEARFAR_MAX_DIMENSIONS]) {
  return guarded([&] {
    nearfar::output_reader& r = value_of(reader);
    require(strides_bytes != nullptr, "the list of strides is NULL");
    std::array<index_t, nearfar::max_dimensions> strides{};
    std::copy_n(strides_bytes, NEARFAR_MAX_DIMENSIONS, strides.begin());
    r.get(name_of(name), data, strides);
  });
}

nearfar_status nearfar_output_reader_slot_of(nearfar_output_reader* reader, const char* name,
                                             nearfar_output_slot* slot) {
  if (slot) *slot = {};
  return guarded([&] {
    nearfar::output_reader& r = value_of(reader);
    require_result(slot, "slot");
    const nearfar::output_slot found = r.slot(name_of(name));
    slot->data = found.data;
    std::copy(found.strides_bytes.begin(), found.strides_bytes.end(), slot->strides_bytes);
  });
}

nearfar_status nearfar_output_reader_end_step(nearfar_output_reader* reader) {
  return guarded([&] { value_of(reader).end_step(); });
}

}  // extern "C"
