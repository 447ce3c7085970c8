// SPDX-License-Identifier: BSD-3-Clause
// The addresses of the callers' buffers, exchanged among near ranks at the start of a call that works in place.
#pragma once

#include <collective/node_segment.hpp>
#include <cstdint>
#include <map>
#include <vector>

namespace nearfar::collective {

/// The near ranks' memory that calls have touched, mapped once. All near ranks are told of the same chunks in the same
/// order and so know the same ones, their own among them: all alike find that a chunk is new, and agree on whether
/// everybody can map it. What cannot be mapped stays known as that.
class neighbour_memory {
 public:
  /// Makes known the chunks that all near ranks' handles of a call lie in; `seen` gets the places of the valid ones in
  /// this process, but not of its own. Where a chunk is new: one more call of the node segment, in which all say
  /// whether they could map it. Collective over the node, within a call in which all have been heard.
  /// @return whether everybody has all of them mapped
  bool learn(node_segment& h, const std::vector<near::handle>& all, std::vector<std::byte*>& seen);

 private:
  struct entry {
    near::mapping memory;  ///< none of this rank's own
    std::uint64_t used = 0;
    bool is_refused = false;
  };
  bool map(near::arena& memory, const std::vector<near::handle>& fresh);
  void forget_oldest(std::size_t most);

  std::map<decltype(near::handle{}.chunk_key()), entry> known_;
  std::uint64_t calls_ = 0;
};

/// Everybody's input and output, valid in this process for the duration of a call.
struct shared_buffers {
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;

  /// Fills the lists if every near rank's buffers lie in near memory that all can map; false on every rank if not. Uses
  /// lines 0 and 1 of this call's slot; a null buffer counts as near memory. Collective over the node, within a call.
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
/// @return whether all say that all is well
bool meet_again(node_segment& h, index_t line, bool is_well = true);

}  // namespace nearfar::collective
