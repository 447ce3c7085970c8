// SPDX-License-Identifier: BSD-3-Clause
// Which kinds of values go together, so that the bits of one kind of number are never taken for another's.
#pragma once

#include <nearfar/scatter_op.hpp>

namespace nearfar::gathering {

/// As the other languages and NumPy name them.
constexpr const char* in_words(value_kind kind) noexcept {
  switch (kind) {
    case value_kind::int32:
      return "int32";
    case value_kind::uint32:
      return "uint32";
    case value_kind::int64:
      return "int64";
    case value_kind::uint64:
      return "uint64";
    case value_kind::float32:
      return "float32";
    case value_kind::float64:
      return "float64";
    case value_kind::complex64:
      return "complex64";
    case value_kind::complex128:
      return "complex128";
    case value_kind::bytes:
      break;
  }
  return "bytes without a type";
}

/// The kind without a sign of an integer.
constexpr value_kind without_sign(value_kind kind) noexcept {
  if (kind == value_kind::int32) return value_kind::uint32;
  return kind == value_kind::int64 ? value_kind::uint64 : kind;
}

/// What may be copied from one to the other, in arrays of one size of values: integers with and without a sign have
/// the same bits, and bytes may be anything.
constexpr bool are_alike(value_kind a, value_kind b) noexcept {
  return a == value_kind::bytes || b == value_kind::bytes || without_sign(a) == without_sign(b);
}

/// Whether the operation is one on such values. One on numbers is not for bytes that may be no such numbers.
constexpr bool is_taken(const combiner& how, value_kind kind) noexcept {
  if (how.kind == value_kind::bytes || how.kind == kind) return true;
  return how.is_sign_free && without_sign(how.kind) == without_sign(kind);
}

}  // namespace nearfar::gathering
