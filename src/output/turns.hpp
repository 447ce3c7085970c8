// SPDX-License-Identifier: BSD-3-Clause
// The two streams that alternate at a path (output_opening::take_turns): which is the newest, and which is written
// next.
#pragma once

#include <cstdint>
#include <string>

namespace nearfar::output {

/// The number of a stream among those of its path is in its journal's records, under their sums. Of the streams with a
/// complete first step the one with the higher number is the newest.
struct turn {
  std::string path{};        ///< P-a or P-b
  std::uint32_t number = 0;  ///< 1, 2, ...; 0: of a stream that takes no turns
};

/// The one to be written next: never the newest one, unless that is not `kept` and the other one is. Local.
turn next_turn(const std::string& path, const std::string& kept);

/// What readers of a path open.
struct stream_choice {
  std::string path{};   ///< P itself, where it has a journal; else the newer one
  std::string older{};  ///< the other one, where it has a whole step; may be empty
};
/// Local. @throws io_error  there is none of these journals
stream_choice stream_at(const std::string& path);

}  // namespace nearfar::output
