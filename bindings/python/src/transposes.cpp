// SPDX-License-Identifier: BSD-3-Clause
// Decompositions, sides, arrays of sides and transpose plans.
#include "transposes.hpp"

namespace nearfar_python {
namespace {

using numbers = std::vector<std::int64_t>;
using some_numbers = std::optional<std::vector<int>>;

template <class Create>
address decomposition(const Create& create) {
  nearfar_decomposition* parts = nullptr;
  nb::gil_scoped_release others_may_run;
  check(create(&parts));
  return address_of(parts);
}

address blocks(address team, const numbers& extents, const std::vector<int>& process_grid) {
  return decomposition([&](nearfar_decomposition** parts) {
    return nearfar_decomposition_blocks(object<nearfar_team>(team), static_cast<int>(extents.size()), extents.data(),
                                        process_grid.data(), parts);
  });
}

address slab(address team, const numbers& extents, int cut_axis) {
  return decomposition([&](nearfar_decomposition** parts) {
    return nearfar_decomposition_slab(object<nearfar_team>(team), static_cast<int>(extents.size()), extents.data(),
                                      cut_axis, parts);
  });
}

address pencil(address team, const numbers& extents, int whole_axis, const some_numbers& process_grid) {
  return decomposition([&](nearfar_decomposition** parts) {
    return nearfar_decomposition_pencil(object<nearfar_team>(team), static_cast<int>(extents.size()), extents.data(),
                                        whole_axis, data_or_null(process_grid), parts);
  });
}

address from_boxes(address team, const numbers& extents, const box& own) {
  const nearfar_box mine = box_of(own);
  return decomposition([&](nearfar_decomposition** parts) {
    return nearfar_decomposition_from_boxes(object<nearfar_team>(team), static_cast<int>(extents.size()),
                                            extents.data(), &mine, parts);
  });
}

box box_of_rank(address parts, int rank) {
  nearfar_box found;
  const auto* of = object<nearfar_decomposition>(parts);
  check(nearfar_decomposition_box(of, rank, &found));
  return box_from(found, nearfar_decomposition_dimensions(of));
}

/// The box that the array of a field holds, its strides and how many elements it has.
std::tuple<box, numbers, std::int64_t> shape(const side& of) {
  nearfar_array_shape found;
  const nearfar_transpose_side from = side_of(of);
  check(nearfar_transpose_shape(&from, &found));
  const int dimensions = nearfar_decomposition_dimensions(from.parts);
  return {box_from(found.held, dimensions), numbers(found.strides, found.strides + dimensions), found.elements};
}

address create_array(const std::vector<side>& sides, std::int64_t fields, std::size_t element_bytes) {
  std::vector<nearfar_transpose_side> all;
  for (const side& s : sides) all.push_back(side_of(s));
  nearfar_transpose_array* array = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_transpose_array_create(static_cast<int>(all.size()), all.data(), fields, element_bytes, &array));
  return address_of(array);
}

address create_plan(const side& from, const side& to, std::size_t element_bytes, const arrays& in, const arrays& out,
                    const plan_options& common, std::int64_t fields, bool counts_rewriting) {
  auto options = with_plan_options<nearfar_transpose_options>(common);
  options.fields = fields;
  options.counts_rewriting = switch_of(counts_rewriting);
  const nearfar_transpose_side a = side_of(from), b = side_of(to);
  nearfar_transpose_plan* plan = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_transpose_plan_create_each(&a, &b, element_bytes, count_of(in), data_of(in), in.second.data(),
                                           count_of(out), data_of(out), out.second.data(), &options, &plan));
  return address_of(plan);
}

void start_on(address plan, const arrays& in, const arrays& out) {
  nb::gil_scoped_release others_may_run;
  check(nearfar_transpose_plan_start_on_each(object<nearfar_transpose_plan>(plan), data_of(in), in.second.data(),
                                             data_of(out), out.second.data()));
}

}  // namespace

nearfar_transpose_side side_of(const side& from) {
  const auto& [parts, order, padding, field_stride] = from;
  return {object<nearfar_decomposition>(parts), data_or_null(order), pairs_or_null(padding), field_stride};
}

void define_transposes(nb::module_& m) {
  m.def("decomposition_blocks", blocks);
  m.def("decomposition_slab", slab);
  m.def("decomposition_pencil", pencil, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("decomposition_from_boxes", from_boxes);
  define_free(m, "decomposition_free", nearfar_decomposition_free);
  m.def("decomposition_box", box_of_rank);
  m.def("decomposition_extents", [](address parts) {
    const auto* of = object<nearfar_decomposition>(parts);
    const std::int64_t* extents = nearfar_decomposition_extents(of);
    return numbers(extents, extents + nearfar_decomposition_dimensions(of));
  });
  m.def("decomposition_process_grid", [](address parts) -> some_numbers {
    const auto* of = object<nearfar_decomposition>(parts);
    const int* grid = nearfar_decomposition_process_grid(of);
    if (grid == nullptr) return {};
    return std::vector<int>(grid, grid + nearfar_decomposition_dimensions(of));
  });
  define(m, "decomposition_describe", nearfar_decomposition_describe);
  m.def("transpose_shape", shape);
  m.def("transpose_array_create", create_array);
  define_free(m, "transpose_array_free", nearfar_transpose_array_free);
  define(m, "transpose_array_data", nearfar_transpose_array_data);
  define(m, "transpose_array_elements", nearfar_transpose_array_elements);
  m.def("transpose_create", create_plan);
  define_free(m, "transpose_free", nearfar_transpose_plan_free);
  define(m, "transpose_start", nearfar_transpose_plan_start);
  m.def("transpose_start_on", start_on);
  define_result(m, "transpose_test", nearfar_transpose_plan_test);
  define(m, "transpose_finish", nearfar_transpose_plan_finish);
  define(m, "transpose_run", nearfar_transpose_plan_run);
  define(m, "transpose_method", nearfar_transpose_plan_method);
  define(m, "transpose_describe", nearfar_transpose_plan_describe);
  define(m, "transpose_describe_json", nearfar_transpose_plan_describe_json);
  define(m, "transpose_tuned_seconds", nearfar_transpose_plan_tuned_seconds);
}

}  // namespace nearfar_python
