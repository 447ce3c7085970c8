// SPDX-License-Identifier: BSD-3-Clause
// Goes through the messages of an object header.
#include "formats/hdf5_header.hpp"

#include <base/text.hpp>
#include <bit>
#include <cstring>
#include <nearfar/error.hpp>
#include <optional>

namespace nearfar::output {

namespace {

static_assert(std::endian::native == std::endian::little);

enum message : std::uint16_t { dataspace = 1, layout = 8, continuation = 16 };

template <class T>
T number_at(const hdf5_memory& file, index_t at) {
  const auto bytes = file.bytes(at, at + as_index(sizeof(T)));
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

struct places {
  std::optional<index_t> extent, address;
};

/// Version 1 or 2: the extents begin behind 8 or 4 bytes.
void note_dataspace(const hdf5_memory& file, index_t body, places& found) {
  const int version = number_at<std::uint8_t>(file, body);
  if (version == 1 || version == 2) found.extent = body + (version == 1 ? 8 : 4);
}

/// Version 3 of a contiguous one: version, class, address, bytes.
void note_layout(const hdf5_memory& file, index_t body, places& found) {
  constexpr std::uint16_t contiguous_3 = 0x0103;
  if (number_at<std::uint16_t>(file, body) == contiguous_3) found.address = body + 2;
}

/// Messages: type, bytes, flags, and 3 bytes of nothing before each body.
void note_block(const hdf5_memory& file, index_t at, index_t bytes, places& found) {
  for (const index_t end = at + bytes; at + 8 <= end;) {
    const index_t body = at + 8, length = number_at<std::uint16_t>(file, at + 2);
    switch (number_at<std::uint16_t>(file, at)) {
      case dataspace:
        note_dataspace(file, body, found);
        break;
      case layout:
        note_layout(file, body, found);
        break;
      case continuation:
        note_block(file, number_at<index_t>(file, body), number_at<index_t>(file, body + 8), found);
        break;
      default:
        break;
    }
    at = body + length;
  }
}

}  // namespace

step_count count_in_header(const hdf5_memory& file, index_t header, const std::string& path) {
  places found;
  if (number_at<std::uint8_t>(file, header) == 1)
    note_block(file, header + 16, number_at<std::uint32_t>(file, header + 8), found);
  if (!found.extent || !found.address)
    throw io_error(text(path, ": this HDF5 makes headers of data sets that steps cannot be counted in"));
  return {*found.extent, *found.address, number_at<index_t>(file, *found.address)};
}

}  // namespace nearfar::output
