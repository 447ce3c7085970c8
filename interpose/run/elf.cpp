// SPDX-License-Identifier: BSD-3-Clause
// Reads headers and the dynamic section of files of this machine's own kind; others are only told apart.
#include "elf.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

namespace nearfar::run {

namespace {

using header = ElfW(Ehdr);
using segment = ElfW(Phdr);
using entry = ElfW(Dyn);

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* into, std::size_t count = 1) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(into), static_cast<std::streamsize>(count * sizeof(T))));
}

std::string string_at(std::ifstream& file, std::uint64_t offset) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  std::string found;
  std::getline(file, found, '\0');
  return found;
}

header own_header() {
  header own{};
  std::ifstream file("/proc/self/exe", std::ios::binary);
  read_at(file, 0, &own);
  return own;
}

// Where bytes of an address in memory lie in the file.
std::uint64_t place_in_file(const std::vector<segment>& segments, std::uint64_t address) {
  for (const segment& s : segments)
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address < s.p_vaddr + s.p_filesz)
      return address - s.p_vaddr + s.p_offset;
  return 0;
}

std::vector<std::string> needed_by(std::ifstream& file, const std::vector<segment>& segments, const segment& dynamic) {
  std::vector<entry> entries(dynamic.p_filesz / sizeof(entry));
  if (!read_at(file, dynamic.p_offset, entries.data(), entries.size())) return {};
  std::uint64_t names = 0;
  for (const entry& e : entries)
    if (e.d_tag == DT_STRTAB) names = place_in_file(segments, e.d_un.d_ptr);
  std::vector<std::string> found;
  for (const entry& e : entries) {
    if (e.d_tag == DT_NULL) break;
    if (e.d_tag == DT_NEEDED) found.push_back(string_at(file, names + e.d_un.d_val));
  }
  return found;
}

}  // namespace

elf_file read_elf(const std::string& path) {
  elf_file found;
  std::ifstream file(path, std::ios::binary);
  header head{};
  if (!read_at(file, 0, &head.e_ident) || std::memcmp(&head.e_ident, ELFMAG, SELFMAG) != 0) return found;
  found.is_elf = true;
  const header own = own_header();
  found.is_same_machine =
      read_at(file, 0, &head) && head.e_ident[EI_CLASS] == own.e_ident[EI_CLASS] && head.e_machine == own.e_machine;
  if (!found.is_same_machine) return found;
  std::vector<segment> segments(head.e_phnum);
  if (!read_at(file, head.e_phoff, segments.data(), segments.size())) return found;
  for (const segment& s : segments) {
    if (s.p_type == PT_INTERP) found.has_interpreter = true;
    if (s.p_type == PT_DYNAMIC) found.needs = needed_by(file, segments, s);
  }
  return found;
}

bool raises_rights(const std::string& path) {
  struct stat s {};
  if (stat(path.c_str(), &s) != 0) return false;
  const bool changes_user = (s.st_mode & S_ISUID) != 0 && s.st_uid != getuid();
  const bool changes_group = (s.st_mode & S_ISGID) != 0 && (s.st_mode & S_IXGRP) != 0 && s.st_gid != getgid();
  std::array<char, 64> capabilities{};
  const bool has_capabilities =
      getuid() != 0 && getxattr(path.c_str(), "security.capability", capabilities.data(), capabilities.size()) > 0;
  return changes_user || changes_group || has_capabilities;
}

bool is_sanitizer(const std::string& name) {
  const std::string file = name.substr(name.rfind('/') + 1);
  for (const char* kind : {"libasan.so", "libtsan.so", "liblsan.so", "libubsan.so", "libhwasan.so", "libclang_rt."})
    if (file.starts_with(kind)) return true;
  return false;
}

}  // namespace nearfar::run
