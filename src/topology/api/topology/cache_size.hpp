// SPDX-License-Identifier: BSD-3-Clause
// How large the last-level cache is.
#pragma once

#include <base/numbers.hpp>
#include <string>

namespace nearfar {

/// Bytes of the last-level cache that the calling thread's processor shares with others; 0 where it is not known. What
/// Linux says counts: on virtual machines the C library multiplies by caches that are other machines'. Local; reads
/// files.
index_t last_level_cache_bytes();

/// Bytes of the calling thread's second-level cache, which is its core's own on most processors; 1 MB where it is not
/// known. Local; reads files.
index_t core_cache_bytes();

/// "32768K", "1M" or "4096" in bytes; 0 for anything else.
index_t cache_bytes_from(const std::string& words);

}  // namespace nearfar
