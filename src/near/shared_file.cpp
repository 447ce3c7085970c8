// SPDX-License-Identifier: BSD-3-Clause
// Makes the files, reserves and frees parts of them, and says which limit a failure hit.
#include "shared_file.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <base/env.hpp>
#include <base/log.hpp>
#include <base/process.hpp>
#include <base/text.hpp>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <near/arena.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <vector>

namespace nearfar::near {

namespace {

constexpr const char* folder = "/dev/shm";

// Handles count pages in 32 bits.
constexpr index_t largest_file = ((index_t{1} << 32) - 1) * page_bytes;

// An MPI has its segments in the same folder. Their pages are taken when they are touched: where none is left the
// program is killed (SIGBUS). So the last part of the folder, an eighth or this much, is left to it.
constexpr index_t most_left_free = index_t{64} << 20;

struct folder_space {
  index_t free = 0, whole = 0;
  index_t left_free() const { return std::min(whole / 8, most_left_free); }
  index_t ours() const { return std::max<index_t>(0, free - left_free()); }
};

// Nothing where the folder has no bound of its own.
std::optional<folder_space> space_of_folder() noexcept {
  struct statvfs s {};
  if (statvfs(folder, &s) != 0 || s.f_blocks == 0) return {};
  const auto unit = static_cast<index_t>(s.f_frsize);
  return folder_space{static_cast<index_t>(s.f_bavail) * unit, static_cast<index_t>(s.f_blocks) * unit};
}

bool fits_in_folder(index_t bytes) noexcept {
  const auto space = space_of_folder();
  return !space || bytes <= space->ours();
}

std::string free_space(backing from) {
  if (from == backing::memory_file) return text("the node has ", readable_bytes(free_bytes(from)), " free");
  const auto space = space_of_folder();
  if (!space) return text("how much ", folder, " has free is not known");
  return text(folder, " has ", readable_bytes(space->free), " free of ", readable_bytes(space->whole), ", the last ",
              readable_bytes(space->left_free()), " of which are left to the MPI");
}

rlim_t limit_of(__rlimit_resource_t what) {
  rlimit limit{};
  return getrlimit(what, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

std::string limit_in_words(__rlimit_resource_t what) {
  const rlim_t limit = limit_of(what);
  return limit == RLIM_INFINITY ? "not limited" : text(limit);
}

/// What was hit, and what to do.
std::string reason(backing from, int code) {
  switch (code) {
    case EMFILE:
      return text("this process has as many files open as it may, ", limit_in_words(RLIMIT_NOFILE),
                  "; raise the limit (ulimit -n)");
    case ENFILE:
      return "the node has as many files open as it may; raise fs.file-max";
    case EFBIG:
      return text("files may have ", limit_in_words(RLIMIT_FSIZE), " bytes; raise the limit (ulimit -f)");
    case ENOMEM:
      return text(free_space(from), "; a process may have ", limit_in_words(RLIMIT_AS),
                  " bytes of addresses (ulimit -v) and vm.max_map_count mappings");
    default:
      break;
  }
  if (from == backing::memory_file) return free_space(from);
  return text(free_space(from), "; enlarge it, or set NEARFAR_SHM=memfd (not bounded by ", folder,
              "), or NEARFAR_SHM=off (messages only)");
}

int open_nameless(backing from) {
  if (from == backing::memory_file) return memfd_create("nearfar", MFD_CLOEXEC);
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

// Asked once: a folder that is full or a process without descriptors is an error of its own, and no reason to go
// elsewhere.
backing usual_backing() {
  static const bool can_use_folder = [] {
    const int file = open_nameless(backing::shared_memory_folder);
    const int code = errno;
    if (file >= 0) close(file);
    if (file >= 0 || code == EMFILE || code == ENFILE || code == ENOSPC || code == ENOMEM) return true;
    log::info("near memory comes from memory files: files in ", folder, " cannot be made: ", std::strerror(code));
    return false;
  }();
  return can_use_folder ? backing::shared_memory_folder : backing::memory_file;
}

}  // namespace

bool is_limited_below(index_t bytes) noexcept {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == EMFILE || errno == ENFILE;
  close(file);
  return file_size_limit() < bytes;
}

namespace {

index_t file_limit() { return std::min<index_t>(file_size_limit(), largest_file); }

struct known_files {
  std::mutex mutex;
  std::vector<std::weak_ptr<shared_file>> all;
  static known_files& get() {
    static known_files& k = *new known_files;  // blocks may live in static objects of the program
    return k;
  }
};

}  // namespace

void refuse_memory(const std::string& host, index_t bytes, backing from, const char* call, int code) {
  throw resource_error(text("near memory on ", host, ": ", readable_bytes(bytes), " asked, ", reason(from, code), " (",
                            call, ": ", std::strerror(code), ")"));
}

backing wanted_backing() {
  const std::string name = env::string_or("NEARFAR_SHM", "auto");
  if (name == "auto") return usual_backing();
  if (name == "devshm") return backing::shared_memory_folder;
  if (name == "memfd") return backing::memory_file;
  if (name == "off") return backing::none;
  throw usage_error(text("NEARFAR_SHM is '", name, "'; it can be auto, devshm, memfd or off"));
}

index_t free_bytes(backing from) noexcept {
  if (from == backing::memory_file) {
    struct sysinfo s {};
    return sysinfo(&s) == 0 ? static_cast<index_t>(s.freeram) * static_cast<index_t>(s.mem_unit) : 0;
  }
  const auto space = from == backing::none ? std::nullopt : space_of_folder();
  return space ? space->ours() : 0;
}

shared_file::place shared_file::take(index_t bytes, backing from, pages when, const std::string& host) {
  known_files& k = known_files::get();
  const std::scoped_lock lock(k.mutex);
  std::erase_if(k.all, [](const auto& f) { return f.expired(); });
  // The program may lower the limit at any time; to write beyond it would end the program (SIGXFSZ).
  const index_t limit = file_limit();
  place found{nullptr, -1};
  for (auto candidate = k.all.begin(); found.at < 0 && candidate != k.all.end(); ++candidate) {
    found.file = candidate->lock();
    if (found.file && found.file->from_ == from && found.file->is_of_this_process())
      found.at = found.file->take_below(limit, bytes);
  }
  if (found.at < 0) {
    found.file = std::make_shared<shared_file>(from, limit, host);
    found.at = found.file->free_.take(bytes);
    if (found.at < 0) refuse_memory(host, bytes, from, "reserving", EFBIG);
    k.all.push_back(found.file);
  }
  if (const int code = found.file->reserve(found.at, bytes, when); code != 0) {
    found.file->free_.give_back(found.at, bytes);
    refuse_memory(host, bytes, from, "reserving", code);
  }
  return found;
}

// A child after fork must not take the pages of its parent. What cannot be freed is not used again: it may not be zero.
void shared_file::give_back(const place& where, index_t bytes) noexcept {
  shared_file& f = *where.file;
  if (!f.is_of_this_process()) return;
  const std::scoped_lock lock(known_files::get().mutex);
  if (fallocate(f.file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, where.at, bytes) == 0)
    f.free_.give_back(where.at, bytes);
}

shared_file::shared_file(backing from, index_t limit, const std::string& host)
    : free_(limit), from_(from), owner_(getpid()), file_(open_nameless(from)) {
  if (file_ < 0) refuse_memory(host, 0, from, "open", errno);
  struct stat s {};
  fstat(file_, &s);
  inode_ = s.st_ino;
}

shared_file::~shared_file() { close(file_); }

bool shared_file::is_of_this_process() const noexcept { return owner_ == getpid(); }

index_t shared_file::take_below(index_t limit, index_t bytes) {
  const index_t at = free_.take(bytes);
  if (at < 0 || at + bytes <= limit) return at;
  free_.give_back(at, bytes);
  return -1;
}

int shared_file::reserve(index_t at, index_t bytes, pages when) {
  int code = 0;
  if (when == pages::on_touch) {
    if (at + bytes > size_) code = ftruncate(file_, at + bytes) == 0 ? 0 : errno;
  } else if (from_ == backing::shared_memory_folder && !fits_in_folder(bytes)) {
    code = ENOSPC;
  } else {
    do code = posix_fallocate(file_, at, bytes);
    while (code == EINTR);
  }
  if (code == 0) size_ = std::max(size_, at + bytes);
  return code;
}

}  // namespace nearfar::near
