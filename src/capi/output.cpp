// SPDX-License-Identifier: BSD-3-Clause
// The C interface to output: writer ranks, streams, what is in the files.
#include <algorithm>
#include <memory>
#include <topology/agree.hpp>

#include "handles.hpp"

using namespace nearfar::capi;
using nearfar::index_t;
using nearfar::output_opening;
using nearfar::output_policy;
using nearfar::text;

namespace {

using attribute_list = std::vector<std::pair<std::string, std::string>>;

attribute_list attributes_of(const nearfar_output_attribute* list, int count, const std::string& whose) {
  require(count >= 0 && (list != nullptr || count == 0),
          text(whose, " has ", count, " attributes", list ? "" : ", at NULL"));
  attribute_list result;
  for (int i = 0; i < count; ++i) {
    require(list[i].key != nullptr && list[i].value != nullptr, text("attribute ", i, " of ", whose, " is NULL"));
    result.emplace_back(list[i].key, list[i].value);
  }
  return result;
}

nearfar::output_part part_of(nearfar_output_part part, const std::string& whose) {
  require(part >= NEARFAR_OUTPUT_PART_POINT_DATA && part <= NEARFAR_OUTPUT_PART_TYPES,
          text("there is no part ", static_cast<int>(part), " of a grid, as ", whose, " has it; there are 0 to ",
               static_cast<int>(NEARFAR_OUTPUT_PART_TYPES)));
  // Both lists have the same order.
  return static_cast<nearfar::output_part>(part);
}
static_assert(static_cast<int>(nearfar::output_part::cell_data) == NEARFAR_OUTPUT_PART_CELL_DATA);
static_assert(static_cast<int>(nearfar::output_part::points) == NEARFAR_OUTPUT_PART_POINTS);
static_assert(static_cast<int>(nearfar::output_part::types) == NEARFAR_OUTPUT_PART_TYPES);

nearfar::output_array array_of(const nearfar_output_array& from) {
  nearfar::output_array a;
  a.name = from.name ? from.name : "";
  require(
      from.dimensions >= 1 && from.dimensions <= NEARFAR_MAX_DIMENSIONS,
      text("array ", a.name, " has ", from.dimensions, " dimensions; 1 to ", NEARFAR_MAX_DIMENSIONS, " are possible"));
  require(from.extents != nullptr, text("the extents of array ", a.name, " are NULL"));
  a.type = type_of(from.type);
  a.extents.assign(from.extents, from.extents + from.dimensions);
  a.own.dimensions = from.dimensions;
  std::copy_n(from.own.lower, from.dimensions, a.own.lower.begin());
  std::copy_n(from.own.upper, from.dimensions, a.own.upper.begin());
  a.padding = ghosts_of(from.padding, from.dimensions);
  a.attributes = attributes_of(from.attributes, from.attribute_count, text("array ", a.name));
  for (int d = 0; from.dimension_names && d < from.dimensions; ++d) {
    require(from.dimension_names[d] != nullptr, text("the name of dimension ", d, " of array ", a.name, " is NULL"));
    a.dimensions.emplace_back(from.dimension_names[d]);
  }
  if (from.compression) a.compression = from.compression;
  a.is_varying = from.is_varying != 0, a.is_constant = from.is_constant != 0;
  a.part = part_of(from.part, text("array ", a.name));
  return a;
}

nearfar::output_axis axis_of(const nearfar_output_axis& from) {
  nearfar::output_axis axis;
  axis.name = from.name ? from.name : "";
  require(from.count >= 0 && (from.values != nullptr || from.count == 0),
          text("the axis ", axis.name, " has ", from.count, " values", from.values ? "" : ", at NULL"));
  if (from.values) axis.values.assign(from.values, from.values + from.count);
  axis.attributes = attributes_of(from.attributes, from.attribute_count, text("the axis ", axis.name));
  return axis;
}

output_policy policy_of(nearfar_output_policy policy) {
  switch (policy) {
    case NEARFAR_OUTPUT_POLICY_AUTOMATIC:
      return output_policy::automatic;
    case NEARFAR_OUTPUT_POLICY_SYNCHRONOUS:
      return output_policy::synchronous;
    case NEARFAR_OUTPUT_POLICY_THREAD:
      return output_policy::thread;
    case NEARFAR_OUTPUT_POLICY_WRITER:
      return output_policy::writer;
  }
  throw nearfar::usage_error(text("there is no output policy ", static_cast<int>(policy), "; there are 0 to 3"));
}

nearfar::output_durability durability_of(nearfar_output_durability durability) {
  require(durability == NEARFAR_OUTPUT_DURABILITY_STEP || durability == NEARFAR_OUTPUT_DURABILITY_NONE,
          text("there is no output durability ", static_cast<int>(durability), "; there are 0 and 1"));
  return durability == NEARFAR_OUTPUT_DURABILITY_STEP ? nearfar::output_durability::step
                                                      : nearfar::output_durability::none;
}

nearfar::output_options options_of(const nearfar_output_options* options) {
  nearfar::output_options o;
  const nearfar_output_options known = read_options(options), *const from = &known;
  o.policy = policy_of(from->policy);
  if (from->depth != 0) o.depth = from->depth;
  o.most_bytes = from->most_bytes;
  if (from->writers_per_node != 0) o.writers_per_node = from->writers_per_node;
  o.durability = durability_of(from->durability);
  const int opening = static_cast<int>(from->opening);
  require(opening >= NEARFAR_OUTPUT_OPENING_CREATE && opening <= NEARFAR_OUTPUT_OPENING_TAKE_TURNS,
          text("there is no output opening ", opening, "; there are 0 to 2"));
  o.opening = static_cast<output_opening>(opening);
  if (from->kept) o.kept = from->kept;
  o.expected_steps = from->expected_steps;
  o.direct = is_on(from->direct, o.direct);
  o.checksum = is_on(from->checksum, o.checksum);
  o.throttle_bytes_per_s = from->throttle_bytes_per_s;
  if (from->linger_s != 0) o.linger_s = std::max(from->linger_s, 0.0);
  if (from->writers) o.writers = &value_of(from->writers);
  if (from->format && *from->format) o.format = from->format;
  o.attributes = attributes_of(from->attributes, from->attribute_count, "the stream");
  require(from->axis_count >= 0 && (from->axes != nullptr || from->axis_count == 0),
          text("the stream has ", from->axis_count, " axes", from->axes ? "" : ", at NULL"));
  for (int i = 0; i < from->axis_count; ++i) o.axes.push_back(axis_of(from->axes[i]));
  if (from->compression) o.compression = from->compression;
  if (from->append_before) o.append_before = *from->append_before;
  o.verify = from->verify != 0;
  o.is_pinned = from->is_pinned != 0;
  return o;
}

nearfar::output_writers_options options_of(const nearfar_output_writers_options* options) {
  nearfar::output_writers_options o;
  const nearfar_output_writers_options known = read_options(options), *const from = &known;
  require(from->placement == NEARFAR_OUTPUT_PLACEMENT_NEAR || from->placement == NEARFAR_OUTPUT_PLACEMENT_FAR,
          text("there is no placement ", static_cast<int>(from->placement), " of writers; there are 0 and 1"));
  if (from->placement == NEARFAR_OUTPUT_PLACEMENT_FAR) o.placement = nearfar::output_placement::far;
  if (from->ranks_to_spare != 0) o.ranks_to_spare = from->ranks_to_spare;
  if (from->far_writers != 0) o.far_writers = from->far_writers;
  return o;
}

std::string name_of(const char* name) {
  require(name != nullptr, "the array's name is NULL");
  return name;
}

int flag_of(const nearfar_output_writers* writers, int (*query)(const nearfar::output_writers&)) {
  return guarded_value(-1, [&] { return query(value_of(writers)); });
}

nearfar_output_report report_of(const nearfar::output_report& r) {
  nearfar_output_report made{r.step, r.time, static_cast<nearfar_output_soundness>(r.state), {}};
  r.reason.copy(made.reason, sizeof made.reason - 1);
  return made;
}

/// What is known of the steps at a path, each as C has it, as far as there is room.
template <class Step, class Find, class Convert>
nearfar_status list_steps(const char* path, int64_t capacity, Step* steps, int64_t* count, Find find, Convert convert) {
  if (count) *count = 0;
  return guarded([&] {
    require_result(count, "count");
    require(path != nullptr, "the path of the stream is NULL");
    require(capacity == 0 || steps != nullptr, "the list for the steps is NULL");
    require(capacity >= 0, text("the capacity for steps is ", capacity, "; 0 is the least"));
    const auto found = find(path);
    *count = static_cast<int64_t>(found.size());
    for (std::size_t i = 0; i < found.size() && static_cast<int64_t>(i) < capacity; ++i) steps[i] = convert(found[i]);
  });
}

}  // namespace

extern "C" {

nearfar_status nearfar_output_writers_create(nearfar_team* all, const nearfar_output_writers_options* options,
                                             nearfar_output_writers** writers) {
  return making(writers, [&] {
    nearfar::output_writers_options wanted;
    make_over(
        all, writers, "writers", [&] { wanted = options_of(options); },
        [&](nearfar_output_writers& made) { made.value.emplace(all->value, wanted); });
  });
}

int nearfar_output_writers_is_writer(const nearfar_output_writers* writers) {
  return flag_of(writers, [](const nearfar::output_writers& c) { return c.is_writer() ? 1 : 0; });
}

int nearfar_output_writers_count(const nearfar_output_writers* writers) {
  return flag_of(writers, [](const nearfar::output_writers& c) { return c.count(); });
}

nearfar_team* nearfar_output_writers_computing(nearfar_output_writers* writers) {
  return guarded_value<nearfar_team*>(nullptr, [&] {
    const nearfar::team& members = value_of(writers).computing();
    if (!writers->computing) {
      writers->computing.reset(new nearfar_team{members});
      writers->computing->lender = writers;
    }
    return writers->computing.get();
  });
}

nearfar_status nearfar_output_writers_serve(nearfar_output_writers* writers) {
  return guarded([&] { value_of(writers).serve(); });
}

nearfar_status nearfar_output_create(nearfar_team* team, const char* path, int count,
                                     const nearfar_output_array* arrays, const nearfar_output_options* options,
                                     nearfar_output** stream) {
  return making(stream, [&] {
    std::vector<nearfar::output_array> list;
    nearfar::output_options wanted;
    make_over(
        team, stream, "stream",
        [&] {
          require(path != nullptr, "the path of the stream is NULL");
          require(count >= 0 && (arrays != nullptr || count == 0),
                  text("the list of arrays of ", path, " has ", count, " entries", arrays ? "" : ", at NULL"));
          for (int i = 0; i < count; ++i) list.push_back(array_of(arrays[i]));
          wanted = options_of(options);
        },
        [&](nearfar_output& made) { made.value.emplace(team->value, path, std::move(list), wanted); });
  });
}

nearfar_status nearfar_output_begin_step(nearfar_output* stream, double time, int64_t* step) {
  return guarded([&] {
    const index_t number = value_of(stream).begin_step(time);
    if (step) *step = number;
  });
}

nearfar_status nearfar_output_begin_varying_step(nearfar_output* stream, double time, int count, const int64_t* rows,
                                                 int64_t* step) {
  return guarded([&] {
    nearfar::output_stream& s = value_of(stream);
    // No rows are refused by all ranks together, where arrays vary.
    std::vector<index_t> mine;
    if (rows != nullptr && count > 0) mine.assign(rows, rows + count);
    const index_t number = s.begin_step(time, mine);
    if (step) *step = number;
  });
}

nearfar_status nearfar_output_put(nearfar_output* stream, const char* name, const void* data) {
  return guarded([&] { value_of(stream).put(name_of(name), data); });
}

nearfar_status nearfar_output_put_strided(nearfar_output* stream, const char* name, const void* data,
                                          const int64_t strides_bytes[NEARFAR_MAX_DIMENSIONS]) {
  return guarded([&] {
    nearfar::output_stream& s = value_of(stream);
    require(strides_bytes != nullptr, "the list of strides is NULL");
    std::array<index_t, nearfar::max_dimensions> strides{};
    std::copy_n(strides_bytes, NEARFAR_MAX_DIMENSIONS, strides.begin());
    s.put(name_of(name), data, strides);
  });
}

nearfar_status nearfar_output_slot_of(nearfar_output* stream, const char* name, nearfar_output_slot* slot) {
  if (slot) *slot = {};
  return guarded([&] {
    nearfar::output_stream& s = value_of(stream);
    require_result(slot, "slot");
    const nearfar::output_slot found = s.slot(name_of(name));
    slot->data = found.data;
    std::copy(found.strides_bytes.begin(), found.strides_bytes.end(), slot->strides_bytes);
  });
}

nearfar_status nearfar_output_end_step(nearfar_output* stream) {
  return guarded([&] { value_of(stream).end_step(); });
}

nearfar_status nearfar_output_flush(nearfar_output* stream) {
  return guarded([&] { value_of(stream).flush(); });
}

nearfar_status nearfar_output_close(nearfar_output* stream) {
  return guarded([&] { value_of(stream).close(); });
}

int64_t nearfar_output_steps(const nearfar_output* stream) {
  return guarded_value<int64_t>(-1, [&] { return value_of(stream).steps(); });
}

int64_t nearfar_output_written_steps(const nearfar_output* stream) {
  return guarded_value<int64_t>(-1, [&] { return value_of(stream).written_steps(); });
}

const nearfar_output_format* nearfar_output_formats(int* count) {
  static const auto names = nearfar::output_formats();
  static const auto table = [] {
    std::vector<nearfar_output_format> list;
    for (const auto& [name, description] : names) list.push_back({name.c_str(), description.c_str()});
    return list;
  }();
  if (count) *count = static_cast<int>(table.size());
  return table.data();
}

nearfar_status nearfar_output_steps_at(const char* path, int64_t capacity, nearfar_output_step* steps, int64_t* count) {
  return list_steps(path, capacity, steps, count, nearfar::output_steps_at, [](const nearfar::output_step& s) {
    return nearfar_output_step{s.step, s.time};
  });
}

nearfar_status nearfar_output_verify(const char* path, int64_t capacity, nearfar_output_report* reports,
                                     int64_t* count) {
  return list_steps(path, capacity, reports, count, nearfar::verify_output, report_of);
}

}  // extern "C"
