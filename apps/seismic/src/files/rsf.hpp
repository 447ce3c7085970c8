// SPDX-License-Identifier: BSD-3-Clause
// Madagascar's format: a text header with key=value, and raw numbers beside it.
#pragma once

#include <files/array_source.hpp>
#include <files/gather.hpp>
#include <map>
#include <string>

namespace seismic {

/// All key=value of a header; later ones win; values in quotes lose them.
using rsf_header = std::map<std::string, std::string>;

/// @throws nearfar::io_error  not there, longer than 4 MiB, not text
rsf_header rsf_header_of(const std::string& path);

/// Where the numbers lie: n1 is fastest; data_format native_float or xdr_float (big endian), esize 4 or absent; `in` is
/// relative to the header's folder. @throws nearfar::io_error  what is missing or not understood, with its value
/// @source Madagascar's manual, "Guide to RSF format"
array_layout rsf_layout(const std::string& path);

/// A gather as PATH and PATH@: n1 samples, n2 traces, o1, d1, and the places of source and receivers as PATH_places.rsf
/// (n1=6: source x, y, z, receiver x, y, z, metres). Replaces what is there when it is whole. @throws nearfar::io_error
void write_rsf_gather(const std::string& path, const shot_gather& gather);

}  // namespace seismic
