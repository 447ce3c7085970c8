// SPDX-License-Identifier: BSD-3-Clause
// nearfar-run: runs a program under libnearfar_mpi.so, as the launcher's program:
//
//   mpirun -n 4 nearfar-run [NAME=VALUE…] PROGRAM [ARGUMENT…]
//
// The dynamic loader ignores what it cannot preload and goes on, so that everything that could make it do so is looked
// at before: a program that would run without the library is not run at all.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "alias.hpp"
#include "elf.hpp"
#include "version_text.h"

namespace nearfar::run {
namespace {

constexpr const char* usage =
    "usage: nearfar-run [NAME=VALUE...] PROGRAM [ARGUMENT...]\n"
    "       nearfar-run --help | --version\n"
    "Runs an MPI program under libnearfar_mpi.so, which makes its collectives node-aware. It is the launcher's "
    "program:\n"
    "  mpirun -n 4 nearfar-run ./program\n"
    "  mpirun -n 4 nearfar-run NEARFAR_REPORT=1 ./program\n"
    "NAME=VALUE sets a variable of the program's environment. Ends with the program's status; 2: wrong words, 125: "
    "the\n"
    "library cannot be preloaded, 126: the program cannot be run, 127: it is not found.\n";

/// Ends nearfar-run with a status and a sentence.
struct refusal : std::runtime_error {
  refusal(int status, const std::string& why) : std::runtime_error(why), code(status) {}
  int code;
};
constexpr int wrong_words = 2, cannot_preload = 125, cannot_run = 126, not_found = 127;

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0)
    return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> split(const std::string& words, const char* separators) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find_first_of(separators, at), words.size());
    parts.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// As execvp finds it.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), F_OK) != 0) throw refusal(not_found, name + ": " + std::strerror(errno));
    return name;
  }
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "/bin:/usr/bin" : path, ":")) {
    const std::string found = (folder.empty() ? "." : folder) + "/" + name;
    if (access(found.c_str(), X_OK) == 0) return found;
  }
  throw refusal(not_found, "there is no program " + name + " in PATH");
}

// Beside this program, wherever an installed tree was moved or linked to.
std::string find_library() {
  char here[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  if (length < 0) throw refusal(cannot_preload, std::string("/proc/self/exe cannot be read: ") + std::strerror(errno));
  std::string folder(here, static_cast<std::size_t>(length));
  folder.resize(folder.rfind('/') + 1);
  for (const char* prefix : {NEARFAR_TO_LIBRARY "/", ""}) {
    const std::string library = folder + prefix + "libnearfar_mpi.so";
    char real[PATH_MAX];
    if (realpath(library.c_str(), real) != nullptr) return real;
  }
  throw refusal(cannot_preload,
                "libnearfar_mpi.so is neither in " + folder + NEARFAR_TO_LIBRARY + " nor beside nearfar-run");
}

// Loading it here tells of a folder that must not hold programs, of missing libraries and of missing rights.
void require_loadable(const std::string& library) {
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return;
  const char* why = dlerror();
  throw refusal(cannot_preload, std::string("the library cannot be loaded: ") + (why == nullptr ? "" : why));
}

// Scripts hand the environment on to what they start, whatever runs them.
void require_preloading(const std::string& program, const elf_file& file) {
  if (!file.is_elf) return;
  if (!file.is_same_machine)
    throw refusal(cannot_preload, program + " is a program for another kind of processor than the library");
  if (!file.has_interpreter)
    throw refusal(cannot_preload, program +
                                      " is linked statically: libraries cannot be preloaded to it; link it "
                                      "dynamically, or with -lnearfar_mpi before the MPI");
  if (raises_rights(program))
    throw refusal(cannot_preload,
                  program +
                      " runs with the rights of another user or group, or with capabilities: "
                      "the dynamic loader preloads nothing to it; link it with -lnearfar_mpi before the MPI");
}

/// LD_PRELOAD: sanitizers' runtimes first, since they end a program in which they are not; then what was there.
std::string preload_list(const std::string& library, const elf_file& program) {
  std::vector<std::string> list, before = split(value_of("LD_PRELOAD"), " :");
  std::erase_if(before, [](const std::string& word) { return word.empty(); });
  for (const auto& needs : {program.needs, read_elf(library).needs})
    std::copy_if(needs.begin(), needs.end(), std::back_inserter(list), is_sanitizer);
  list.insert(list.end(), before.begin(), before.end());
  list.push_back(library);
  std::string joined;
  for (auto word = list.begin(); word != list.end(); ++word)
    if (std::find(list.begin(), word, *word) == word) joined += (joined.empty() ? "" : ":") + *word;
  return joined;
}

void run(char** words) {
  for (; *words != nullptr && is_assignment(*words); ++words) putenv(*words);
  if (*words == nullptr) throw refusal(wrong_words, "there is no program to run; nearfar-run --help says how");
  if (**words == '-')
    throw refusal(wrong_words,
                  std::string("there is no option ") + *words + "; nearfar-run --help says which there are");
  const std::string program = find_program(*words), library = preloadable(find_library());
  const elf_file file = read_elf(program);
  require_preloading(program, file);
  require_loadable(library);
  setenv("LD_PRELOAD", preload_list(library, file).c_str(), 1);
  execvp(*words, words);
  throw refusal(cannot_run, program + ": " + std::strerror(errno));
}

int main_of(char** words) {
  const std::string first = *words == nullptr ? "" : *words;
  if (first == "--help" || first == "--version") {
    std::fputs(first == "--help" ? usage : "nearfar-run " NEARFAR_VERSION_TEXT "\n", stdout);
    return EXIT_SUCCESS;
  }
  try {
    run(words);
  } catch (const refusal& r) {
    std::fprintf(stderr, "nearfar-run: error: %s\n", r.what());
    return r.code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nearfar-run: error: %s\n", e.what());
    return cannot_preload;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace nearfar::run

int main(int, char** argv) { return nearfar::run::main_of(argv + 1); }
