// SPDX-License-Identifier: BSD-3-Clause
// SEG-Y rev 1: models are read, shot gathers are written.
#pragma once

#include <files/array_source.hpp>
#include <files/gather.hpp>
#include <memory>
#include <string>

namespace seismic {

/// A model as an array: traces of samples along the depth, [line][trace of the line][sample], or [trace][sample] where
/// there is one line.
///
/// Numbers of IBM (format 1) or IEEE (format 5) of either byte order; 3200 + 400 bytes of headers, extended text
/// headers as counted, then traces of one length. Lines are runs of the same inline number (bytes 189 of trace headers)
/// with crossline numbers (bytes 193) that are the same in each; where both are the same in all traces, the file is one
/// line. Headers of traces are read once.
/// @throws nearfar::io_error  not SEG-Y, other numbers, traces of different lengths, truncated, lines of different
/// lengths: with value and what is
///                            allowed
/// @source SEG Technical Standards Committee, SEG Y rev 1 Data Exchange format, 2002
std::shared_ptr<const array_source> open_segy(const std::string& path);

/// A gather with big-endian IEEE floats (format 5, revision 1.0): field record, trace numbers, what was measured (trace
/// identification 11 to 14 and the unit of values, bytes 29 and 203), places of source and group in centimetres (or as
/// fine as 32 bits allow), offset, samples, interval in microseconds, delay in milliseconds. Replaces what is there
/// when it is whole.
/// @throws nearfar::usage_error  more than 32767 samples, an interval that is not 1 to 32767 whole microseconds, a
/// delay that is no 16-bit number
///                               of milliseconds: SEG-Y rev 1 has no room for it; nearfar::io_error
void write_segy_gather(const std::string& path, const shot_gather& gather);

/// The float that these four bytes of IBM's format mean, rounded to nearest; beyond the range of float: infinite.
float ibm_float(std::uint32_t bits);

}  // namespace seismic
