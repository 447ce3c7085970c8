// SPDX-License-Identifier: BSD-3-Clause
// The kernels: elements and operations, and the loop for a pair of them.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>

namespace nearfar::reduction {

enum class element : unsigned char {
  none,  ///< known to MPI, but not to the kernels
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f32,
  f64,
  // Value and location, laid out as a C struct.
  f32_i32,
  f64_i32,
  i64_i32,
  i32_i32,
  i16_i32,
  f32_f32,
  f64_f64,
};

enum class operation : unsigned char { sum, prod, min, max, land, lor, lxor, band, bor, bxor, minloc, maxloc };
constexpr int operations = 12;

/// The loops for one element and operation. Operands need not be aligned.
struct kernel {
  /// out = left op right; `out` may be an operand.
  void (*two)(std::byte* out, const std::byte* left, const std::byte* right, index_t count);
  /// out = in[0] op … op in[n-1], n >= 2, `second` (or null) the same; as reducer::combine_all.
  void (*fold)(std::byte* out, std::byte* second, const std::byte* const* in, int n, index_t count);
};

/// The kernel in the best variant for this processor; null where there is none for the pair. All variants give the same
/// bits.
const kernel* find_kernel(element type, operation op);

// One set of all kernels per instruction set: variants/.
namespace plain {
const kernel* find(element type, operation op);
}
namespace avx2 {
const kernel* find(element type, operation op);
bool is_usable();  ///< compiled in, and this processor has it
}  // namespace avx2
namespace avx512 {
const kernel* find(element type, operation op);
bool is_usable();
}  // namespace avx512

}  // namespace nearfar::reduction
