// SPDX-License-Identifier: BSD-3-Clause
// A sum at the end of a file over all that is not values: headers, attributes, gaps. Of one process, without MPI.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace adaptive_heat {

/// Bytes that a seal does not cover, since they are written later and have a sum of their own.
struct byte_range {
  std::int64_t begin, bytes;
};

/// Behind the end of the file, in 64-bit words of the machine: begin and bytes of each range by ascending begin; their number; the sum (FNV-1a)
/// of all bytes that are in no range, and of these words; "nearseal". Readers of HDF5 do not look there.
/// @throws nearfar::io_error
void seal(const std::string& path, std::span<const byte_range> values);

/// Whether the file ends in a seal. @throws nearfar::io_error if that is there and tells of another file, so that nobody has to read what is
/// damaged
bool is_sealed(const std::string& path);

}  // namespace adaptive_heat
