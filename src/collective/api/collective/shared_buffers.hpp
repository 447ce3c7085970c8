// SPDX-License-Identifier: BSD-3-Clause
// The addresses of the callers' buffers, exchanged among near ranks at the start of a call that works in place.
#pragma once

#include <collective/node_segment.hpp>
#include <vector>

namespace nearfar::collective {

/// Peers' near memory that calls have touched: mapped once, the oldest given up when many have been seen.
class neighbour_memory {
 public:
  /// The peer's memory as this process sees it. @throws resource_error
  std::byte* at(near::arena& memory, const near::handle& h);

 private:
  struct entry {
    decltype(near::handle{}.chunk_key()) chunk;
    near::mapping memory;
  };
  std::vector<entry> known_;
  std::size_t oldest_ = 0;
};

/// Everybody's input and output, valid in this process for the duration of a call.
struct shared_buffers {
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;

  /// Fills the lists if every near rank's buffers lie in near memory; false on every rank if not. Uses lines 0 and 1 of
  /// this call's slot; a null buffer counts as near memory. Collective over the node, within a call.
  bool meet(node_segment& h, neighbour_memory& known, const void* own_in, index_t in_bytes, void* own_out,
            index_t out_bytes);
};

/// Where everybody's buffers are in their own processes.
struct remote_buffers {
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  void meet(node_segment& h, const void* own_in, void* own_out);  ///< uses line 0 of this call's slot
};

/// A barrier of the near ranks within a call, in line `line` of its slot; each line at most once per call.
void meet_again(node_segment& h, index_t line);

}  // namespace nearfar::collective
