// SPDX-License-Identifier: BSD-3-Clause
// Types become kinds of numbers, a program's operation becomes loops over elements.
#include "irregular_arrays.hpp"

#include <cstddef>
#include <cstring>

namespace nearfar::capi {

namespace {

struct number {
  element_type type;
  std::size_t bytes;
  int parts;  ///< values that one element of the type is made of
};

number number_of(const nearfar_irregular_array& from, bool is_added) {
  if (from.type == 0) return {element_type::bytes, from.value_bytes, 1};
  const element_type type = type_of(from.type);
  if (is_added && type == element_type::complex64) return {element_type::float32, 4, 2};
  if (is_added && type == element_type::complex128) return {element_type::float64, 8, 2};
  return {type, bytes_of(from.type), 1};
}

/// A program's operation, which the program keeps; values of an element lie together, so that it is called once per
/// element.
struct c_operation {
  static const nearfar_custom_op& at(const void* context) { return *static_cast<const nearfar_custom_op*>(context); }
  static std::byte* place(const nearfar_custom_op& o, void* x, index_t i, index_t components) {
    return static_cast<std::byte*>(x) + i * components * static_cast<index_t>(o.value_bytes);
  }

  static void fill(const void* context, void* to, index_t values) {
    const nearfar_custom_op& o = at(context);
    for (index_t i = 0; i < values; ++i) std::memcpy(place(o, to, i, 1), o.identity, o.value_bytes);
  }
  static void scatter(const void* context, void* x, const std::int32_t* places, const void* from, index_t count,
                      index_t components) {
    const nearfar_custom_op& o = at(context);
    for (index_t k = 0; k < count; ++k)
      o.combine(o.context, place(o, x, places[k], components), place(o, const_cast<void*>(from), k, components),
                components);
  }
  static void scatter_split(const void* context, void* x, void* ghosts, index_t owned, const std::int32_t* places,
                            const void* from, index_t count, index_t components) {
    const nearfar_custom_op& o = at(context);
    for (index_t k = 0; k < count; ++k) {
      std::byte* const to =
          places[k] < owned ? place(o, x, places[k], components) : place(o, ghosts, places[k] - owned, components);
      o.combine(o.context, to, place(o, const_cast<void*>(from), k, components), components);
    }
  }
};

detail::combiner combiner_of_custom(const nearfar_custom_op& from) {
  require(from.value_bytes > 0 && from.identity != nullptr && from.combine != nullptr,
          "a custom operation needs value_bytes, identity and combine");
  return {from.value_bytes, c_operation::fill, c_operation::scatter, c_operation::scatter_split, &from};
}

}  // namespace

irregular_array array_of(const nearfar_irregular_array& from, bool is_added, const char* name) {
  require(from.components >= 0, text("the array '", name, "' has ", from.components, " components"));
  require(from.elements >= 0, text("the array '", name, "' has ", from.elements, " elements"));
  require(from.data != nullptr || from.elements == 0, text("the array '", name, "' is NULL"));
  const number n = number_of(from, is_added);
  const index_t components = from.components == 0 ? 1 : from.components;
  return {from.data, from.elements, components * n.parts, n.bytes, n.type, from.is_const == 0};
}

detail::combiner combiner_of_call(const nearfar_irregular_call& call, const irregular_array& sample) {
  if (call.custom != nullptr) return combiner_of_custom(*call.custom);
  return detail::combiner_of(static_cast<reduce_op>(call.op), sample.type, sample.value_bytes);
}

}  // namespace nearfar::capi
