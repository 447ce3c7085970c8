// SPDX-License-Identifier: BSD-3-Clause
// Opening files, reserving space, cutting data into blocks.
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <base/process.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace nearfar::output {

namespace {
constexpr index_t least_direct_bytes = 1 << 16;  // below, the page cache is as good
constexpr int file_mode = 0666;
}  // namespace

descriptor::~descriptor() {
  if (file_ >= 0) close(file_);
}

void refuse_file(const std::string& path, const char* what, int code) {
  throw io_error(text(path, " cannot be ", what, ": ", std::strerror(code)));
}

descriptor open_file(const std::string& path, int flags) {
  for (;;) {
    descriptor d(open(path.c_str(), flags | O_CLOEXEC, file_mode));
    if (d.get() >= 0) return d;
    if (errno != EINTR) refuse_file(path, "opened", errno);
  }
}

std::string bytes_of_own_file(const std::string& path, bool must_exist) {
  const descriptor d(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (d.get() < 0 && errno == ENOENT && !must_exist) return "";
  struct stat what {};
  if (d.get() < 0 || fstat(d.get(), &what) != 0) refuse_file(path, "read", errno);
  if (!S_ISREG(what.st_mode)) throw io_error(text(path, " cannot be read: it is no ordinary file"));
  std::string bytes(as_size(what.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(d.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_file(path, "read", errno);
    if (n == 0) break;  // another program has cut it meanwhile
    done += as_size(n);
  }
  bytes.resize(done);
  return bytes;
}

data_file::data_file(std::string path, bool is_direct_wanted, int flags) : path_(std::move(path)) {
  plain_ = open_file(path_, O_WRONLY | flags);
  if (is_direct_wanted) direct_ = descriptor(open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT));
}

int data_file::reserve(index_t offset, index_t bytes) const {
  const file_size_signal_off no_signal;
  int code = 0;
  do {
    code = fallocate(plain_.get(), 0, offset, bytes) == 0 ? 0 : errno;
  } while (code == EINTR);
  return code == EOPNOTSUPP || code == ENOSYS ? 0 : code;
}

int write_all(int file, const void* from, index_t bytes, index_t offset) {
  const file_size_signal_off no_signal;
  for (index_t done = 0; done < bytes;) {
    const auto* next = static_cast<const std::byte*>(from) + done;
    const ssize_t n = pwrite(file, next, as_size(bytes - done), offset + done);
    if (n == 0) return ENOSPC;
    if (n < 0 && errno != EINTR) return errno;
    done += std::max<ssize_t>(n, 0);
  }
  return 0;
}

int data_file::write(const void* from, index_t bytes, index_t offset) const {
  return write_all(plain_.get(), from, bytes, offset);
}

int sync_data(int file) {
  int code = 0;
  do {
    code = fdatasync(file) == 0 ? 0 : errno;
  } while (code == EINTR);
  return code;
}

int data_file::sync() const { return sync_data(plain_.get()); }

block data_file::plain(const std::byte* from, index_t bytes, index_t offset) const {
  return {from, bytes, offset, plain_.get(), plain_.get(), false};
}

void data_file::add_blocks(std::vector<block>& to, const std::byte* from, index_t bytes, index_t offset) const {
  if (!is_direct() || bytes < least_direct_bytes) {
    for (index_t at = 0; at < bytes; at += block_bytes)
      to.push_back(plain(from + at, std::min(block_bytes, bytes - at), offset + at));
    return;
  }
  const index_t head = (page_bytes - offset % page_bytes) % page_bytes, tail = (offset + bytes) % page_bytes;
  if (head > 0) to.push_back(plain(from, head, offset));
  for (index_t at = head; at < bytes - tail; at += block_bytes)
    to.push_back({from + at, std::min(block_bytes, bytes - tail - at), offset + at, direct_.get(), plain_.get(), true});
  if (tail > 0) to.push_back(plain(from + bytes - tail, tail, offset + bytes - tail));
}

void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const descriptor d(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (d.get() >= 0) fsync(d.get());
}

void replace_file(const std::string& path, const std::string& contents, bool is_synced) {
  const std::string beside = text(path, ".new.", getpid());
  {
    const data_file d(beside, false, O_CREAT | O_TRUNC);
    int code = d.write(contents.data(), as_index(contents.size()), 0);
    if (code == 0 && is_synced) code = d.sync();
    if (code != 0) {
      unlink(beside.c_str());
      refuse_file(path, "rewritten", code);
    }
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) refuse_file(path, "replaced", errno);
}

}  // namespace nearfar::output
