// SPDX-License-Identifier: BSD-3-Clause
// The loops over index lists.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>

namespace nearfar::irregular {

/// to[k] = from[places[k]], elements of `bytes` bytes.
void pick(std::byte* to, const std::byte* from, const std::int32_t* places, index_t count, index_t bytes);

/// The same for elements of 8 bytes; stream_…: past the caches (streaming.hpp).
void pick_words_of_8(std::byte* to, const std::byte* from, const std::int32_t* places, index_t count);
void stream_words_of_8(std::byte* to, const std::byte* from, const std::int32_t* places, index_t count);

/// to[k] = x[places[k]] where that is below `owned`, else ghosts[places[k] - owned].
void pick_split(std::byte* to, const std::byte* x, const std::byte* ghosts, index_t owned, const std::int32_t* places,
                index_t count, index_t bytes);

}  // namespace nearfar::irregular
