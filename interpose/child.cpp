// SPDX-License-Identifier: BSD-3-Clause
// A child of a rank that is linked with another MPI starts anew without this library: handles of another MPI cannot be
// passed on. Before main, when it has done nothing yet.
#include "child.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <real_mpi.hpp>
#include <string>
#include <string_view>

namespace nearfar::interpose {
namespace {

constexpr const char* mark = "NEARFAR_PRELOAD_PARENT";

/// The entries of LD_PRELOAD but this library.
std::string others_in(std::string_view list, std::string_view own) {
  std::string others;
  while (!list.empty()) {
    const auto end = std::min(list.find_first_of(": "), list.size());
    const std::string_view entry = list.substr(0, end);
    if (!entry.empty() && entry != own) others.append(others.empty() ? "" : ":").append(entry);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return others;
}

__attribute__((constructor)) void step_aside(int, char** words, char**) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (std::getenv(mark) == nullptr || preloaded == nullptr) return;
  const std::string why = real::why_foreign();
  Dl_info own{};
  if (why.empty() || ::dladdr(mark, &own) == 0 || own.dli_fname == nullptr) return;
  const std::string others = others_in(preloaded, own.dli_fname);
  if (others == others_in(preloaded, "")) return;  // linked, not preloaded: it would be there again
  std::fprintf(stderr, "nearfar: %s, started by a rank, runs without the preloaded library: %s\n", words[0],
               why.c_str());
  ::setenv("LD_PRELOAD", others.c_str(), 1);
  ::unsetenv(mark);
  ::execv("/proc/self/exe", words);
  ::setenv("LD_PRELOAD", preloaded, 1);  // MPI_Init will say that it cannot be used
}

}  // namespace

void mark_children() noexcept { ::setenv(mark, "1", 1); }

}  // namespace nearfar::interpose
