// SPDX-License-Identifier: BSD-3-Clause
// A lack of memory on one rank must not end what others wait for: the rank does its part, and fails afterwards.
#pragma once

#include <exception>
#include <nearfar/error.hpp>
#include <new>

namespace nearfar::irregular {

/// The first lack of memory in a number of steps.
class put_off_failure {
 public:
  /// Runs the step; what it throws but for a lack of memory goes on.
  template <class Step>
  void during(Step step) {
    try {
      step();
    } catch (const std::bad_alloc&) {
      keep();
    } catch (const resource_error&) {
      keep();
    }
  }
  bool is_there() const noexcept { return failure_ != nullptr; }
  /// Throws it, if there was one.
  void raise() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void keep() noexcept {
    if (!failure_) failure_ = std::current_exception();
  }
  std::exception_ptr failure_;
};

}  // namespace nearfar::irregular
