// SPDX-License-Identifier: BSD-3-Clause
// A block of memory per near rank that shares data, mapped by those near ranks that read it, and not reused before all
// of them have released it.
//
//   rank 0's block  [ parts, by a segment_layout … | a word per near rank ]
//   rank 1's block  [ …                            | …                    ]
//
// Who writes what: a block belongs to its owner; who writes into its parts is decided by the user of this class. The
// words behind the parts belong to this class: word r is written by near rank r alone, and once.
//
// States, per owner and reader: allocated (word 0, the reader has no mapping or has never used it) -> open (word 0, the
// reader may access the block) -> released (word 1, the reader accesses it no more). A rank opens its segment when
// making it has succeeded on all ranks: before that nobody accesses a peer's block, and blocks are freed at once.
//
// Invariant: the owner's memory holds nothing else while a reader's word is 0. The reader's last accesses come before
// its store of 1 (release), which the owner sees (acquire) before it frees the block; so no access of a reader can
// touch what the block holds later. The words lie in the block and so are kept with it.
//
// A reader that is killed never stores its word: the block is then kept as long as its owner lives, and freed with it,
// as the file has no name. A child after fork has the mapping but is not the rank: it stores nothing, and its copy of
// the owner's block is freed in its own lists alone (chunk.hpp).
#pragma once

#include <sys/types.h>

#include <functional>
#include <near/arena.hpp>
#include <near/segment_layout.hpp>
#include <nearfar/team.hpp>
#include <vector>

namespace nearfar::near {

class shared_segment {
 public:
  shared_segment() = default;
  ~shared_segment() { close(); }
  shared_segment(const shared_segment&) = delete;
  shared_segment& operator=(const shared_segment&) = delete;

  /// Every near rank gets a block of as many bytes as its `own_bytes` says (0: none; ranks may differ) and maps those
  /// of all others. Collective over the team. What `own_bytes` throws is thrown on every rank.
  /// @throws resource_error  on every rank: memory is full, or near ranks cannot map each other's
  /// @cost   one allgather on the node, two reductions over the team
  void make(const team& members, const std::function<index_t()>& own_bytes);

  // The same by steps, for ranks that map some near ranks' blocks only and tell each other more than where these are.
  // All are local.

  /// How another near rank finds a block; sent in messages.
  struct address {
    handle where;
    std::int64_t bytes = 0;
  };
  /// This rank's block, which the near ranks `readers` (others than this one) will map. @throws resource_error
  void allocate(arena& memory, int near_rank, int near_size, index_t bytes, std::vector<int> readers);
  address own_address() const;
  /// Maps a block that this rank is a reader of; without bytes there is none. @throws resource_error
  void attach(int near_rank, const address& a);
  /// From here on near ranks may touch each other's blocks. On all ranks or on none, after all have attached.
  void open() noexcept { is_open_ = true; }

  /// This rank's blocks rest until `is_quiet`, which may look into them, says so of a reader who is no near rank, too.
  void rest_until(std::function<bool()> is_quiet) { is_quiet_ = std::move(is_quiet); }
  /// Another block of this rank whose handles the readers get in some other way: it rests as long as the first.
  void rest_too(block b);

  /// A near rank's block; null where it has none, or none for this rank.
  std::byte* of(int near_rank) const noexcept { return base_[as_size(near_rank)]; }
  std::byte* own() const noexcept { return own_.data(); }
  index_t bytes_of(int near_rank) const noexcept { return bytes_[as_size(near_rank)]; }
  template <class T>
  T* at(int near_rank, const part<T>& p) const noexcept {
    return p.in(of(near_rank));
  }

  /// Lets go of all blocks, as the destructor does: this rank touches them no more.
  void close() noexcept;

 private:
  arena* memory_ = nullptr;
  pid_t process_ = -1;  ///< of this rank, not of its children
  int near_rank_ = 0;
  bool is_open_ = false;
  block own_;
  std::vector<block> others_;       ///< that rest with it
  std::function<bool()> is_quiet_;  ///< of other readers
  std::vector<int> readers_;
  std::vector<mapping> mapped_;
  std::vector<std::byte*> base_;
  std::vector<index_t> bytes_;
};

}  // namespace nearfar::near
