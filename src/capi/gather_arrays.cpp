// SPDX-License-Identifier: BSD-3-Clause
// Types become kinds of numbers, a program's operation becomes loops over elements.
#include "gather_arrays.hpp"

#include <cstddef>
#include <cstring>

namespace nearfar::capi {

namespace {

struct number {
  value_kind kind;
  std::size_t bytes;
  int parts;  ///< values that one element of the type is made of
};

number number_of(const nearfar_gather_array& from, bool is_added) {
  if (from.type == 0) return {value_kind::bytes, from.value_bytes, 1};
  const std::size_t bytes = bytes_of(from.type);
  switch (from.type) {
    case NEARFAR_INT32:
      return {value_kind::int32, bytes, 1};
    case NEARFAR_INT64:
      return {value_kind::int64, bytes, 1};
    case NEARFAR_FLOAT32:
      return {value_kind::float32, bytes, 1};
    case NEARFAR_FLOAT64:
      return {value_kind::float64, bytes, 1};
    case NEARFAR_COMPLEX64:
      return is_added ? number{value_kind::float32, 4, 2} : number{value_kind::complex64, bytes, 1};
    case NEARFAR_COMPLEX128:
      return is_added ? number{value_kind::float64, 8, 2} : number{value_kind::complex128, bytes, 1};
    default:
      return {value_kind::bytes, bytes, 1};
  }
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

combiner combiner_of_custom(const nearfar_custom_op& from) {
  require(from.value_bytes > 0 && from.identity != nullptr && from.combine != nullptr,
          "a custom operation needs value_bytes, identity and combine");
  return {from.value_bytes, c_operation::fill, c_operation::scatter, c_operation::scatter_split, &from};
}

}  // namespace

gather_array array_of(const nearfar_gather_array& from, bool is_added, const char* name) {
  require(from.components >= 0, text("the array '", name, "' has ", from.components, " components"));
  require(from.elements >= 0, text("the array '", name, "' has ", from.elements, " elements"));
  require(from.data != nullptr || from.elements == 0, text("the array '", name, "' is NULL"));
  const number n = number_of(from, is_added);
  const index_t components = from.components == 0 ? 1 : from.components;
  return {from.data, from.elements, components * n.parts, n.bytes, n.kind, from.is_const == 0};
}

combiner combiner_of_call(const nearfar_gather_call& call, const gather_array& sample) {
  if (call.custom != nullptr) return combiner_of_custom(*call.custom);
  return combiner_of(static_cast<scatter_op>(call.op), sample.kind, sample.value_bytes);
}

}  // namespace nearfar::capi
