// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>
#include <nearfar/element_type.hpp>

namespace nearfar {
namespace {

struct type_row {
  const char* name;
  index_t bytes;
};
/// In the order of element_type.
constexpr std::array<type_row, 11> rows{{{"bytes without a type", 0},
                                         {"int8", 1},
                                         {"int16", 2},
                                         {"int32", 4},
                                         {"int64", 8},
                                         {"float32", 4},
                                         {"float64", 8},
                                         {"complex64", 8},
                                         {"complex128", 16},
                                         {"uint32", 4},
                                         {"uint64", 8}}};
static_assert(static_cast<std::size_t>(element_type::uint64) + 1 == rows.size());

const type_row& row_of(element_type type) noexcept {
  const auto at = static_cast<std::size_t>(type);
  return at < rows.size() ? rows[at] : rows[0];
}

}  // namespace

index_t bytes_of(element_type type) noexcept { return row_of(type).bytes; }

const char* name_of(element_type type) noexcept { return row_of(type).name; }

}  // namespace nearfar
