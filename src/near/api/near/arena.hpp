// SPDX-License-Identifier: BSD-3-Clause
// Near memory: each rank's own chunks of shared memory, which its near ranks map when they need them.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <near/line.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace nearfar::near {

inline constexpr index_t page_bytes = 4096;

/// How another rank of the node finds a piece of near memory; sent in messages.
struct handle {
  std::int32_t process = -1;      ///< owner's process id; -1: not near memory
  std::int32_t file = -1;         ///< the owner's descriptor of the file that the chunk lies in
  std::uint64_t inode = 0;        ///< tells files apart that reuse a descriptor
  std::uint32_t chunk_page = 0;   ///< where the chunk starts in the file
  std::uint32_t chunk_pages = 0;  ///< how long it is
  std::int64_t offset = 0;        ///< of the piece in the chunk
  bool is_valid() const noexcept { return process >= 0; }
  index_t chunk_at() const noexcept { return chunk_page * page_bytes; }
  index_t chunk_bytes() const noexcept { return chunk_pages * page_bytes; }
  auto chunk_key() const noexcept { return std::tuple(process, inode, chunk_page, chunk_pages); }
};

class chunk;

/// Near memory that cannot be had is no error: one warning per process names the first cause.
void say_once_that_messages_serve(const std::string& cause);

/// A piece of this rank's near memory; given back to the arena when the last copy goes.
class block {
 public:
  std::byte* data() const noexcept { return data_.get(); }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  friend class arena;
  std::shared_ptr<std::byte> data_;
};

/// A peer's chunk, mapped into this process; unmapped when the last copy goes.
class mapping {
 public:
  std::byte* at(const handle& h) const noexcept { return base_.get() + h.offset; }

 private:
  friend class arena;
  std::shared_ptr<std::byte> base_;
};

/// The near memory of one rank as one team uses it. Allocating and mapping are local; a crash leaves nothing behind,
/// since the files have no name: near ranks open them through /proc/PROCESS/fd. Chunks and mappings belong to the
/// process, not to a team, so that many communicators share chunks, and memory allocated for one team is found for
/// another.
class arena {
 public:
  /// The team's arena, made (collectively) at the first call. A subteam's is that of its whole team, which must have
  /// asked for it before.
  static arena& of(const team& members);

  /// False where the probe found that near ranks cannot map each other's memory, or NEARFAR_SHM=off; near ranks then
  /// use messages and allocate() gives ordinary memory.
  bool is_shared() const noexcept { return is_shared_ && !is_closed_; }

  /// Looks, before a plan is made, whether near ranks can still map each other's memory: a program may have become
  /// unreadable, or have no descriptor left. If not, is_shared() is false from here on, so that the plan uses messages,
  /// and one line says why; what is mapped stays in use, and blocks stay what they are. Collective over the team.
  /// @cost  a file opened, a reduction
  void look_again(const team& members);

  /// True where near ranks may read each other's ordinary memory (process_vm_readv); probed on every near pair that is
  /// adjacent.
  bool has_process_reads() const noexcept { return has_process_reads_; }

  const line_kernel& lines() const noexcept { return *lines_; }

  /// Page-aligned, zeroed, physically reserved memory (so that a full /dev/shm is an error here, not a SIGBUS later).
  /// Where limits of this process (descriptors, size of files) leave it no near memory, ordinary memory, and one line
  /// says so. Local.
  /// @throws resource_error naming the host, the bytes asked and the bytes free
  block allocate(index_t bytes);

  /// Near memory for a program that knows nothing of teams, and so found by those of all its communicators; from 1 MiB
  /// on its pages come when they are touched. Empty where NEARFAR_SHM is off or less than twice as much is free. Local.
  static block allocate_spare(index_t bytes) noexcept;

  /// The handle of memory inside one of this rank's blocks; not valid for other memory. Local.
  handle find(const void* address, index_t bytes) const;

  /// Changes whenever memory for which find() once succeeded may have become something else: what was found before may
  /// be kept until then. Local.
  static std::uint64_t generation() noexcept;

  /// Maps a near rank's chunk (one mapping while anyone uses it). Local. @throws resource_error
  mapping attach(const handle& h);

  /// Keeps blocks from being reused until `is_quiet`, which may read them, is true: no peer accesses them any more. It
  /// is asked at later allocations. Local.
  static void retire(std::vector<block> blocks, std::function<bool()> is_quiet);

 private:
  explicit arena(const team& members);
  static block allocate_shared(index_t bytes, const std::string& host);
  static block allocate_lazily(index_t bytes);
  void probe(const team& members);
  int open_file_of(const handle& h) const;
  [[noreturn]] void refuse_mapping(const handle& h, int code) const;
  void choose_lines(const team& members, const block& own, const handle& right);
  void sweep();
  std::string host_;
  bool is_shared_ = false, is_closed_ = false;
  block probe_;      ///< that the near rank to the left looks at
  handle of_right_;  ///< that this rank looks at
  bool has_process_reads_ = false;
  const line_kernel* lines_ = &word_lines();
};

}  // namespace nearfar::near
