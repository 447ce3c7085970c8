// SPDX-License-Identifier: BSD-3-Clause
// gslib's domains and operations as C++ types and functions. Includes gslib.h, whose macros would meet the standard
// library's names: to be included last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gslib.h"

namespace nearfar_gslib {

inline gs_dom checked(gs_dom dom) {
  if (dom < gs_double || dom >= gs_dom_n) fail(1, __FILE__, __LINE__, "there is no domain %d; there are 0 to 4", dom);
  return dom;
}
inline gs_op checked(gs_op op) {
  if (op < gs_add || op >= gs_op_n) fail(1, __FILE__, __LINE__, "there is no operation %d; there are 0 to 4", op);
  return op;
}

/// Calls step(T{}) for the type T of the domain.
template <class Step>
auto with_domain(gs_dom dom, Step step) {
  switch (checked(dom)) {
    case gs_double:
      return step(double{});
    case gs_float:
      return step(float{});
    case gs_int:
      return step(int{});
    case gs_long:
      return step(long{});
    default:
      return step(long_long{});
  }
}

inline std::size_t bytes_of(gs_dom dom) {
  return with_domain(dom, []<class T>(T) { return sizeof(T); });
}

/// Changes no contribution: of minima and maxima the infinities, where there are.
template <class T>
T identity(gs_op op) {
  using limits = std::numeric_limits<T>;
  switch (checked(op)) {
    case gs_mul:
      return T{1};
    case gs_min:
      return limits::has_infinity ? limits::infinity() : limits::max();
    case gs_max:
      return limits::has_infinity ? -limits::infinity() : limits::lowest();
    default:
      return T{0};
  }
}

/// The leading bits that two numbers have in common; zero stands for no number.
inline std::uint64_t common_bits(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  while (a != b) (a < b ? b : a) >>= 1;
  return a;
}

template <class T>
void combine(gs_op op, T& to, T from) {
  switch (checked(op)) {
    case gs_add:
      to += from;
      break;
    case gs_mul:
      to *= from;
      break;
    case gs_min:
      if (from < to) to = from;
      break;
    case gs_max:
      if (to < from) to = from;
      break;
    default:
      to = static_cast<T>(common_bits(static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(from)));
  }
}

}  // namespace nearfar_gslib
