// SPDX-License-Identifier: BSD-3-Clause
// JSON Lines with one entry each: a damaged line costs one entry, and `sort -u` or an editor can mend the file.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <base/clock.hpp>
#include <base/log.hpp>
#include <base/process.hpp>
#include <base/text.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nearfar/error.hpp>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "wisdom_file.hpp"

namespace nearfar::tune::detail {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view first_bytes = "{\"key\":";  // of each line: nlohmann::json sorts by name

// A run makes many plans.
std::once_flag damaged_lines, unreadable_file, unwritable_file;

struct line_of_file {
  std::string text;
  std::string key;  // empty: of another version
  wisdom_entry entry;
};

enum class reading { entry, other_version, damaged };

reading parse(line_of_file& line) {
  const json j = json::parse(line.text, nullptr, false);
  if (!j.is_object() || !j.contains("version") || !j["version"].is_number_integer()) return reading::damaged;
  if (j["version"] != wisdom_version) return reading::other_version;
  for (const char* name : {"key", "method"})
    if (!j.contains(name) || !j[name].is_string()) return reading::damaged;
  if (!j.contains("seconds") || !j["seconds"].is_number() || j["seconds"] < 0.0) return reading::damaged;
  line.key = j["key"];
  if (j.contains("plain_seconds") && (!j["plain_seconds"].is_number() || j["plain_seconds"] < 0.0))
    return reading::damaged;
  line.entry = {j["method"], j["seconds"], j.value("plain_seconds", 0.0)};
  return line.entry.method.empty() || line.key.empty() ? reading::damaged : reading::entry;
}

std::string print(const std::string& key, const wisdom_entry& entry) {
  json j{{"version", wisdom_version},
         {"key", key},
         {"method", entry.method},
         {"seconds", std::isfinite(entry.seconds) ? entry.seconds : 0.0}};
  if (entry.plain_seconds > 0 && std::isfinite(entry.plain_seconds)) j["plain_seconds"] = entry.plain_seconds;
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

struct contents {
  std::vector<line_of_file> lines;  // good ones, and those of other versions, in the order of the file
  bool is_foreign = false;          // it holds something, and not one line like ours, damaged or not
};

constexpr std::uintmax_t most_bytes = 64 << 20;  // a hundred thousand decisions

// Opening a pipe would wait for its writer, and a device might never end.
void require_readable_size(const std::string& path) {
  if (!fs::is_regular_file(path)) throw io_error("it is not a regular file");
  if (const auto bytes = fs::file_size(path); bytes > most_bytes)
    throw io_error(text("it has ", bytes, " bytes, and at most ", most_bytes, " are read"));
}

contents read(const std::string& path) {
  contents all;
  if (!fs::exists(path)) return all;
  require_readable_size(path);
  text_file file(path);
  if (!file) throw io_error("it cannot be opened for reading");
  bool has_ours = false;
  int number = 0, damaged = 0, first_damaged = 0;
  for (line_of_file line; std::getline(file, line.text); line = {}) {
    ++number;
    if (line.text.empty()) continue;
    has_ours = has_ours || line.text.starts_with(first_bytes);
    if (parse(line) != reading::damaged)
      all.lines.push_back(std::move(line));
    else if (damaged++ == 0)
      first_damaged = number;
  }
  all.is_foreign = number > 0 && !has_ours;
  if (damaged > 0)
    log::warning_once(damaged_lines, "wisdom file ", path, ": skipped ", damaged,
                      " unreadable line(s), the first is line ", first_damaged);
  return all;
}

std::string reason() { return std::strerror(errno); }

class descriptor {
 public:
  descriptor(const std::string& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw io_error(text("cannot open ", path, ": ", reason()));
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  void lock() {
    const double begin = seconds_now();
    while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) throw io_error(text("cannot lock ", path_, ": ", reason()));
      if (seconds_now() - begin > lock_patience_s) throw io_error(text(path_, " stays locked by another process"));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  void write(const std::string& bytes) {
    const file_size_signal_off no_signal;
    for (std::size_t at = 0; at < bytes.size();) {
      const ::ssize_t count = ::write(fd_, bytes.data() + at, bytes.size() - at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw io_error(text("cannot write ", path_, ": ", reason()));
      at += static_cast<std::size_t>(count);
    }
  }
  // On some file systems a full disk shows only here.
  void close() {
    const bool is_safe = ::fsync(fd_) == 0;
    const bool is_closed = ::close(std::exchange(fd_, -1)) == 0;
    if (!is_safe || !is_closed) throw io_error(text("cannot finish writing ", path_, ": ", reason()));
  }

 private:
  std::string path_;
  int fd_;
};

// Nobody else writes the temporary file, since it is written under the lock; a crash leaves it for the next writer.
void replace(const std::string& path, const std::string& bytes) {
  const std::string temporary = path + ".new";
  try {
    descriptor file(temporary, O_WRONLY | O_TRUNC);
    file.write(bytes);
    file.close();
    fs::rename(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void merge(const std::string& wanted, const std::string& key, const wisdom_entry& entry) {
  // A rename would turn a device like /dev/null into a file, and a symbolic link too.
  if (fs::exists(wanted) && !fs::is_regular_file(wanted)) throw io_error("it is not a regular file");
  const std::string path = fs::exists(wanted) ? fs::canonical(wanted).string() : wanted;
  if (const auto folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directories(folder);
  descriptor guard(path + ".lock", O_RDWR);
  guard.lock();
  const contents old = read(path);
  if (old.is_foreign) throw io_error("it holds something else");
  std::string lines;
  for (const line_of_file& line : old.lines)
    if (line.key != key) lines += line.text + "\n";
  replace(path, lines + print(key, entry) + "\n");
}

}  // namespace

std::optional<wisdom_entry> find_in_file(const std::string& path, const std::string& key) noexcept {
  std::optional<wisdom_entry> found;
  if (path.empty() || key.empty()) return found;
  try {
    for (contents all = read(path); line_of_file & line : all.lines)
      if (line.key == key) found = std::move(line.entry);
  } catch (const std::exception& e) {
    log::warning_once(unreadable_file, "wisdom file ", path, " is not used: ", e.what());
  }
  return found;
}

bool keep_in_file(const std::string& path, const std::string& key, const wisdom_entry& entry) noexcept {
  if (path.empty() || key.empty()) return false;
  try {
    merge(path, key, entry);
    return true;
  } catch (const std::exception& e) {
    log::warning_once(unwritable_file, "wisdom file ", path, " is not written: ", e.what(),
                      "; set NEARFAR_WISDOM to a file that can be written, or to off");
    return false;
  }
}

}  // namespace nearfar::tune::detail
