// SPDX-License-Identifier: BSD-3-Clause
// How values are combined, in reductions over ranks and where several are scattered to one element.
#pragma once

#include <cstdint>
#include <type_traits>

namespace nearfar {

/// The operations, by MPI's meaning. Reductions take all but `replace`, as far as MPI defines them for the type.
/// Scatters take sum, product, min and max of numbers of 4 and 8 bytes that are not complex, bit_and, bit_or and
/// bit_xor of such integers, and `replace` of anything; integers wrap, min and max ignore contributions that are not a
/// number.
enum class reduce_op : std::uint8_t {
  sum,
  product,
  min,
  max,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  replace  ///< the last one in the order of the plan
};

/// A program's own operation on values of type T: `combine(T, T) -> T`, with combine(identity, v) equal to v bit for
/// bit. It need not be commutative or associative: the order of application is defined (see irregular_plan).
template <class T, class F>
struct custom_op {
  static_assert(std::is_trivially_copyable_v<T>);
  F combine;   ///< how two values become one: `combine(T, T) -> T`
  T identity;  ///< with combine(identity, v) equal to v bit for bit
};
template <class F, class T>
custom_op(F, T) -> custom_op<T, F>;

}  // namespace nearfar
