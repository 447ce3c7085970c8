// SPDX-License-Identifier: BSD-3-Clause
// Sides and lists of arrays as Python passes them to transpose and FFT plans.
#pragma once

#include "bind.hpp"

namespace nearfar_python {

/// Decomposition, memory order, padding, field stride.
using side = std::tuple<address, std::optional<std::vector<int>>, widths, std::int64_t>;
/// Where each array begins, and how many elements it has.
using arrays = std::pair<std::vector<address>, std::vector<std::int64_t>>;

/// Refers to `from`.
nearfar_transpose_side side_of(const side& from);

inline std::int64_t count_of(const arrays& all) { return static_cast<std::int64_t>(all.first.size()); }
inline void* const* data_of(const arrays& all) { return reinterpret_cast<void* const*>(all.first.data()); }

}  // namespace nearfar_python
