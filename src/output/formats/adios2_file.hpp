// SPDX-License-Identifier: BSD-3-Clause
// A file of ADIOS2's, written by the library itself in the process that writes.
#pragma once

#include <memory>
#include <string>

#include "layout.hpp"

namespace nearfar::output {

/// What the library has to be told of a stream: JSON, of which a file plan keeps the text. Only here is known what is
/// in it.
struct format_request;
std::string adios2_description(const format_request& r);

/// Opened with the first step. After an error the library is not called any more: neither its engine nor its end can be
/// trusted then.
class adios2_file {
 public:
  explicit adios2_file(const std::string& description);
  ~adios2_file();
  adios2_file(adios2_file&&) noexcept;
  adios2_file& operator=(adios2_file&&) noexcept;

  /// A step's parts, between begin() and end(); the data is copied. `frame`: number of the step. @throws io_error with
  /// step, file and call
  void begin(index_t frame, double time);
  void put(const brick& b, const std::byte* data);
  void end(bool is_synced);

 private:
  struct contents;
  std::unique_ptr<contents> is_;
};

}  // namespace nearfar::output
