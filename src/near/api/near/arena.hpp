// SPDX-License-Identifier: BSD-3-Clause
// Near memory: each rank's own chunks of shared memory, which its near ranks map when they need them.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nearfar/team.hpp>
#include <vector>

namespace nearfar::near {

/// How another rank of the node finds a piece of near memory; sent in messages.
struct handle {
  std::int32_t process = -1;  ///< owner's process id; -1: not near memory
  std::int32_t file = -1;     ///< the owner's descriptor of the chunk
  std::uint64_t serial = 0;   ///< distinguishes chunks that reuse a descriptor
  std::int64_t chunk_bytes = 0;
  std::int64_t offset = 0;    ///< of the piece in the chunk
  bool is_valid() const noexcept { return process >= 0; }
};

struct chunk;

/// A piece of this rank's near memory; given back to the arena when the last copy goes.
class block {
 public:
  block() = default;
  std::byte* data() const noexcept { return data_.get(); }
  index bytes() const noexcept { return bytes_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  friend class arena;
  std::shared_ptr<std::byte> data_;
  index bytes_ = 0;
};

/// A peer's chunk, mapped into this process; unmapped when the last copy goes.
class mapping {
 public:
  std::byte* at(const handle& h) const noexcept { return base_.get() + h.offset; }
  explicit operator bool() const noexcept { return base_ != nullptr; }

 private:
  friend class arena;
  std::shared_ptr<std::byte> base_;
};

/// All near memory of one rank in one team. Allocation and mapping are local; nothing is left behind by a crash, since the
/// files have no name.
class arena {
 public:
  /// The team's arena, made (collectively) at the first call.
  static arena& of(const team& members);
  ~arena();

  /// False where the probe at creation found that near ranks cannot map each other's memory; then near ranks use messages.
  bool is_shared() const noexcept { return is_shared_; }

  /// Page-aligned, zeroed, physically reserved memory (so that a full /dev/shm is an error here, not a SIGBUS later).
  /// Local. @throws resource_error naming the host, the bytes asked and the bytes free
  block allocate(index bytes);

  /// The handle of memory inside one of this rank's blocks; not valid for other memory. Local.
  handle find(const void* address, index bytes) const noexcept;

  /// Maps a near rank's chunk (cached while anyone uses it). Local. @throws resource_error
  mapping attach(const handle& h);

 private:
  explicit arena(const team& members);
  void probe(const team& members);
  std::vector<std::weak_ptr<chunk>> chunks_;
  std::shared_ptr<chunk> current_;
  std::map<std::pair<std::int32_t, std::uint64_t>, std::weak_ptr<std::byte>> attached_;
  std::string host_;
  bool is_shared_ = false;
};

}  // namespace nearfar::near
