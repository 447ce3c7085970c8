// SPDX-License-Identifier: BSD-3-Clause
// A scope with the standard floating-point environment: the program's may trap, and its flags are preserved.
#pragma once

#include <cfenv>

namespace nearfar {

/// While it lives nothing traps, and what is raised is forgotten at the end: for arithmetic on numbers that are not the
/// caller's. This thread alone.
class own_fp_environment {
 public:
  own_fp_environment() noexcept { std::feholdexcept(&callers_); }
  ~own_fp_environment() { std::fesetenv(&callers_); }
  own_fp_environment(const own_fp_environment&) = delete;
  own_fp_environment& operator=(const own_fp_environment&) = delete;

 private:
  std::fenv_t callers_;
};

}  // namespace nearfar
