// SPDX-License-Identifier: BSD-3-Clause
// One link per path, whose name is made of the path, so that all ranks and all runs come to the same one. The programs
// that a program starts inherit LD_PRELOAD and may outlive it, so that nobody knows when the link could go.
#include "alias.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace nearfar::run {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error("LD_PRELOAD cannot hold '" + path + "' (it splits at spaces and colons), and a link to it " +
                           why +
                           "; set TMPDIR to a folder that you can write to, without spaces and colons, or "
                           "install Nearfar elsewhere");
}

// FNV-1a
std::string hash_of(const std::string& words) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

std::string folder_for_links() {
  const char* wanted = std::getenv("TMPDIR");
  const std::string parent = wanted != nullptr && wanted[0] == '/' && can_be_preloaded(wanted) ? wanted : "/tmp";
  return parent + "/nearfar-run-" + std::to_string(geteuid());
}

// Somebody else's folder could name somebody else's library.
bool is_own(const std::string& folder) {
  struct stat s {};
  return lstat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
         (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string target_of(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  return length < 0 ? "" : std::string(target, static_cast<std::size_t>(length));
}

}  // namespace

bool can_be_preloaded(const std::string& path) { return path.find_first_of(" :$\t\n") == std::string::npos; }

std::string preloadable(const std::string& path) {
  if (can_be_preloaded(path)) return path;
  const std::string folder = folder_for_links();
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    refuse(path, "cannot be made in " + folder + ": " + std::strerror(errno));
  if (!is_own(folder)) refuse(path, "cannot be made in " + folder + ", which is not this user's alone");
  const std::string link = folder + "/libnearfar_mpi-" + hash_of(path) + ".so";
  if (symlink(path.c_str(), link.c_str()) != 0 && errno != EEXIST)
    refuse(path, "cannot be made in " + folder + ": " + std::strerror(errno));
  if (target_of(link) != path) refuse(path, "cannot be made: " + link + " is something else");
  return link;
}

}  // namespace nearfar::run
