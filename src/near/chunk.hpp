// SPDX-License-Identifier: BSD-3-Clause
// A chunk: one nameless file of shared memory, and which of its pages are in use.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <map>
#include <mutex>
#include <near/arena.hpp>
#include <string>

namespace nearfar::near {

inline constexpr index page_bytes = 4096;

constexpr index round_to_pages(index bytes) noexcept { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

/// Where the memory comes from: NEARFAR_SHM.
enum class backing { shared_memory_folder, memory_file, none };
backing wanted_backing();

/// What is left of it on this node; 0 for none.
index free_bytes(backing from) noexcept;

/// Whether a chunk's pages are there from the start, or come when they are touched, as ordinary memory's do.
enum class pages { reserved, on_touch };

class chunk {
 public:
  /// @throws resource_error
  chunk(index bytes, backing from, pages when, const std::string& host);
  ~chunk();
  chunk(const chunk&) = delete;
  chunk& operator=(const chunk&) = delete;

  /// First free run of pages, zeroed; null when none is long enough.
  std::byte* take(index bytes);
  void give_back(std::byte* at, index bytes);
  bool holds(const void* address, index bytes) const noexcept;
  handle handle_at(const void* address) const noexcept;
  static std::uint64_t destroyed() noexcept;  ///< chunks of this process that are no more

 private:
  std::byte* base_ = nullptr;
  index bytes_ = 0;
  index never_used_from_ = 0;  ///< beyond it the file's own zeros are still there
  std::mutex mutex_;
  std::map<index, index> free_;  ///< offset -> bytes
  int file_ = -1;
  std::uint64_t inode_ = 0;
};

}  // namespace nearfar::near
