// SPDX-License-Identifier: BSD-3-Clause
// A chunk: a mapped range of this process's nameless file of shared memory, and which of its pages are in use.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <mutex>
#include <near/arena.hpp>
#include <string>

#include "free_runs.hpp"
#include "shared_file.hpp"

namespace nearfar::near {

constexpr index_t round_to_pages(index_t bytes) noexcept { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

class chunk {
 public:
  /// @throws resource_error
  chunk(index_t bytes, backing from, pages when, const std::string& host);
  ~chunk();
  chunk(const chunk&) = delete;
  chunk& operator=(const chunk&) = delete;

  /// First free run of pages, zeroed; null when none is long enough, and in a child after fork.
  std::byte* take(index_t bytes);
  void give_back(std::byte* at, index_t bytes);
  bool holds(const void* address, index_t bytes) const noexcept;
  handle handle_at(const void* address) const noexcept;
  static std::uint64_t destroyed() noexcept;  ///< chunks of this process that are no more

 private:
  std::byte* base_ = nullptr;
  index_t bytes_ = 0;
  index_t never_used_from_ = 0;  ///< beyond it the file's own zeros are still there
  std::mutex mutex_;
  free_runs free_;
  shared_file::place place_;
};

}  // namespace nearfar::near
