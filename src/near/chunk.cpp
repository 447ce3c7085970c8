// SPDX-License-Identifier: BSD-3-Clause
// Maps a range of the process's shared file, and allocates runs of its pages.
#include "chunk.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace nearfar::near {

namespace {

/// An odd number of pages. Chunks are mapped one below the other; if their sizes were multiples of a large power of
/// two, equal places of several fields would fall into one set of the translation buffers, and loops over ten fields
/// ran at half their speed.
index_t odd_pages(index_t bytes) {
  const index_t pages = round_to_pages(bytes) / page_bytes;
  return (pages | 1) * page_bytes;
}

/// Maps a range of a file. Large ones begin at the same place of a huge page in memory and in the file: only then can
/// the kernel map huge pages, which those may ask for who use all of the range.
void* mapped(index_t bytes, int file, index_t at) {
  constexpr index_t huge = index_t{2} << 20, large = 2 * huge;
  constexpr int rights = PROT_READ | PROT_WRITE;
  void* room = MAP_FAILED;
  if (bytes >= large)
    room = mmap(nullptr, as_size(bytes + huge), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return mmap(nullptr, as_size(bytes), rights, MAP_SHARED, file, at);
  const index_t before =
      (at - static_cast<index_t>(reinterpret_cast<std::uintptr_t>(room) % as_size(huge)) + huge) % huge;
  auto* const begin = static_cast<std::byte*>(room) + before;
  void* const found = mmap(begin, as_size(bytes), rights, MAP_SHARED | MAP_FIXED, file, at);
  const int code = errno;
  if (found == MAP_FAILED) {
    munmap(room, as_size(bytes + huge));
  } else {
    if (before > 0) munmap(room, as_size(before));
    if (before < huge) munmap(begin + bytes, as_size(huge - before));
  }
  errno = code;
  return found;
}

}  // namespace

chunk::chunk(index_t bytes, backing from, pages when, const std::string& host)
    : bytes_(odd_pages(bytes)), free_(bytes_), place_(shared_file::take(bytes_, from, when, host)) {
  void* at = mapped(bytes_, place_.file->descriptor(), place_.at);
  if (at == MAP_FAILED) {
    const int code = errno;
    shared_file::give_back(place_, bytes_);
    refuse_memory(host, bytes_, from, "mmap", code);
  }
  base_ = static_cast<std::byte*>(at);
}

namespace {
std::atomic<std::uint64_t> chunks_destroyed = 0;
}

std::uint64_t chunk::destroyed() noexcept { return chunks_destroyed.load(std::memory_order_relaxed); }

chunk::~chunk() {
  chunks_destroyed.fetch_add(1, std::memory_order_relaxed);
  munmap(base_, as_size(bytes_));
  shared_file::give_back(place_, bytes_);
}

std::byte* chunk::take(index_t bytes) {
  if (!place_.file->is_of_this_process()) return nullptr;
  const std::scoped_lock lock(mutex_);
  const index_t wanted = round_to_pages(bytes);
  const index_t offset = free_.take(wanted);
  if (offset < 0) return nullptr;
  const index_t used_before = std::min(never_used_from_ - offset, wanted);
  if (used_before > 0) std::memset(base_ + offset, 0, as_size(used_before));
  never_used_from_ = std::max(never_used_from_, offset + wanted);
  return base_ + offset;
}

void chunk::give_back(std::byte* at, index_t bytes) {
  const std::scoped_lock lock(mutex_);
  free_.give_back(at - base_, round_to_pages(bytes));
}

bool chunk::holds(const void* address, index_t bytes) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= base_ && at + bytes <= base_ + bytes_;
}

handle chunk::handle_at(const void* address) const noexcept {
  const auto in_pages = [](index_t bytes) { return static_cast<std::uint32_t>(bytes / page_bytes); };
  return {getpid(),
          place_.file->descriptor(),
          place_.file->inode(),
          in_pages(place_.at),
          in_pages(bytes_),
          static_cast<const std::byte*>(address) - base_};
}

}  // namespace nearfar::near
