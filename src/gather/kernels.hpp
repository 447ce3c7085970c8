// SPDX-License-Identifier: BSD-3-Clause
// The loops over index lists.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>

namespace nearfar::gathering {

/// to[k] = from[places[k]], elements of `bytes` bytes.
void pick(std::byte* to, const std::byte* from, const std::int32_t* places, index count, index bytes);

/// The same into memory that another core has read: in blocks, whose wide stores fetch many such lines at once. Single elements
/// stored one after another waited for each line, and took three times as long.
void pick_for_others(std::byte* to, const std::byte* from, const std::int32_t* places, index count, index bytes);

/// memcpy to memory that another core has read, and from memory that another core has written: lines are asked for many at a time.
void copy_for_others(std::byte* to, const std::byte* from, index bytes);
void copy_from_others(std::byte* to, const std::byte* from, index bytes);

/// to[k] = x[places[k]] where that is below `owned`, else ghosts[places[k] - owned].
void pick_split(std::byte* to, const std::byte* x, const std::byte* ghosts, index owned, const std::int32_t* places,
                index count, index bytes);

}  // namespace nearfar::gathering
