// SPDX-License-Identifier: BSD-3-Clause
// Joins values into a message, streams whose numbers know no locale, and byte counts and times for people.
#pragma once

#include <cstdint>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <utility>

namespace nearfar {

/// A stream whose numbers look as in C. A program's global locale may group digits or write a comma for the point:
/// neither files and keys nor the names under /proc may know of it.
template <class Stream>
class without_locale : public Stream {
 public:
  template <class... Arguments>
  explicit without_locale(Arguments&&... arguments) : Stream(std::forward<Arguments>(arguments)...) {
    this->imbue(std::locale::classic());
  }
};
using text_writer = without_locale<std::ostringstream>;
using text_reader = without_locale<std::istringstream>;
using text_file = without_locale<std::ifstream>;

/// text("rank ", 3, " of ", 4) gives "rank 3 of 4".
template <class... Parts>
std::string text(const Parts&... parts) {
  text_writer out;
  (out << ... << parts);
  return out.str();
}

std::string readable_bytes(std::int64_t bytes);  ///< "12 B", "1.2 kB", "152 kB" (powers of 1000)
std::string readable_time(double seconds);       ///< "1.24 us", "3.10 ms", "12.0 s" (three digits)

}  // namespace nearfar
