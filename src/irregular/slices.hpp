// SPDX-License-Identifier: BSD-3-Clause
// Loops over elements, in one slice per thread of the plan.
#pragma once

#include <base/numbers.hpp>
#include <type_traits>

namespace nearfar::irregular {

/// False in a build without OpenMP: everything is then one slice.
bool has_threads() noexcept;

namespace detail {
void run_in_slices(int threads, index_t count, void (*body)(void* context, index_t first, index_t count),
                   void* context);
}

/// Calls body(first, count) for slices of 0 … count-1, each on a thread of its own, the first on this one. Slices begin
/// at multiples of 64; short loops are one slice. What throws ends the program, where there are several.
template <class Body>
void in_slices(int threads, index_t count, Body&& body) {
  using body_type = std::remove_reference_t<Body>;
  if (threads <= 1) return body(index_t{0}, count);
  detail::run_in_slices(
      threads, count, [](void* b, index_t first, index_t some) { (*static_cast<body_type*>(b))(first, some); }, &body);
}

}  // namespace nearfar::irregular
