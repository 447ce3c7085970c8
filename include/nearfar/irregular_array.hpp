// SPDX-License-Identifier: BSD-3-Clause
// What irregular plans work on: arrays of elements of one size, seen without their type.
#pragma once

#include <cstddef>
#include <iterator>
#include <nearfar/element_type.hpp>
#include <type_traits>

namespace nearfar {

/// `elements` elements one after another, each of `components` values of `value_bytes` bytes.
struct irregular_array {
  /// Where the first element begins; may be null where there are no elements.
  void* data = nullptr;
  /// Elements on this rank; -1: a length that is no multiple of `components`.
  index_t elements = 0;
  /// Values per element, which lie together.
  index_t components = 1;
  /// Bytes of one value.
  std::size_t value_bytes = 0;
  /// What the values are. Those of one operation are of one type: numbers of another are refused (irregular_plan).
  element_type type = element_type::bytes;
  /// False where the caller's array is const; results never go there.
  bool is_writable = true;

  /// Bytes of one element, all components.
  std::size_t element_bytes() const noexcept { return value_bytes * static_cast<std::size_t>(components); }
};

/// A vector, span, array or irregular_vector of any trivially copyable type, `components` values per element (values of
/// an element lie together). A length that is no multiple of `components` gives elements = -1, which every plan
/// refuses.
template <class Range>
  requires requires(Range& r) { std::data(r); }
irregular_array array_of(Range&& values, index_t components = 1) {
  using value = std::remove_pointer_t<decltype(std::data(values))>;
  static_assert(std::is_trivially_copyable_v<value>, "elements are moved as bytes");
  const auto count = static_cast<index_t>(std::size(values));
  return {const_cast<void*>(static_cast<const void*>(std::data(values))),
          components > 0 && count % components == 0 ? count / components : -1,
          components,
          sizeof(value),
          element_type_of<std::remove_cv_t<value>>(),
          !std::is_const_v<value>};
}
/// An array that is told already goes as it is.
inline irregular_array array_of(const irregular_array& a) noexcept { return a; }

}  // namespace nearfar
