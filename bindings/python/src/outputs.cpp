// SPDX-License-Identifier: BSD-3-Clause
// Output streams and their reader.
#include "bind.hpp"

namespace nearfar_python {
namespace {

using numbers = std::vector<std::int64_t>;
using words = std::vector<std::pair<std::string, std::string>>;
using some_text = std::optional<std::string>;

std::vector<nearfar_output_attribute> attributes_of(const words& from) {
  std::vector<nearfar_output_attribute> to;
  for (const auto& [key, value] : from) to.push_back({key.c_str(), value.c_str()});
  return to;
}

/// Name, type, extents, own box, padding, attributes, names of dimensions, compression, varying, part, constant.
using array = std::tuple<std::string, int, numbers, box, widths, words, std::optional<std::vector<std::string>>,
                         some_text, bool, int, bool>;

/// nearfar_output_arrays and what they refer to.
class held_arrays {
 public:
  explicit held_arrays(const std::vector<array>& from) {
    attributes_.reserve(from.size());
    names_.reserve(from.size());
    for (const auto& [name, type, extents, own, padding, attributes, dimension_names, compression, varying, part,
                      constant] : from) {
      const auto& held = attributes_.emplace_back(attributes_of(attributes));
      auto& names = names_.emplace_back();
      for (const std::string& n : dimension_names.value_or(std::vector<std::string>()))
        names.push_back(nullptr), (void)n;
      for (std::size_t d = 0; d < names.size(); ++d) names[d] = (*dimension_names)[d].c_str();
      nearfar_output_array to{};
      to.name = name.c_str();
      to.type = static_cast<nearfar_element_type>(type);
      to.dimensions = static_cast<int>(extents.size());
      to.extents = extents.data();
      to.own = box_of(own);
      to.padding = pairs_or_null(padding);
      to.attribute_count = static_cast<int>(held.size());
      to.attributes = held.data();
      to.dimension_names = names.empty() ? nullptr : names.data();
      to.compression = text_or_null(compression);
      to.is_varying = varying;
      to.part = static_cast<nearfar_output_part>(part);
      to.is_constant = constant;
      all.push_back(to);
    }
  }
  std::vector<nearfar_output_array> all;

 private:
  std::vector<std::vector<nearfar_output_attribute>> attributes_;
  std::vector<std::vector<const char*>> names_;
};

/// Name, values, attributes.
using axis = std::tuple<std::string, std::vector<double>, words>;

address create(address team, const std::string& path, const std::vector<array>& arrays, const nb::dict& from,
               const some_text& format, const some_text& compression, const some_text& kept, const words& attributes,
               const std::vector<axis>& axes, std::optional<double> append_before, address writers) {
  const held_arrays held(arrays);
  const auto of_all = attributes_of(attributes);
  std::vector<std::vector<nearfar_output_attribute>> of_axes;
  std::vector<nearfar_output_axis> all_axes;
  of_axes.reserve(axes.size());
  for (const auto& [name, values, said] : axes) {
    const auto& mine = of_axes.emplace_back(attributes_of(said));
    all_axes.push_back({name.c_str(), static_cast<std::int64_t>(values.size()), values.data(),
                        static_cast<int>(mine.size()), mine.data()});
  }
  nearfar_output_options options{};
  options.size = sizeof options;
  options.policy = static_cast<nearfar_output_policy>(nb::cast<int>(from["policy"]));
  options.depth = nb::cast<int>(from["depth"]);
  options.most_bytes = nb::cast<std::int64_t>(from["most_bytes"]);
  options.writers_per_node = nb::cast<int>(from["writers_per_node"]);
  options.durability = static_cast<nearfar_output_durability>(nb::cast<int>(from["durability"]));
  options.opening = static_cast<nearfar_output_opening>(nb::cast<int>(from["opening"]));
  options.expected_steps = nb::cast<std::int64_t>(from["expected_steps"]);
  options.direct = switch_of(nb::cast<bool>(from["direct"]));
  options.checksum = switch_of(nb::cast<bool>(from["checksum"]));
  options.throttle_bytes_per_s = nb::cast<double>(from["throttle_bytes_per_s"]);
  const double linger_s = nb::cast<double>(from["linger_s"]);
  options.linger_s = linger_s == 0 ? -1 : linger_s;  // C's 0 is the default
  options.verify = nb::cast<bool>(from["verify"]);
  options.is_pinned = nb::cast<bool>(from["is_pinned"]);
  options.kept = text_or_null(kept);
  options.format = text_or_null(format);
  options.compression = text_or_null(compression);
  options.attribute_count = static_cast<int>(of_all.size());
  options.attributes = of_all.data();
  options.axis_count = static_cast<int>(all_axes.size());
  options.axes = all_axes.data();
  options.writers = object<nearfar_output_writers>(writers);
  options.append_before = append_before ? &*append_before : nullptr;
  nearfar_output* stream = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_output_create(object<nearfar_team>(team), path.c_str(), static_cast<int>(held.all.size()),
                              held.all.data(), &options, &stream));
  return address_of(stream);
}

std::int64_t begin_varying(address stream, double time, const numbers& rows) {
  std::int64_t step = 0;
  nb::gil_scoped_release others_may_run;
  check(nearfar_output_begin_varying_step(object<nearfar_output>(stream), time, static_cast<int>(rows.size()),
                                          rows.data(), &step));
  return step;
}

template <class Stream, auto Function>
std::pair<address, numbers> slot_of(address stream, const std::string& name) {
  nearfar_output_slot slot{};
  check(Function(object<Stream>(stream), name.c_str(), &slot));
  return {address_of(slot.data), numbers(slot.strides_bytes, slot.strides_bytes + NEARFAR_MAX_DIMENSIONS)};
}

using steps = std::vector<std::pair<std::int64_t, double>>;

template <class Ask>
steps all_steps(const Ask& ask) {
  std::int64_t count = 0;
  check(ask(0, nullptr, &count));
  std::vector<nearfar_output_step> found(static_cast<std::size_t>(count));
  check(ask(count, found.data(), &count));
  steps to;
  for (const auto& s : found) to.emplace_back(s.step, s.time);
  return to;
}

/// Step, time, soundness, reason.
std::vector<std::tuple<std::int64_t, double, int, std::string>> verify(const std::string& path) {
  std::int64_t count = 0;
  check(nearfar_output_steps_at(path.c_str(), 0, nullptr, &count));
  std::vector<nearfar_output_report> found(static_cast<std::size_t>(count));
  check(nearfar_output_verify(path.c_str(), count, found.data(), &count));
  std::vector<std::tuple<std::int64_t, double, int, std::string>> to;
  for (const auto& r : found) to.emplace_back(r.step, r.time, static_cast<int>(r.state), r.reason);
  return to;
}

address create_reader(address team, const std::string& path, std::int64_t stride, bool reads_ahead, int depth,
                      std::int64_t most_bytes, bool checksum) {
  nearfar_output_reader_options options{};
  options.size = sizeof options;
  options.stride = stride;
  options.reads_ahead = switch_of(reads_ahead);
  options.depth = depth;
  options.most_bytes = most_bytes;
  options.checksum = switch_of(checksum);
  nearfar_output_reader* reader = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_output_reader_create(object<nearfar_team>(team), path.c_str(), &options, &reader));
  return address_of(reader);
}

/// Name, type and extents of each array.
std::vector<std::tuple<std::string, int, numbers>> arrays_of(address reader) {
  auto* of = object<nearfar_output_reader>(reader);
  std::vector<std::tuple<std::string, int, numbers>> found;
  for (int i = 0; i < nearfar_output_reader_arrays(of); ++i) {
    nearfar_output_array a{};
    check(nearfar_output_reader_array(of, i, &a));
    found.emplace_back(a.name, static_cast<int>(a.type), numbers(a.extents, a.extents + a.dimensions));
  }
  return found;
}

void select(address reader, const std::vector<std::pair<std::string, box>>& wanted) {
  std::vector<nearfar_output_selection> all;
  for (const auto& [name, of] : wanted) all.push_back({name.c_str(), box_of(of), nullptr});
  nb::gil_scoped_release others_may_run;
  check(nearfar_output_reader_select(object<nearfar_output_reader>(reader), static_cast<int>(all.size()), all.data()));
}

}  // namespace

void define_outputs(nb::module_& m) {
  m.def("writers_create", [](address all, int placement, int ranks_to_spare, int far_writers) {
    nearfar_output_writers_options options{};
    options.size = sizeof options;
    options.placement = static_cast<nearfar_output_placement>(placement);
    options.ranks_to_spare = ranks_to_spare;
    options.far_writers = far_writers;
    nearfar_output_writers* writers = nullptr;
    nb::gil_scoped_release others_may_run;
    check(nearfar_output_writers_create(object<nearfar_team>(all), &options, &writers));
    return address_of(writers);
  });
  define_free(m, "writers_free", nearfar_output_writers_free);
  define(m, "writers_is_writer", nearfar_output_writers_is_writer);
  define(m, "writers_count", nearfar_output_writers_count);
  define(m, "writers_computing", nearfar_output_writers_computing);
  define(m, "writers_serve", nearfar_output_writers_serve);
  m.def("output_formats", [] {
    int count = 0;
    const nearfar_output_format* all = nearfar_output_formats(&count);
    words found;
    for (int i = 0; i < count; ++i) found.emplace_back(all[i].name, all[i].description);
    return found;
  });
  m.def("output_create", create, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  define_result(m, "output_begin_step", nearfar_output_begin_step);
  m.def("output_begin_varying_step", begin_varying);
  m.def("output_put_strided", [](address stream, const std::string& name, address data, numbers strides) {
    strides.resize(NEARFAR_MAX_DIMENSIONS);
    check(nearfar_output_put_strided(object<nearfar_output>(stream), name.c_str(), object<void>(data), strides.data()));
  });
  m.def("output_slot_of", slot_of<nearfar_output, nearfar_output_slot_of>);
  define(m, "output_end_step", nearfar_output_end_step);
  define(m, "output_flush", nearfar_output_flush);
  define(m, "output_close", nearfar_output_close);
  define_free(m, "output_free", nearfar_output_free);
  define(m, "output_steps", nearfar_output_steps);
  define(m, "output_written_steps", nearfar_output_written_steps);
  define(m, "output_describe", nearfar_output_describe);
  m.def("output_steps_at", [](const std::string& path) {
    return all_steps([&](std::int64_t capacity, nearfar_output_step* to, std::int64_t* count) {
      return nearfar_output_steps_at(path.c_str(), capacity, to, count);
    });
  });
  m.def("output_verify", verify);
  m.def("reader_create", create_reader);
  m.def("reader_steps", [](address reader) {
    return all_steps([&](std::int64_t capacity, nearfar_output_step* to, std::int64_t* count) {
      return nearfar_output_reader_steps(object<nearfar_output_reader>(reader), capacity, to, count);
    });
  });
  m.def("reader_arrays", arrays_of);
  m.def("reader_select", select);
  define_result(m, "reader_begin_step", nearfar_output_reader_begin_step);
  m.def("reader_slot_of", slot_of<nearfar_output_reader, nearfar_output_reader_slot_of>);
  define(m, "reader_end_step", nearfar_output_reader_end_step);
  define(m, "reader_describe", nearfar_output_reader_describe);
  define_free(m, "reader_free", nearfar_output_reader_free);
}

}  // namespace nearfar_python
