// SPDX-License-Identifier: BSD-3-Clause
// Makes nameless files of shared memory, reserves their pages, and hands out runs of pages.
#include "chunk.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <base/env.hpp>
#include <base/text.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <nearfar/error.hpp>

namespace nearfar::near {

namespace {

constexpr const char* folder = "/dev/shm";

std::string free_space() {
  struct statvfs s {};
  if (statvfs(folder, &s) != 0) return text(folder, " cannot be read");
  const auto unit = static_cast<index>(s.f_frsize);
  return text(folder, " has ", readable_bytes(static_cast<index>(s.f_bavail) * unit), " free of ",
              readable_bytes(static_cast<index>(s.f_blocks) * unit));
}

[[noreturn]] void refuse(const std::string& host, index bytes, const char* call, int code) {
  throw resource_error(text("near memory on ", host, ": ", readable_bytes(bytes), " asked, ", free_space(), " (", call,
                            ": ", std::strerror(code), "); enlarge it, or set NEARFAR_SHM=memfd (not bounded by ",
                            folder, "), or NEARFAR_SHM=off (messages only)"));
}

int reserve(int file, index bytes, pages when) {
  if (when == pages::on_touch) return ftruncate(file, bytes) == 0 ? 0 : errno;
  int code = posix_fallocate(file, 0, bytes);
  while (code == EINTR) code = posix_fallocate(file, 0, bytes);
  return code;
}

int open_nameless(backing from) {
  if (from == backing::memory_file) return memfd_create("nearfar", MFD_CLOEXEC);
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

/// An odd number of pages. Chunks are mapped one below the other; if their sizes were multiples of a large power of two, equal places of
/// several fields would fall into one set of the translation buffers, and loops over ten fields ran at half their speed.
index odd_pages(index bytes) {
  const index pages = round_to_pages(bytes) / page_bytes;
  return (pages | 1) * page_bytes;
}

}  // namespace

backing wanted_backing() {
  const std::string name = env::string_or("NEARFAR_SHM", "devshm");
  if (name == "devshm") return backing::shared_memory_folder;
  if (name == "memfd") return backing::memory_file;
  if (name == "off") return backing::none;
  throw usage_error(text("NEARFAR_SHM is '", name, "'; it can be devshm, memfd or off"));
}

index free_bytes(backing from) noexcept {
  if (from == backing::memory_file) {
    struct sysinfo s {};
    return sysinfo(&s) == 0 ? static_cast<index>(s.freeram) * static_cast<index>(s.mem_unit) : 0;
  }
  struct statvfs s {};
  if (from == backing::none || statvfs(folder, &s) != 0) return 0;
  return static_cast<index>(s.f_bavail) * static_cast<index>(s.f_frsize);
}

chunk::chunk(index bytes, backing from, pages when, const std::string& host) : bytes_(odd_pages(bytes)) {
  file_ = open_nameless(from);
  if (file_ < 0) refuse(host, bytes_, "open", errno);
  // Reserving touches the pages: they come from this rank's memory domain, and a full folder is an error now, not a SIGBUS later.
  int code = reserve(file_, bytes_, when);
  void* at = MAP_FAILED;
  if (code == 0) {
    at = mmap(nullptr, as_size(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    code = at == MAP_FAILED ? errno : 0;
  }
  struct stat s {};
  if (code == 0 && fstat(file_, &s) != 0) code = errno;
  if (code != 0) {
    if (at != MAP_FAILED) munmap(at, as_size(bytes_));
    close(file_);
    refuse(host, bytes_, "reserving", code);
  }
  base_ = static_cast<std::byte*>(at);
  inode_ = s.st_ino;
  free_[0] = bytes_;
}

namespace {
std::atomic<std::uint64_t> chunks_destroyed = 0;
}

std::uint64_t chunk::destroyed() noexcept { return chunks_destroyed.load(std::memory_order_relaxed); }

chunk::~chunk() {
  chunks_destroyed.fetch_add(1, std::memory_order_relaxed);
  munmap(base_, as_size(bytes_));
  close(file_);
}

std::byte* chunk::take(index bytes) {
  const std::scoped_lock lock(mutex_);
  const index wanted = round_to_pages(bytes);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [offset, length] = *it;
    if (length < wanted) continue;
    free_.erase(it);
    if (length > wanted) free_[offset + wanted] = length - wanted;
    const index used_before = std::min(never_used_from_ - offset, wanted);
    if (used_before > 0) std::memset(base_ + offset, 0, as_size(used_before));
    never_used_from_ = std::max(never_used_from_, offset + wanted);
    return base_ + offset;
  }
  return nullptr;
}

void chunk::give_back(std::byte* at, index bytes) {
  const std::scoped_lock lock(mutex_);
  index offset = at - base_, length = round_to_pages(bytes);
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      length += before->second;
    }
  }
  if (after != free_.end() && after->first == (at - base_) + round_to_pages(bytes)) {
    length += after->second;
    free_.erase(after);
  }
  free_[offset] = length;
}

bool chunk::holds(const void* address, index bytes) const noexcept {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= base_ && at + bytes <= base_ + bytes_;
}

handle chunk::handle_at(const void* address) const noexcept {
  return {getpid(), file_, inode_, bytes_, static_cast<const std::byte*>(address) - base_};
}

}  // namespace nearfar::near
