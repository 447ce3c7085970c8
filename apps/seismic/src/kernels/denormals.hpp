// SPDX-License-Identifier: BSD-3-Clause
// Numbers too small for a full mantissa count as zero while this lives.
#pragma once

#ifdef __SSE__
#include <xmmintrin.h>
#else
#include <cstdint>
#endif

namespace seismic {

/// Of this thread. Ahead of a wave lies a rim of such numbers, and each costs a hundred times what another does.
class flushed_denormals {
 public:
  flushed_denormals() noexcept : before_(mode()) { set(before_ | flush); }
  ~flushed_denormals() { set(before_); }
  flushed_denormals(const flushed_denormals&) = delete;
  flushed_denormals& operator=(const flushed_denormals&) = delete;

 private:
#if defined __SSE__
  using bits = unsigned;
  static constexpr bits flush = 0x8040;  // of results, and of what is read
  static bits mode() noexcept { return _mm_getcsr(); }
  static void set(bits b) noexcept { _mm_setcsr(b); }
#elif defined __aarch64__
  using bits = std::uint64_t;
  static constexpr bits flush = 1 << 24;
  static bits mode() noexcept {
    bits b = 0;
    asm volatile("mrs %0, fpcr" : "=r"(b));
    return b;
  }
  static void set(bits b) noexcept { asm volatile("msr fpcr, %0" : : "r"(b)); }
#else
  using bits = unsigned;
  static constexpr bits flush = 0;
  static bits mode() noexcept { return 0; }
  static void set(bits) noexcept {}
#endif
  bits before_;
};

}  // namespace seismic
