// SPDX-License-Identifier: BSD-3-Clause
// Which protocol carries a near flow: chosen from facts that both ends know, so that both choose alike.
#pragma once

#include <base/numbers.hpp>

#include "../flow.hpp"

namespace nearfar::exchange {

enum class protocol {
  line,          ///< data and epoch in the same cache lines (near/line.hpp)
  staged,        ///< packed into one of two shared buffers of the sender, unpacked from there
  streamed,      ///< the same, packed past the caches (near_stream.hpp)
  piped,         ///< the same in chunks, through a ring of the sender (near_pipe.hpp)
  direct,        ///< read in place from the sender's near memory
  process_read,  ///< read in place from the sender's ordinary memory
};

/// The kernel takes about 0.3 us a run: more are cheaper staged.
constexpr index_t most_process_read_runs = 64;

struct near_policy {
  index_t longest_line = 512;  ///< messages up to this many bytes go as lines
  protocol larger = protocol::staged;
  index_t shortest_direct_run = 0;  ///< direct only where the sender's runs are at least this long
  bool past_caches = false;         ///< direct: stored past the caches, however little it is
  bool uses_barriers = false;       ///< node-wide barriers instead of signals: the published method
};

/// By the method's name.
const near_policy& policy_of(const std::string& method);

protocol choose_protocol(const near_policy& p, const flow& f, bool is_outgoing);

/// For the words of the watchdog and of errors.
const char* name_of(protocol p);

}  // namespace nearfar::exchange
