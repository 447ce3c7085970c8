// SPDX-License-Identifier: BSD-3-Clause
// The four classes of errors that the library throws.
#pragma once

#include <memory>
#include <nearfar/api.hpp>
#include <stdexcept>
#include <string>

namespace nearfar {

/// What kind of error it was; the C interface returns these values.
enum class status : int { ok = 0, usage = 1, resource = 2, transport = 3, io = 4 };

/// Base of all errors. The message says what was asked, what was found and the nearest valid choice.
class NEARFAR_API error : public std::runtime_error {
 public:
  /// Classes of errors call this; programs catch the classes.
  error(status code, const std::string& message);
  /// The kind, as the C interface returns it.
  status code() const noexcept { return code_; }

 private:
  friend struct internals;

  status code_;
  std::shared_ptr<const std::string> state_;  ///< the message, for readers in Fortran, too
};

/// The caller asked for something that cannot be: sizes, indices, names, order of calls.
class NEARFAR_API usage_error : public error {
 public:
  /// With a sentence that names the value and the allowed range.
  explicit usage_error(const std::string& message) : error(status::usage, message) {}
};

/// Memory, files or other resources of the machine do not suffice.
class NEARFAR_API resource_error : public error {
 public:
  /// With a sentence that names what was asked for and what there is.
  explicit resource_error(const std::string& message) : error(status::resource, message) {}
};

/// MPI or a peer failed, or did not answer within the watchdog's time.
class NEARFAR_API transport_error : public error {
 public:
  /// With a sentence that names the call, the peer or the plan.
  explicit transport_error(const std::string& message) : error(status::transport, message) {}
};

/// Reading or writing a file failed.
class NEARFAR_API io_error : public error {
 public:
  /// With a sentence that names the file and the system's reason.
  explicit io_error(const std::string& message) : error(status::io, message) {}
};

}  // namespace nearfar
