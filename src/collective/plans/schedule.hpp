// SPDX-License-Identifier: BSD-3-Clause
// A planned call as a list of steps: what this rank contributes, what it combines, and what it copies from where.
#pragma once

#include <collective/algorithm.hpp>
#include <collective/call.hpp>
#include <optional>
#include <reduction/reducer.hpp>
#include <vector>

namespace nearfar::collective {

/// Bytes of one element that lie in memory as they are; -1 for types with gaps, and for what are no types. Local.
index_t contiguous_bytes(MPI_Datatype type);

/// All offsets and lengths in bytes. Peers are near ranks. Fixed for the life of a plan, as its buffers are.
struct schedule {
  struct piece {
    const std::byte* from;
    index_t bytes;
  };
  /// Put one after the other into this rank's slot.
  std::vector<piece> pieces{};
  /// Each peer's part starts here behind the first piece, and there in the caller's own input.
  std::vector<index_t> packed_offset{}, plain_offset{};
  const std::byte* input = nullptr;  ///< what plain offsets count from

  /// out = contributions of first … last, elements from `offset` of each on; nothing if count is 0.
  struct combination {
    int first = 0, last = -1;
    index_t offset = 0, count = 0;
    std::byte* out = nullptr;  ///< null: only the shared result is wanted
    bool is_shared = false;    ///< peers copy the result, or the far stage takes it
    bool reads_own_slot = false;
  } sum{};
  reduction::reducer op{};

  struct copy {
    int from;
    bool is_of_result;
    std::byte* to;
    index_t bytes;
    index_t offset = 0;  ///< of a result in the owner's array
  };
  std::vector<copy> copies{};       ///< from peers
  std::vector<piece> own_copies{};  ///< within this rank: piece i goes to own_targets[i]
  std::vector<std::byte*> own_targets{};
  std::byte* output = nullptr;  ///< what result offsets count from

  /// Between the nodes, by this rank and its lane, on the shared result.
  enum class far_step { none, allreduce, reduce, bcast, barrier } far = far_step::none;
  int far_root = 0;                ///< node
  bool is_far_source = false;      ///< bcast: the result is what this rank has put out
  index_t result_bytes = 0;        ///< of the shared result
  bool can_read_in_place = false;  ///< peers may read the caller's buffers themselves while the call lasts

  /// A slot begins with the shared result; the pieces follow.
  index_t result_space() const noexcept {
    return sum.is_shared || far != far_step::none ? (result_bytes + 63) / 64 * 64 : 0;
  }
  index_t slot_bytes() const;
};

/// Nothing where the call is left to MPI: types with gaps, operations with large elements, kinds that are not served
/// between nodes. `root_node` and `root_near_rank` say where the root is. Local; what it gives agrees with peers' if
/// their arguments agree.
std::optional<schedule> make_schedule(const call& c, const team& members, const setting& around, int root_node,
                                      int root_near_rank);

}  // namespace nearfar::collective
