// SPDX-License-Identifier: BSD-3-Clause
// What headers of a SEG-Y file say of the shape and the place of a model.
#pragma once

#include <files/array_source.hpp>
#include <files/segy_places.hpp>

namespace seismic {

struct segy_shape {
  bool is_big_endian = true, is_ibm = false;
  index_t samples = 0, traces = 0;
  std::int64_t first = 0;  ///< byte of the first trace

  std::int64_t trace_bytes() const { return segy::trace_header + 4 * samples; }
};

/// Of a model [line][trace of the line][sample], or [trace][sample] where there is one line. Zeros say nothing.
///
/// - Depth: the sample interval of the binary header or, if that is 0, of the first trace. There is no standard for
///   depths in a field of microseconds: numbers below 500 are taken as metres, others as thousandths of a metre, which
///   is what programs write that put 1 m for 1 ms. A delay recording time is the depth of the first sample, 1 m for 1
///   ms.
/// - Across: coordinates with their scalar along the first line and along the first traces of lines, those of the CDP
///   (bytes 181 and 185) or else, where these do not change, of the source or the group. The distance of neighbours is
///   the spacing; the origin is known where a line goes along x, lines follow each other along y.
///
/// The unit is that of the measurement system in the binary header: m, ft or, with 0, not said.
/// @source SEG Technical Standards Committee, SEG Y rev 1 Data Exchange format, 2002, for the fields; the reading of
/// depths is ours
file_header segy_header(const apps::own_file& file, const segy_shape& shape, index_t traces_per_line);

}  // namespace seismic
