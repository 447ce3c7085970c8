// SPDX-License-Identifier: BSD-3-Clause
// A scope with IEEE standard arithmetic, whatever modes the program has set.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace nearfar::reduction {

/// While it lives, this thread rounds to nearest and keeps numbers below the normal ones (which -ffast-math of several
/// compilers flushes to zero). Elsewhere than on x86 processors that must be so already.
class standard_arithmetic {
 public:
#if defined(__SSE2__)
  standard_arithmetic() noexcept : before_(_mm_getcsr()) {
    if ((before_ & asked_for) != 0) _mm_setcsr(before_ & ~asked_for);
  }
  ~standard_arithmetic() {
    if ((before_ & asked_for) != 0) _mm_setcsr((_mm_getcsr() & ~asked_for) | (before_ & asked_for));
  }
#else
  standard_arithmetic() noexcept {}
#endif
  standard_arithmetic(const standard_arithmetic&) = delete;
  standard_arithmetic& operator=(const standard_arithmetic&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned asked_for = 0xe040;  // flush to zero, rounding control (two bits), denormals are zero
  unsigned before_;
#endif
};

}  // namespace nearfar::reduction
