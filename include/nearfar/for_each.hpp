// SPDX-License-Identifier: BSD-3-Clause
// Loops over the cells of a box.
#pragma once

#include <nearfar/box.hpp>
#include <type_traits>

namespace nearfar {

/// Calls body(i), body(j, i), body(k, j, i) or body(l, k, j, i) for each cell of the box, with its global indices,
/// slowest dimension first; the last index runs fastest. Local. The body is inlined with all that it calls (flatten),
/// so that the compiler sees the loops that one would write by hand, and takes within 2 % as long as these.
///
///     for_each(tile.own(), [&, to = out.view(), from = in.view()](index_t j, index_t i) { to(j, i) = from(j, i - 1);
///     });
///
/// @throws usage_error  the box has another number of dimensions than the body takes
template <class Body>
[[gnu::flatten]] void for_each(const box& cells, Body&& body) {
  constexpr int taken = std::is_invocable_v<Body&, index_t>                              ? 1
                        : std::is_invocable_v<Body&, index_t, index_t>                   ? 2
                        : std::is_invocable_v<Body&, index_t, index_t, index_t>          ? 3
                        : std::is_invocable_v<Body&, index_t, index_t, index_t, index_t> ? 4
                                                                                         : 0;
  static_assert(taken > 0, "the body of a loop over a box takes 1 to 4 indices");
  if (cells.dimensions != taken)
    throw usage_error("a loop over a box of " + std::to_string(cells.dimensions) +
                      " dimensions has a body that takes " + std::to_string(taken) + " indices");
  const auto [a, b, c, d] = cells.lower;
  const auto [e, f, g, h] = cells.upper;
  if constexpr (taken == 1) {
    for (index_t i = a; i < e; ++i) body(i);
  } else if constexpr (taken == 2) {
    for (index_t j = a; j < e; ++j)
      for (index_t i = b; i < f; ++i) body(j, i);
  } else if constexpr (taken == 3) {
    for (index_t k = a; k < e; ++k)
      for (index_t j = b; j < f; ++j)
        for (index_t i = c; i < g; ++i) body(k, j, i);
  } else {
    for (index_t l = a; l < e; ++l)
      for (index_t k = b; k < f; ++k)
        for (index_t j = c; j < g; ++j)
          for (index_t i = d; i < h; ++i) body(l, k, j, i);
  }
}

}  // namespace nearfar
