// SPDX-License-Identifier: BSD-3-Clause
// What the elements of arrays are, where the library must know it: to add them, to write them to files.
#pragma once

#include <cstdint>
#include <nearfar/api.hpp>
#include <nearfar/index.hpp>
#include <type_traits>

namespace nearfar {

/// The type of an array's elements, which are moved and stored as the machine has them. `bytes`: any other type, which
/// can be moved, and may be of any type of its size.
enum class element_type : std::uint8_t {
  bytes,
  int8,
  int16,
  int32,
  int64,
  float32,
  float64,
  complex64,   ///< two of float32
  complex128,  ///< two of float64
  uint32,
  uint64
};
NEARFAR_API index_t bytes_of(element_type type) noexcept;  ///< bytes of one element: 1 to 16; 0 of `bytes`

/// In words, as the other languages and NumPy have it: "float64"; "bytes without a type". Local.
NEARFAR_API const char* name_of(element_type type) noexcept;

namespace concepts {
/// A complex number of two of `Part`: std::complex, whose header is a fifth of all that programs would include by ours,
/// and what is laid out like it.
template <class T, class Part>
concept complex_of = sizeof(T) == 2 * sizeof(Part) && requires(const T& z) {
  requires std::is_same_v<std::remove_cvref_t<decltype(z.real())>, Part>;
  z.imag();
};
}  // namespace concepts

/// The type of elements that are T in C++. Local, at compile time.
template <class T>
constexpr element_type element_type_of() noexcept {
  if constexpr (std::is_floating_point_v<T> && sizeof(T) == 4) return element_type::float32;
  if constexpr (std::is_floating_point_v<T> && sizeof(T) == 8) return element_type::float64;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 1) return element_type::int8;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 2) return element_type::int16;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? element_type::int32 : element_type::uint32;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? element_type::int64 : element_type::uint64;
  if constexpr (concepts::complex_of<T, float>) return element_type::complex64;
  if constexpr (concepts::complex_of<T, double>) return element_type::complex128;
  return element_type::bytes;
}

}  // namespace nearfar
