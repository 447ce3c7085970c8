// SPDX-License-Identifier: BSD-3-Clause
// The C interface to transpositions: decompositions, arrays in near memory, plans.
#include <algorithm>
#include <memory>
#include <topology/agree.hpp>

#include "transpose.hpp"

namespace nearfar::capi {

transpose_side side_of(const nearfar_transpose_side* from, const char* name) {
  require(from != nullptr, text("the side '", name, "' is NULL"));
  transpose_side side{value_of(from->parts)};
  const int dimensions = side.parts.dimensions();
  if (from->memory_order) side.memory_order.assign(from->memory_order, from->memory_order + dimensions);
  side.padding = ghosts_of(from->padding, dimensions);
  side.field_stride = from->field_stride;
  return side;
}

std::size_t count_of(int64_t count, const void* list, const char* name) {
  require(count >= 1, text("the number of arrays '", name, "' is ", count, "; it is 1 or more"));
  require(list != nullptr, text("the list of arrays '", name, "' is NULL"));
  return static_cast<std::size_t>(count);
}

void check_lengths(const void* list, const int64_t* elements, std::size_t count, const char* name) {
  require(list != nullptr && elements != nullptr,
          text("the list of arrays '", name, "', or of their lengths, is NULL"));
  for (std::size_t i = 0; i < count; ++i)
    require(elements[i] >= 0,
            text("array ", i, " of '", name, "' has ", elements[i], " elements; 0 or more are possible"));
}

}  // namespace nearfar::capi

using namespace nearfar::capi;
using nearfar::decomposition;
using nearfar::index_t;
using nearfar::text;

namespace {

nearfar::transpose_options options_of(const nearfar_transpose_options* options) {
  nearfar::transpose_options o;
  const nearfar_transpose_options from = read_options(options);
  read_plan_options(from, o);
  if (from.fields != 0) o.fields = from.fields;
  o.counts_rewriting = is_on(from.counts_rewriting, o.counts_rewriting);
  return o;
}

/// `complaint`: what is wrong with other arguments.
template <class Make>
nearfar_status create(nearfar_team* team, int dimensions, const int64_t* extents, nearfar_decomposition** handle,
                      const std::string& complaint, const Make& make) {
  return making(handle, [&] {
    std::vector<index_t> all;
    make_over(
        team, handle, "parts",
        [&] {
          require(dimensions >= 1 && dimensions <= NEARFAR_MAX_DIMENSIONS,
                  text("a decomposition has 1 to ", NEARFAR_MAX_DIMENSIONS, " axes, not ", dimensions));
          require(extents != nullptr, "the list of extents is NULL");
          require(complaint.empty(), complaint);
          all.assign(extents, extents + dimensions);
        },
        [&](nearfar_decomposition& made) { made.value.emplace(make(team->value, all)); });
  });
}

/// The team of the first of these sides that has one, for what has to be agreed before anything else is known.
nearfar_team* team_of(std::initializer_list<const nearfar_transpose_side*> sides) {
  for (const nearfar_transpose_side* side : sides)
    if (side != nullptr && side->parts != nullptr && side->parts->value) return side->parts->owner;
  const nearfar_transpose_side* first = *sides.begin();
  require(first != nullptr, "the side is NULL");
  value_of(first->parts);
  return first->parts->owner;
}

}  // namespace

extern "C" {

nearfar_status nearfar_decomposition_blocks(nearfar_team* team, int dimensions, const int64_t* extents,
                                            const int* process_grid, nearfar_decomposition** parts) {
  return create(team, dimensions, extents, parts, process_grid == nullptr ? "the process grid is NULL" : "",
                [&](const nearfar::team& t, const std::vector<index_t>& all) {
                  return decomposition::blocks(t, all, {process_grid, process_grid + dimensions});
                });
}

nearfar_status nearfar_decomposition_slab(nearfar_team* team, int dimensions, const int64_t* extents, int cut_axis,
                                          nearfar_decomposition** parts) {
  return create(team, dimensions, extents, parts, "", [&](const nearfar::team& t, const std::vector<index_t>& all) {
    return decomposition::slab(t, all, cut_axis);
  });
}

nearfar_status nearfar_decomposition_pencil(nearfar_team* team, int dimensions, const int64_t* extents, int whole_axis,
                                            const int* process_grid, nearfar_decomposition** parts) {
  return create(team, dimensions, extents, parts, "", [&](const nearfar::team& t, const std::vector<index_t>& all) {
    std::vector<int> grid;
    if (process_grid) grid.assign(process_grid, process_grid + dimensions - 1);
    return decomposition::pencil(t, all, whole_axis, grid);
  });
}

nearfar_status nearfar_decomposition_from_boxes(nearfar_team* team, int dimensions, const int64_t* extents,
                                                const nearfar_box* own, nearfar_decomposition** parts) {
  return create(team, dimensions, extents, parts, own == nullptr ? "the box is NULL" : "",
                [&](const nearfar::team& t, const std::vector<index_t>& all) {
                  nearfar::box b{dimensions, {}, {}};
                  std::copy_n(own->lower, dimensions, b.lower.begin());
                  std::copy_n(own->upper, dimensions, b.upper.begin());
                  return decomposition::from_boxes(t, all, b);
                });
}

int nearfar_decomposition_dimensions(const nearfar_decomposition* parts) {
  return guarded_value(-1, [&] { return value_of(parts).dimensions(); });
}

const int64_t* nearfar_decomposition_extents(const nearfar_decomposition* parts) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(parts).extents().data(); });
}

const int* nearfar_decomposition_process_grid(const nearfar_decomposition* parts) {
  return guarded_value<const int*>(nullptr, [&] {
    const auto& grid = value_of(parts).process_grid();
    return grid.empty() ? nullptr : grid.data();
  });
}

nearfar_status nearfar_decomposition_box(const nearfar_decomposition* parts, int rank, nearfar_box* box) {
  return guarded([&] {
    const decomposition& d = value_of(parts);
    require_result(box, "box");
    require(rank >= 0 && rank < d.team().size(),
            text("there is no rank ", rank, "; ranks are 0 to ", d.team().size() - 1));
    write(d.of(rank), box);
  });
}

nearfar_status nearfar_transpose_shape(const nearfar_transpose_side* side, nearfar_array_shape* shape) {
  return guarded([&] {
    require_result(shape, "shape");
    const nearfar::array_shape found = nearfar::shape_of(side_of(side, "side"));
    write(found.held, &shape->held);
    std::copy(found.strides.begin(), found.strides.end(), shape->strides);
    shape->elements = found.elements;
  });
}

nearfar_status nearfar_transpose_array_create(int count, const nearfar_transpose_side* sides, int64_t fields,
                                              size_t element_bytes, nearfar_transpose_array** array) {
  return making(array, [&] {
    std::vector<nearfar::transpose_side> all;
    make_over(
        team_of({sides}), array, "array",
        [&] {
          require(count >= 1, text("the number of sides is ", count, "; it is 1 or more"));
          for (int i = 0; i < count; ++i) all.push_back(side_of(sides + i, "sides"));
        },
        [&](nearfar_transpose_array& made) {
          made.value = nearfar::allocate_near(all, fields, element_bytes, made.fields);
          for (const auto& side : all)
            made.elements = std::max<int64_t>(made.elements, nearfar::elements_of(side, fields));
        });
  });
}

void* nearfar_transpose_array_data(const nearfar_transpose_array* array, int64_t field) {
  return guarded_value<void*>(nullptr, [&] {
    require(array != nullptr, "the array is NULL: it was not created, or is freed already");
    require(array->owner != nullptr, "the array was freed with its team");
    require(field >= 0 && field < std::ssize(array->fields),
            text("there is no field ", field, "; fields are 0 to ", std::ssize(array->fields) - 1));
    return array->fields[static_cast<std::size_t>(field)];
  });
}

nearfar_status nearfar_team_find_array(const nearfar_team* team, const void* data, nearfar_transpose_array** array) {
  if (array) *array = nullptr;
  return guarded([&] {
    value_of(team);
    require_result(array, "array");
    const auto& all = team->all<nearfar_transpose_array>();
    const auto found = std::find_if(all.begin(), all.end(), [data](const nearfar_transpose_array* a) {
      return a == data || a->fields.front() == data;
    });
    require(data != nullptr && found != all.end(), "no array of this team begins at this address");
    *array = *found;
  });
}

int64_t nearfar_transpose_array_elements(const nearfar_transpose_array* array) {
  return guarded_value<int64_t>(-1, [&] {
    require(array != nullptr, "the array is NULL: it was not created, or is freed already");
    return array->elements;
  });
}

nearfar_status nearfar_transpose_plan_create_each(const nearfar_transpose_side* from, const nearfar_transpose_side* to,
                                                  size_t element_bytes, int64_t in_count, const void* const* in,
                                                  const int64_t* in_elements, int64_t out_count, void* const* out,
                                                  const int64_t* out_elements, const nearfar_transpose_options* options,
                                                  nearfar_transpose_plan** plan) {
  return making(plan, [&] {
    std::size_t ins = 0, outs = 0;
    std::vector<nearfar::transpose_side> sides;
    nearfar::transpose_options wanted;
    make_over(
        team_of({from, to}), plan, "plan",
        [&] {
          sides = {side_of(from, "from"), side_of(to, "to")};
          ins = count_of(in_count, in, "in"), outs = count_of(out_count, out, "out");
          check_lengths(in, in_elements, ins, "in");
          check_lengths(out, out_elements, outs, "out");
          wanted = options_of(options);
        },
        [&](nearfar_transpose_plan& made) {
          made.in_count = ins, made.out_count = outs, made.element_bytes = element_bytes;
          made.value.emplace(sides[0], sides[1], arrays_of(in, in_elements, ins, element_bytes),
                             arrays_of(out, out_elements, outs, element_bytes), wanted);
        });
  });
}

nearfar_status nearfar_transpose_plan_create(const nearfar_transpose_side* from, const nearfar_transpose_side* to,
                                             size_t element_bytes, const void* in, int64_t in_elements, void* out,
                                             int64_t out_elements, const nearfar_transpose_options* options,
                                             nearfar_transpose_plan** plan) {
  return nearfar_transpose_plan_create_each(from, to, element_bytes, 1, &in, &in_elements, 1, &out, &out_elements,
                                            options, plan);
}

nearfar_status nearfar_transpose_plan_start_on_each(nearfar_transpose_plan* plan, const void* const* in,
                                                    const int64_t* in_elements, void* const* out,
                                                    const int64_t* out_elements) {
  return guarded([&] {
    nearfar::transpose_plan& p = value_of(plan);
    check_lengths(in, in_elements, plan->in_count, "in");
    check_lengths(out, out_elements, plan->out_count, "out");
    p.start(arrays_of(in, in_elements, plan->in_count, plan->element_bytes),
            arrays_of(out, out_elements, plan->out_count, plan->element_bytes));
  });
}

nearfar_status nearfar_transpose_plan_start_on(nearfar_transpose_plan* plan, const void* in, int64_t in_elements,
                                               void* out, int64_t out_elements) {
  return guarded([&] {
    nearfar::transpose_plan& p = value_of(plan);
    check_lengths(&in, &in_elements, 1, "in");
    check_lengths(&out, &out_elements, 1, "out");
    p.start({in, in_elements, plan->element_bytes}, {out, out_elements, plan->element_bytes});
  });
}

nearfar_status nearfar_transpose_plan_start(nearfar_transpose_plan* plan) {
  return guarded([&] { value_of(plan).start(); });
}

nearfar_status nearfar_transpose_plan_run(nearfar_transpose_plan* plan) {
  return guarded([&] { value_of(plan).run(); });
}

nearfar_status nearfar_transpose_plan_run_on(nearfar_transpose_plan* plan, const void* in, int64_t in_elements,
                                             void* out, int64_t out_elements) {
  const nearfar_status started = nearfar_transpose_plan_start_on(plan, in, in_elements, out, out_elements);
  return started == NEARFAR_OK ? nearfar_transpose_plan_finish(plan) : started;
}

}  // extern "C"
