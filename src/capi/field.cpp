// SPDX-License-Identifier: BSD-3-Clause
// The C interface to fields.
#include <algorithm>
#include <memory>
#include <topology/agree.hpp>

#include "handles.hpp"

namespace nearfar::capi {

ghosts ghosts_of(const int (*pairs)[2], int dimensions) {
  ghosts result = 0;
  for (int d = 0; pairs && d < dimensions; ++d) {
    require(pairs[d][0] >= 0 && pairs[d][1] >= 0, text("ghost widths of dimension ", d, " are ", pairs[d][0], " and ",
                                                       pairs[d][1], "; they must not be negative"));
    result.set(d, pairs[d][0], pairs[d][1]);
  }
  return result;
}

element_type type_of(nearfar_element_type type) {
  require(type >= NEARFAR_ELEMENT_INT8 && type <= NEARFAR_ELEMENT_UINT64,
          text("unknown element type ", static_cast<int>(type), "; types are NEARFAR_ELEMENT_INT8 (",
               static_cast<int>(NEARFAR_ELEMENT_INT8), ") to NEARFAR_ELEMENT_UINT64 (",
               static_cast<int>(NEARFAR_ELEMENT_UINT64), ")"));
  return static_cast<element_type>(type);  // both lists have the same numbers
}
static_assert(static_cast<int>(element_type::int8) == NEARFAR_ELEMENT_INT8);
static_assert(static_cast<int>(element_type::float64) == NEARFAR_ELEMENT_FLOAT64);
static_assert(static_cast<int>(element_type::complex128) == NEARFAR_ELEMENT_COMPLEX128);
static_assert(static_cast<int>(element_type::uint64) == NEARFAR_ELEMENT_UINT64);

std::size_t bytes_of(nearfar_element_type type) { return static_cast<std::size_t>(nearfar::bytes_of(type_of(type))); }

}  // namespace nearfar::capi

using namespace nearfar::capi;
using nearfar::text;

namespace {

struct request {
  std::size_t element_bytes = 0;
  int type = 0;
  nearfar::field_options options{};
};

template <class Read>
nearfar_status create(nearfar_grid* grid, nearfar_field** field, const Read& read) {
  return making(field, [&] {
    const nearfar::grid& cells = value_of(grid);
    request wanted;
    make_over(
        grid->owner, field, "field", [&] { wanted = read(cells.dimensions()); },
        [&](nearfar_field& made) {
          made.cells = grid;
          made.value.emplace(cells, wanted.element_bytes, wanted.options);
          made.type = wanted.type;
          made.with_ghosts = made.value->with_ghosts();
        });
  });
}

template <class T>
T* typed_data(const nearfar_field* field, nearfar_element_type type, const char* name) {
  return guarded_value<T*>(nullptr, [&] {
    const nearfar::array_layout& memory = value_of(field).layout();
    // Fields made by element size have no type; then the size must do.
    const bool matches = field->type ? field->type == type : memory.element_bytes == sizeof(T);
    require(matches, text("the field does not hold ", name, ": its type is ", field->type, ", its elements have ",
                          memory.element_bytes, " bytes"));
    return static_cast<T*>(memory.data);
  });
}

nearfar_status boxes_of(const nearfar::region& cells, nearfar_box* boxes, int* count) {
  require_result(boxes, "boxes");
  require_result(count, "count");
  require(cells.size() <= NEARFAR_MAX_BOXES, text("the region has ", cells.size(), " boxes"));
  for (std::size_t b = 0; b < cells.size(); ++b) {
    std::copy(cells[b].lower.begin(), cells[b].lower.end(), boxes[b].lower);
    std::copy(cells[b].upper.begin(), cells[b].upper.end(), boxes[b].upper);
  }
  *count = static_cast<int>(cells.size());
  return NEARFAR_OK;
}

}  // namespace

extern "C" {

nearfar_status nearfar_field_create(nearfar_grid* grid, nearfar_element_type type, const nearfar_field_options* options,
                                    nearfar_field** field) {
  return create(grid, field, [&](int dimensions) {
    const nearfar_field_options from = read_options(options);
    request wanted{type == 0 ? from.element_bytes : bytes_of(type), static_cast<int>(type), {}};
    require(from.element_bytes == 0 || from.element_bytes == wanted.element_bytes,
            text("the option element_bytes is ", from.element_bytes, ", and elements of the type have ",
                 wanted.element_bytes, " bytes"));
    require(from.width >= 0, text("the ghost width is ", from.width, "; it must not be negative"));
    wanted.options.ghosts = from.ghosts ? ghosts_of(from.ghosts, dimensions) : nearfar::ghosts(from.width);
    if (from.memory_order) wanted.options.memory_order.assign(from.memory_order, from.memory_order + dimensions);
    return wanted;
  });
}

void* nearfar_field_data(const nearfar_field* field) {
  return guarded_value<void*>(nullptr, [&] { return value_of(field).layout().data; });
}

int32_t* nearfar_field_data_i32(const nearfar_field* field) {
  return typed_data<int32_t>(field, NEARFAR_ELEMENT_INT32, "32-bit integers");
}
int64_t* nearfar_field_data_i64(const nearfar_field* field) {
  return typed_data<int64_t>(field, NEARFAR_ELEMENT_INT64, "64-bit integers");
}
float* nearfar_field_data_f32(const nearfar_field* field) {
  return typed_data<float>(field, NEARFAR_ELEMENT_FLOAT32, "32-bit floats");
}
double* nearfar_field_data_f64(const nearfar_field* field) {
  return typed_data<double>(field, NEARFAR_ELEMENT_FLOAT64, "64-bit floats");
}

size_t nearfar_field_element_bytes(const nearfar_field* field) {
  return guarded_value<size_t>(0, [&] { return value_of(field).layout().element_bytes; });
}

const int64_t* nearfar_field_lower(const nearfar_field* field) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(field), field->with_ghosts.lower.data(); });
}

const int64_t* nearfar_field_extents(const nearfar_field* field) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(field).layout().extents.data(); });
}

const int64_t* nearfar_field_strides(const nearfar_field* field) {
  return guarded_value<const int64_t*>(nullptr, [&] { return value_of(field).layout().strides_bytes.data(); });
}

nearfar_status nearfar_field_core(const nearfar_field* field, nearfar_box boxes[NEARFAR_MAX_BOXES], int* count) {
  return guarded([&] { boxes_of(value_of(field).core(), boxes, count); });
}

nearfar_status nearfar_field_edge(const nearfar_field* field, nearfar_box boxes[NEARFAR_MAX_BOXES], int* count) {
  return guarded([&] { boxes_of(value_of(field).edge(), boxes, count); });
}

nearfar_status nearfar_team_find_field(const nearfar_team* team, const void* data, nearfar_field** field) {
  if (field) *field = nullptr;
  return guarded([&] {
    value_of(team);
    require_result(field, "field");
    // A field without elements on this rank has no address of its own; bindings use its handle.
    const auto is_wanted = [data](const nearfar_field* f) { return f == data || f->value->layout().data == data; };
    const auto found = std::find_if(team->all<nearfar_field>().begin(), team->all<nearfar_field>().end(), is_wanted);
    require(data != nullptr && found != team->all<nearfar_field>().end(),
            "no field of this team begins at this address");
    *field = *found;
  });
}

const nearfar_grid* nearfar_field_grid(const nearfar_field* field) {
  return guarded_value<const nearfar_grid*>(nullptr, [&] { return value_of(field), field->cells; });
}

}  // extern "C"
