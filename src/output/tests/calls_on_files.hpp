// SPDX-License-Identifier: BSD-3-Clause
// The C library's calls on files, in place of its own in the one program that includes this: each may be the process's
// last, fail, be interrupted or put down less than it was asked to, and what a power cut would take is noted.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <mutex>
#include <set>
#include <string>

namespace {

/// The calls below count, in the process that sets this; the last one is its last.
std::atomic<int> calls_left = -1;

bool is_last_call() noexcept { return calls_left.load() > 0 && calls_left.fetch_sub(1) == 1; }
void before_call() noexcept {
  if (is_last_call()) kill(getpid(), SIGKILL);
}

/// So many calls that need room on the disk are left before all of them fail with this error.
std::atomic<int> calls_that_succeed = -1, error_of_disk = ENOSPC;
/// Every other call is interrupted by a signal, and there are no locks.
std::atomic<bool> is_interrupted = false;
std::atomic<int> interrupts = 0;

bool is_full() noexcept {
  if (is_interrupted && interrupts++ % 2 == 0) {
    errno = EINTR;
    return true;
  }
  if (calls_that_succeed.load() < 0) return false;
  if (calls_that_succeed.load() > 0 && calls_that_succeed.fetch_sub(1) > 1) return false;
  errno = error_of_disk;
  return true;
}

/// What a power cut would take: bytes of a file since it was last synchronised, and names since their folder was. While
/// it watches, it counts records of the journal that are written before all data, and the names of their files, are
/// safe. Files that only describe others (headers) may be old: they are made again.
class power_watch {
 public:
  void begin(const std::string& stream) {
    const std::scoped_lock held(lock_);
    stream_ = stream;
    data_.clear(), words_.clear(), made_.clear(), renamed_.clear();
    early_records_ = 0, syncs_ = 0;
  }
  void end() { begin(""); }
  int early_records() {
    const std::scoped_lock held(lock_);
    return early_records_;
  }
  int syncs() {
    const std::scoped_lock held(lock_);
    return syncs_;
  }
  /// What would be lost; "": nothing.
  std::string unsafe() {
    const std::scoped_lock held(lock_);
    std::string all = lost_names();
    for (const auto* files : {&data_, &words_})
      for (const std::string& f : *files) all += "bytes of " + f + "; ";
    return all;
  }
  std::string unsafe_names() {
    const std::scoped_lock held(lock_);
    return lost_names();
  }
  void note_write(int file, std::size_t bytes) {
    const std::scoped_lock held(lock_);
    const std::string name = is_on() ? name_of(file) : "";
    if (!is_ours(name)) return;
    // Times and counts, a number each, are written between the data and the record, and may be lost with the record.
    const bool is_journal = name.ends_with(".journal");
    if (is_journal && bytes > 1 && (!data_.empty() || !made_.empty())) ++early_records_;
    (is_journal || bytes == sizeof(double) ? words_ : data_).insert(name);
  }
  void note_sync(int file) {
    const std::scoped_lock held(lock_);
    if (!is_on()) return;
    ++syncs_;
    const std::string name = name_of(file);
    data_.erase(name), words_.erase(name);
    std::erase_if(made_, [&](const std::string& f) { return folder_of(f) == name; });
    std::erase_if(renamed_, [&](const std::string& f) { return folder_of(f) == name; });
  }
  void note_new(const char* path) {
    const std::scoped_lock held(lock_);
    if (is_on() && is_ours(path) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0) made_.insert(path);
  }
  void note_rename(const char* from, const char* to) {
    const std::scoped_lock held(lock_);
    if (!is_on() || !is_ours(to)) return;
    if (made_.erase(from) > 0) made_.insert(to);
    renamed_.insert(to);
  }

 private:
  bool is_on() const { return !stream_.empty(); }
  static std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
  static std::string name_of(int file) {
    std::array<char, 4096> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t n = readlink(link.c_str(), name.data(), name.size() - 1);
    return {name.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  }
  /// A file of data, a journal, the list of parts, or a folder of these.
  bool is_ours(const std::string& name) const {
    const auto ends = [&](const char* with) { return name.ends_with(with); };
    return name.starts_with(stream_) && !ends(".rsf") && !ends(".series") && !ends("/zarr.json") &&
           name.find(".new.") == name.npos && name.find("/time/c.") == name.npos;
  }
  std::string lost_names() const {
    std::string all;
    for (const auto* files : {&made_, &renamed_})
      for (const std::string& f : *files) all += "the name of " + f + "; ";
    return all;
  }
  std::mutex lock_;
  std::string stream_;
  std::set<std::string> data_, words_, made_, renamed_;
  int early_records_ = 0, syncs_ = 0;
};
power_watch& power() {
  static power_watch one;
  return one;
}

/// Writes put down a part of what they are asked to.
std::atomic<bool> is_short = false;

}  // namespace

// In place of the C library's, for the program and for the libraries that it uses. Nothing is synchronised: processes
// die here, not machines.
extern "C" {
ssize_t pwrite(int file, const void* from, size_t bytes, off_t at) {
  if (is_full()) return -1;
  const bool is_last = is_last_call();
  power().note_write(file, bytes);
  const bool is_cut = is_last || (is_short && bytes > 1);
  const ssize_t done = syscall(SYS_pwrite64, file, from, is_cut ? bytes / 2 : bytes, at);
  if (is_last) kill(getpid(), SIGKILL);
  return done;
}
ssize_t write(int file, const void* from, size_t bytes) {
  if (file > 2 && is_full()) return -1;
  return syscall(SYS_write, file, from, bytes);
}
int fallocate(int file, int mode, off_t at, off_t bytes) {
  before_call();
  if (is_full()) return -1;
  return static_cast<int>(syscall(SYS_fallocate, file, mode, at, bytes));
}
int fdatasync(int file) {
  before_call();
  power().note_sync(file);
  return is_full() ? -1 : 0;
}
int fsync(int file) {
  power().note_sync(file);
  return 0;
}
int mkdir(const char* path, mode_t mode) noexcept {
  power().note_new(path);
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int flock(int file, int how) noexcept {
  if (!is_interrupted) return static_cast<int>(syscall(SYS_flock, file, how));
  errno = interrupts++ % 2 == 0 ? EINTR : ENOLCK;
  return -1;
}
int rename(const char* from, const char* to) noexcept {
  before_call();
  power().note_rename(from, to);
  return static_cast<int>(syscall(SYS_rename, from, to));
}
int remove(const char* path) noexcept {
  before_call();
  if (syscall(SYS_unlink, path) == 0) return 0;
  return static_cast<int>(syscall(SYS_rmdir, path));
}
int truncate(const char* path, off_t bytes) noexcept {
  before_call();
  if (is_interrupted && is_full()) return -1;
  return static_cast<int>(syscall(SYS_truncate, path, bytes));
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_ACCMODE) != O_RDONLY) before_call();
  if ((flags & O_CREAT) != 0 && is_full()) return -1;
  if ((flags & O_CREAT) != 0) power().note_new(path);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
}
