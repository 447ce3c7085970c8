// SPDX-License-Identifier: BSD-3-Clause
// Checks of the caller's arrays against the sides that they are to have.
#include "arrays.hpp"

#include <base/text.hpp>
#include <cstring>
#include <functional>

#include "stage.hpp"

namespace nearfar::fft {
namespace {

struct extent_of_memory {
  const char* begin = nullptr;
  index bytes = 0;
  bool meets(const extent_of_memory& other) const {
    return bytes > 0 && other.bytes > 0 && std::less<>()(begin, other.begin + other.bytes) &&
           std::less<>()(other.begin, begin + bytes);
  }
};

index field_bytes(const array_side& side) { return side.elements * element_bytes(side.lies, side.real_bytes); }

extent_of_memory memory_of(const array_side& side, const transpose_arrays& arrays, index field, index bytes) {
  if (bytes == 0) return {};
  return {static_cast<const char*>(field_of(side.lies.side, arrays, field)), bytes};
}

}  // namespace

void check_arrays(const std::string& title, const array_side& side, const transpose_arrays& arrays) {
  const index wanted = side.lies.side.field_stride > 0 ? 1 : side.fields;
  if (as_index(arrays.count()) != wanted)
    throw usage_error(text(title, ": ", side.name, " has ", arrays.count(), " arrays; ", wanted, " are needed for ",
                           side.fields, " fields", wanted == 1 && side.fields > 1 ? " with a stride" : ""));
  const index bytes = element_bytes(side.lies, side.real_bytes);
  if (as_index(arrays.element_bytes()) != bytes)
    throw usage_error(text(title, ": ", side.name, " has elements of ", arrays.element_bytes(), " bytes; they are ",
                           side.lies.is_complex ? "complex" : "real", ", of ", bytes, " bytes"));
  for (std::size_t i = 0; i < arrays.count(); ++i)
    if (arrays[i] == nullptr && side.elements > 0)
      throw usage_error(text(title, ": array ", i, " of ", side.name, " is null; this rank has ", side.elements,
                             " elements per field there"));
}

bool check_overlaps(const std::string& title, const array_side& a, const transpose_arrays& a_arrays,
                    const array_side& b, const transpose_arrays& b_arrays) {
  const index a_bytes = field_bytes(a), b_bytes = field_bytes(b);
  bool is_in_place = false;
  for (index i = 0; i < a.fields; ++i)
    for (index k = 0; k < a.fields; ++k) {
      const auto mine = memory_of(a, a_arrays, i, a_bytes), other = memory_of(b, b_arrays, k, b_bytes);
      if (!mine.meets(other)) continue;
      if (i != k || mine.begin != other.begin)
        throw usage_error(text(title, ": field ", i, " of ", a.name, " (", a_bytes, " bytes) and field ", k, " of ",
                               b.name, " (", b_bytes, " bytes, ", other.begin - mine.begin,
                               " bytes behind it) overlap; they may start at one address, or not meet"));
      is_in_place = true;
    }
  const auto check_one_side = [&](const array_side& side, const transpose_arrays& arrays, index bytes) {
    for (index i = 0; i < side.fields; ++i)
      for (index k = i + 1; k < side.fields; ++k)
        if (memory_of(side, arrays, i, bytes).meets(memory_of(side, arrays, k, bytes)))
          throw usage_error(text(title, ": fields ", i, " and ", k, " of ", side.name, " overlap"));
  };
  check_one_side(a, a_arrays, a_bytes);
  check_one_side(b, b_arrays, b_bytes);
  return is_in_place;
}

saved_arrays::saved_arrays(const array_side& side, const transpose_arrays& arrays) {
  const index bytes = field_bytes(side);
  for (index i = 0; i < side.fields && bytes > 0; ++i) {
    fields_.push_back(field_of(side.lies.side, arrays, i));
    const auto* begin = static_cast<const char*>(fields_.back());
    bytes_.emplace_back(begin, begin + bytes);
  }
}

saved_arrays::~saved_arrays() {
  for (std::size_t i = 0; i < fields_.size(); ++i) std::memcpy(fields_[i], bytes_[i].data(), bytes_[i].size());
}

}  // namespace nearfar::fft
