// SPDX-License-Identifier: BSD-3-Clause
// Shapes of arrays: own part, padding, order of axes.
#include <transpose/side.hpp>

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <near/arena.hpp>
#include <numeric>
#include <topology/agree.hpp>

namespace nearfar {

namespace {

index_t product(index_t a, index_t b) {
  index_t result;
  if (__builtin_mul_overflow(a, b, &result))
    throw resource_error(text("an array of ", a, " times ", b, " is longer than 2^63 bytes"));
  return result;
}

}  // namespace

std::vector<int> checked_order(const transpose_side& side) {
  const auto axes = at(side.parts.dimensions());
  std::vector<int> natural(axes);
  std::iota(natural.begin(), natural.end(), 0);
  if (side.memory_order.empty()) return natural;
  if (!std::is_permutation(natural.begin(), natural.end(), side.memory_order.begin(), side.memory_order.end()))
    throw usage_error(text("memory_order is from ", memory_order_in_words(side.memory_order),
                           "; it must name each of the axes ", axis_range(side.parts.dimensions()), " once"));
  return side.memory_order;
}

array_shape shape_of(const transpose_side& side) {
  const std::vector<int> order = checked_order(side);
  for (int d = 0; d < side.parts.dimensions(); ++d)
    if (side.padding.low(d) < 0 || side.padding.high(d) < 0)
      throw usage_error(text("padding of axis ", axis_number(d, side.parts.dimensions()), " is (", side.padding.low(d),
                             ", ", side.padding.high(d), "); 0 or more is possible"));
  array_shape shape;
  shape.held = grown(side.parts.own(), side.padding);
  index_t stride = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    shape.strides[at(*d)] = stride;
    stride = product(stride, std::max<index_t>(1, shape.held.extent(*d)));
  }
  shape.elements = side.parts.own().is_empty() ? 0 : stride;
  return shape;
}

exchange::strided_box box_in_array(const array_shape& shape, const box& wanted, const std::vector<int>& order,
                                   index_t element_bytes) {
  exchange::strided_box b;
  b.element_bytes = element_bytes;
  b.offset_bytes = shape.offset(wanted.lower) * element_bytes;
  for (const int d : order) {
    b.extents.push_back(wanted.extent(d));
    b.strides_bytes.push_back(shape.strides[at(d)] * element_bytes);
  }
  return b;
}

index_t array_bytes(const transpose_side& side, const array_shape& shape, index_t fields, index_t element_bytes) {
  if (shape.elements == 0) return 0;
  const index_t before = side.field_stride == 0 ? 0 : product(fields - 1, side.field_stride);
  return product(before + shape.elements, element_bytes);
}

index_t elements_of(const transpose_side& side, index_t fields) { return array_bytes(side, shape_of(side), fields, 1); }

std::string describe_side(const char* name, const transpose_side& side) {
  return text("  ", name, " ", description_of(side.parts), ", axes in memory from ",
              memory_order_in_words(checked_order(side)), "\n");
}

void check_side(const transpose_side& side, index_t fields, const char* name) {
  const array_shape shape = shape_of(side);
  if (side.field_stride < 0 || (side.field_stride > 0 && fields > 1 && side.field_stride < shape.elements))
    throw usage_error(text("the side ", name, " has a field_stride of ", side.field_stride,
                           " elements; 0 (an array per field) or at least ", shape.elements, " are possible"));
}

std::shared_ptr<void> allocate_near(const std::vector<transpose_side>& sides, index_t fields, std::size_t element_bytes,
                                    std::vector<void*>& starts) {
  if (sides.empty()) throw usage_error("transpose_array: there is no side to allocate for");
  const team& members = sides.front().parts.team();
  near::arena& arena = near::arena::of(members);
  auto blocks = std::make_shared<std::vector<near::block>>();
  agree(members, [&] {
    if (fields < 1) throw usage_error(text("transpose_array: ", fields, " fields; 1 or more are possible"));
    if (element_bytes < 1) throw usage_error("transpose_array: elements of 0 bytes; 1 or more are possible");
    index_t bytes = 0;
    for (const transpose_side& side : sides) {
      check_side(side, fields, "of a transpose_array");
      bytes = std::max(bytes, array_bytes(side, shape_of(side), fields, as_index(element_bytes)));
    }
    const index_t arrays = sides.front().field_stride > 0 ? 1 : fields;
    for (index_t i = 0; i < arrays; ++i) {
      if (bytes > 0) blocks->push_back(arena.allocate(bytes));
      starts.push_back(bytes > 0 ? blocks->back().data() : nullptr);
    }
  });
  return blocks;
}

}  // namespace nearfar
