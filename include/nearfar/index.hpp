// SPDX-License-Identifier: BSD-3-Clause
// The integer of sizes, counts and global indices. Not called `index`: POSIX has a function of that name.
#pragma once

#include <cstdint>

namespace nearfar {

using index_t = std::int64_t;  ///< Signed, 64 bits, in every language

}  // namespace nearfar
