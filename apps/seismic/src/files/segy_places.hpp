// SPDX-License-Identifier: BSD-3-Clause
// Where things stand in the headers of SEG-Y, counted from 0. The standard counts from 1, and bytes of the binary
// header from 3201.
#pragma once

#include <cstddef>

namespace seismic::segy {

inline constexpr int text_header = 3200, binary_header = 400, headers = text_header + binary_header, trace_header = 240;

// In the binary header.
inline constexpr std::size_t job = 0, line = 4, reel = 8, traces_per_ensemble = 12, interval = 16,
                             original_interval = 18, samples = 20, original_samples = 22, format = 24, fold = 26,
                             sorting = 28, measures = 54, revision = 300, fixed_length = 302, extended_headers = 304;

// In trace headers.
inline constexpr std::size_t trace_in_line = 0, trace_in_file = 4, field_record = 8, trace_in_record = 12,
                             source_point = 16, ensemble = 20, trace_in_ensemble = 24, trace_kind = 28, offset = 36,
                             group_elevation = 40, source_surface = 44, source_depth = 48, elevation_scalar = 68,
                             coordinate_scalar = 70, source_x = 72, source_y = 76, group_x = 80, group_y = 84,
                             coordinate_unit = 88, delay = 108, trace_samples = 114, trace_interval = 116,
                             ensemble_x = 180, ensemble_y = 184, inline_number = 188, crossline_number = 192,
                             value_unit = 202;

}  // namespace seismic::segy
