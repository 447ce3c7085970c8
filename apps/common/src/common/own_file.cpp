// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads go on after interruptions and short counts.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <common/own_file.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nearfar/error.hpp>

namespace apps {
namespace {

[[noreturn]] void fail_on(const std::string& path, const char* what, int error) {
  throw nearfar::io_error(path + " cannot be " + what + ": " + std::strerror(error));
}

int open_or_fail(const std::string& path, int flags, const char* what) {
  const int handle = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (handle < 0) fail_on(path, what, errno);
  return handle;
}

}  // namespace

own_file own_file::to_read(const std::string& path) { return {path, open_or_fail(path, O_RDONLY, "read")}; }
own_file own_file::to_write(const std::string& path) { return {path, open_or_fail(path, O_WRONLY, "written")}; }
own_file own_file::made_anew(const std::string& path) {
  return {path, open_or_fail(path, O_WRONLY | O_CREAT | O_TRUNC, "written")};
}

own_file::~own_file() {
  if (handle_ >= 0) ::close(handle_);
}

void own_file::fail(const char* what, int error) const { fail_on(path_, what, error); }

void own_file::write(std::int64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(handle_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("written", errno);
    if (done == 0) fail("written", ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done)), at += done;
  }
}

void own_file::read(std::int64_t at, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(handle_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read", errno);
    if (done == 0) throw nearfar::io_error(path_ + " ends too early: it is truncated");
    bytes = bytes.subspan(static_cast<std::size_t>(done)), at += done;
  }
}

std::int64_t own_file::size() const {
  struct stat facts {};
  if (::fstat(handle_, &facts) != 0) fail("read", errno);
  return facts.st_size;
}

void own_file::close() {
  const int handle = std::exchange(handle_, -1);
  if (handle >= 0 && ::close(handle) != 0 && errno != EINTR) fail("written", errno);
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    throw nearfar::io_error(from + " cannot be renamed to " + to + ": " + std::strerror(errno));
}

void check_writable(const std::string& path) {
  if (std::filesystem::is_directory(path)) fail_on(path, "written", EISDIR);
  const std::string partial = path + ".partial";
  own_file::made_anew(partial).close();
  std::remove(partial.c_str());
}

void write_whole(const std::string& path, const std::string& text) {
  const std::string partial = path + ".partial";
  try {
    own_file file = own_file::made_anew(partial);
    file.write(0, std::as_bytes(std::span(text)));
    file.close();
    rename_file(partial, path);
  } catch (...) {
    std::remove(partial.c_str());
    throw;
  }
}

}  // namespace apps
