// SPDX-License-Identifier: BSD-3-Clause
// What the near engine keeps for each flow: places in this rank's block and in the peer's, and what it reads in place.
#pragma once

#include <sys/uio.h>

#include <base/bytes.hpp>
#include <near/arena.hpp>
#include <near/segment_layout.hpp>
#include <near/signal.hpp>
#include <optional>
#include <vector>

#include "../transport.hpp"
#include "near_moves.hpp"
#include "near_pipe.hpp"
#include "near_policy.hpp"
#include "near_refusal.hpp"
#include "near_stream.hpp"

namespace nearfar::exchange {

using near::line;
using near::signal;

/// Places in this rank's block.
struct outgoing_place {
  near::part<signal> taken;    ///< the peer has taken epoch n
  near::part<signal> refused;  ///< direct, process_read: it cannot read epoch n
  index_t slots = 0;           ///< two packed messages, or the ring of a pipe
  index_t slot_bytes = 0;
};
struct incoming_place {
  near::part<signal> ready;  ///< the peer's epoch n can be read
  near::part<line> lines;    ///< two slots of them
  index_t sources = 0;       ///< direct: a moved_sources, and a handle per transfer; process_read: a moved_runs
};

struct outgoing {
  flow* f;
  protocol how;
  outgoing_place place;
  signal* taken = nullptr;         ///< in this rank's block
  std::byte* slots[2] = {};        ///< in this rank's block
  signal* ready = nullptr;         ///< in the peer's block
  line* lines[2] = {};             ///< in the peer's block
  moved_sources* moved = nullptr;  ///< in the peer's block
  moved_runs* moved_to = nullptr;  ///< in the peer's block
  std::vector<std::byte> scratch;  ///< a message on its way into lines
  bool is_source_contiguous = false;
  stream_packer stream;
  std::optional<pipe_sender> pipe;
  refused_sender instead;
};

struct incoming {
  flow* f;
  protocol how;
  incoming_place place;
  const signal* ready = nullptr;   ///< in this rank's block
  const line* lines[2] = {};       ///< in this rank's block
  signal* taken = nullptr;         ///< in the peer's block
  const std::byte* slots[2] = {};  ///< in the peer's block
  std::vector<std::byte> scratch;  ///< lines being put together
  index_t next_line = 0;
  std::vector<joint_walk> reads;         ///< direct, unless it is lent
  std::vector<strided_box> boxes;        ///< direct: of the peer
  std::vector<near::handle> handles;     ///< direct: of the buffers that these boxes lie in
  std::vector<near::mapping> sources;    ///< direct: keeps the peer's memory mapped
  const moved_sources* moved = nullptr;  ///< in this rank's block
  const moved_runs* moved_to = nullptr;  ///< in this rank's block
  std::uint64_t moves_seen = 0;
  int process = 0;  ///< process_read
  std::vector<iovec> remote, local;
  std::optional<pipe_receiver> pipe;
  refused_receiver instead;
};

/// Where the boxes of a flow lie.
std::vector<placed_box> boxes_of(const context& c, const flow& f);

/// Of the buffer that it lies in; not valid where that is ordinary memory.
near::handle handle_of(const context& c, const transfer& t);

/// What the receiver of a flow is told when the plan is made.
void describe(byte_writer& w, const context& c, const outgoing& out);

}  // namespace nearfar::exchange
