// SPDX-License-Identifier: BSD-3-Clause
// Numbers of predefined operations and types, and their names.
#include <reduction/identity.hpp>

#include <array>
#include <base/text.hpp>

#include "predefined.hpp"

namespace nearfar::reduction {
namespace {

/// As nearfar::reduce_op has them, in the order of `operation`.
constexpr std::array<const char*, operations> operation_names{"sum",         "product",    "min",         "max",
                                                              "logical_and", "logical_or", "logical_xor", "bit_and",
                                                              "bit_or",      "bit_xor",    "minloc",      "maxloc"};
constexpr std::int64_t own_operation = 1000, own_unordered_operation = 1001;

constexpr std::array<const char*, 8> group_names{"integers", "integers",        "integers", "floating-point numbers",
                                                 "logicals", "complex numbers", "bytes",    "pairs of value and place"};
constexpr std::int64_t groups_stride = 1 << 20, unsigned_bit = 1 << 19;

/// C's, Fortran's and MPI's own integers are one.
group in_one_language(group g) {
  return g == group::fortran_integer || g == group::multi_language ? group::c_integer : g;
}

bool is_unsigned(element e) { return e >= element::u8 && e <= element::u64; }

}  // namespace

std::int64_t identity_of_operation(MPI_Op op) {
  if (const predefined_op* known = find_op(op)) return static_cast<std::int64_t>(known->what);
  int does_commute = 0;
  if (!is_for_windows_only(op)) MPI_Op_commutative(op, &does_commute);
  return does_commute != 0 ? own_operation : own_unordered_operation;
}

bool is_predefined(std::int64_t operation) noexcept { return operation < own_operation; }

std::string name_of_operation(std::int64_t identity) {
  if (is_predefined(identity)) return operation_names[static_cast<std::size_t>(identity)];
  return identity == own_operation ? "an operation of the program's own that commutes"
                                   : "an operation of the program's own that does not commute";
}

std::int64_t identity_of_type(MPI_Datatype type) {
  const predefined_type* known = find_type(type);
  if (known == nullptr) return 0;
  const group g = in_one_language(known->member_of);
  const bool has_sign = g != group::c_integer || !is_unsigned(known->kind);
  return (static_cast<std::int64_t>(g) + 1) * groups_stride + (has_sign ? 0 : unsigned_bit) + known->extent;
}

std::string name_of_type(std::int64_t identity) {
  if (identity == 0) return "elements of a derived type";
  const auto g = static_cast<std::size_t>(identity / groups_stride - 1);
  return text(identity % unsigned_bit * 8, "-bit ", (identity & unsigned_bit) != 0 ? "unsigned " : "", group_names[g]);
}

}  // namespace nearfar::reduction
