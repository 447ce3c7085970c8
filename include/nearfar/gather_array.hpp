// SPDX-License-Identifier: BSD-3-Clause
// What gather plans work on: arrays of elements of one size, seen without their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <nearfar/index.hpp>
#include <type_traits>
#include <utility>

namespace nearfar {

/// The kind of number that plus, minimum, maximum and multiply work on (of complex numbers none of them does); bytes:
/// anything else, which can be gathered and replaced, and may be of any type of its size.
enum class value_kind : std::uint8_t { bytes, int32, uint32, int64, uint64, float32, float64, complex64, complex128 };

namespace concepts {
/// A complex number of two of `Part`: std::complex, whose header is a fifth of all that programs would include by ours,
/// and what is laid out like it.
template <class T, class Part>
concept complex_of = sizeof(T) == 2 * sizeof(Part) && requires(const T& z) {
  requires std::is_same_v<std::remove_cvref_t<decltype(z.real())>, Part>;
  z.imag();
};
}  // namespace concepts

/// The kind of values of type T. Local, at compile time.
template <class T>
constexpr value_kind kind_of() noexcept {
  if constexpr (std::is_floating_point_v<T> && sizeof(T) == 4) return value_kind::float32;
  if constexpr (std::is_floating_point_v<T> && sizeof(T) == 8) return value_kind::float64;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? value_kind::int32 : value_kind::uint32;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? value_kind::int64 : value_kind::uint64;
  if constexpr (concepts::complex_of<T, float>) return value_kind::complex64;
  if constexpr (concepts::complex_of<T, double>) return value_kind::complex128;
  return value_kind::bytes;
}

/// `elements` elements one after another, each of `components` values of `value_bytes` bytes.
struct gather_array {
  /// Where the first element begins; may be null where there are no elements.
  void* data = nullptr;
  /// Elements on this rank; -1: a length that is no multiple of `components`.
  index_t elements = 0;
  /// Values per element, which lie together.
  index_t components = 1;
  /// Bytes of one value.
  std::size_t value_bytes = 0;
  /// What the values are. Those of one operation are of one kind: numbers of another are refused (gather_plan).
  value_kind kind = value_kind::bytes;
  /// False where the caller's array is const; results never go there.
  bool is_writable = true;

  /// Bytes of one element, all components.
  std::size_t element_bytes() const noexcept { return value_bytes * static_cast<std::size_t>(components); }
};

/// A vector, span, array or gathered_vector of any trivially copyable type, `components` values per element (values of
/// an element lie together). A length that is no multiple of `components` gives elements = -1, which every plan
/// refuses.
template <class Range>
  requires requires(Range& r) { std::data(r); }
gather_array array_of(Range&& values, index_t components = 1) {
  using value = std::remove_pointer_t<decltype(std::data(values))>;
  static_assert(std::is_trivially_copyable_v<value>, "elements are moved as bytes");
  const auto count = static_cast<index_t>(std::size(values));
  return {const_cast<void*>(static_cast<const void*>(std::data(values))),
          components > 0 && count % components == 0 ? count / components : -1,
          components,
          sizeof(value),
          kind_of<std::remove_cv_t<value>>(),
          !std::is_const_v<value>};
}
/// An array that is told already goes as it is.
inline gather_array array_of(const gather_array& a) noexcept { return a; }

}  // namespace nearfar
