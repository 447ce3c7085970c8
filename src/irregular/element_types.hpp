// SPDX-License-Identifier: BSD-3-Clause
// Which types of values go together, so that the bits of one type of number are never taken for another's.
#pragma once

#include <nearfar/detail/combiner.hpp>

namespace nearfar::irregular {

/// The type without a sign of an integer.
constexpr element_type without_sign(element_type type) noexcept {
  if (type == element_type::int32) return element_type::uint32;
  return type == element_type::int64 ? element_type::uint64 : type;
}

/// What may be copied from one to the other, in arrays of one size of values: integers with and without a sign have
/// the same bits, and bytes may be anything.
constexpr bool are_alike(element_type a, element_type b) noexcept {
  return a == element_type::bytes || b == element_type::bytes || without_sign(a) == without_sign(b);
}

/// Whether the operation is one on such values. One on numbers is not for bytes that may be no such numbers.
constexpr bool is_taken(const nearfar::detail::combiner& how, element_type type) noexcept {
  if (how.type == element_type::bytes || how.type == type) return true;
  return how.is_sign_free && without_sign(how.type) == without_sign(type);
}

}  // namespace nearfar::irregular
