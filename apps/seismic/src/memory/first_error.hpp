// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of threads, which must not leave a parallel region.
#pragma once

#include <exception>
#include <mutex>

namespace seismic {

/// Keeps the first exception of some threads, to be thrown when they have joined.
class first_error {
 public:
  template <class Body>
  void guard(Body body) noexcept {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace seismic
