// SPDX-License-Identifier: BSD-3-Clause
// Looks the MPI's functions up: behind this library in the search order, or in privately loaded libraries.
#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <real_mpi.hpp>
#include <vector>

namespace nearfar::real {

#define NEARFAR_DEFINE(name) decltype(name) name = nullptr;
NEARFAR_REAL_FUNCTIONS(NEARFAR_DEFINE)
NEARFAR_REAL_OBJECTS(NEARFAR_DEFINE)
#undef NEARFAR_DEFINE

namespace {

// This library never defines it, so that whoever does is the MPI (or a tool above it, which dlsym from here cannot
// see).
constexpr const char* landmark = "PMPI_Comm_get_attr";

struct entry {
  const char* name;
  void (**pointer)();
};

#define NEARFAR_ENTRY(name) {#name, (void (**)()) & name},
const entry functions[] = {NEARFAR_REAL_FUNCTIONS(NEARFAR_ENTRY)};
#undef NEARFAR_ENTRY

struct object {
  const char* name;
  void** address;
};

#define NEARFAR_OBJECT(name) {#name, &name},
const object objects[] = {NEARFAR_REAL_OBJECTS(NEARFAR_OBJECT){nullptr, nullptr}};
#undef NEARFAR_OBJECT

[[noreturn]] void missing() {
  std::fputs("nearfar error: this MPI lacks a function that the preloaded library needs\n", stderr);
  std::abort();
}

int note_name(dl_phdr_info* info, std::size_t, void* names) {
  if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

// Names first, questions later: dlopen must not be called while the list of libraries is locked.
void* find_private_library() {
  std::vector<std::string> names;
  ::dl_iterate_phdr(note_name, &names);
  for (const std::string& name : names) {
    void* library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (::dlsym(library, landmark) != nullptr) return library;  // kept: the pointers must stay valid
    ::dlclose(library);
  }
  return nullptr;
}

std::string file_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "?";
}

// Handles of the wrong kind cannot even be passed on, so a mistaken library must be found out.
std::string foreign(void* library) {
  const std::string file = file_of(::dlsym(library, landmark));
  const bool is_open_mpi = ::dlsym(library, "ompi_mpi_comm_world") != nullptr;
#if defined(MPI_ABI_VERSION)
  if (file.find("mpi_abi") == std::string::npos)
    return file + " has handles of its own; this library was built for those of the standard ABI";
#elif defined(OPEN_MPI)
  if (!is_open_mpi) return file + " is not Open MPI, for which this library was built";
#else
  if (is_open_mpi) return file + " is Open MPI, but this library was built for MPICH and its kin";
  if (file.find("mpi_abi") != std::string::npos)
    return file + " has the handles of the standard ABI; this library was built for those of MPICH";
#endif
  return "";
}

void (*find_function(void* library, const std::string& name))() {
  void* found = ::dlsym(library, ("P" + name).c_str());
  if (found == nullptr) found = ::dlsym(library, name.c_str());  // variables have one name
  return found != nullptr ? reinterpret_cast<void (*)()>(found) : &missing;
}

// Programs that are linked with the MPI may hold the object itself (the linker copies data there), so that they are
// asked first.
void* find_object(void* library, const char* name) {
  void* found = ::dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : ::dlsym(library, name);
}

}  // namespace

std::string why_foreign() { return ::dlsym(RTLD_NEXT, landmark) != nullptr ? foreign(RTLD_NEXT) : ""; }

// The tool has the name without, the MPI the name with the P.
void (*find_in_tool(const char* name) noexcept)() {
  char of_mpi[64];
  std::snprintf(of_mpi, sizeof of_mpi, "P%s", name);
  void* const next = ::dlsym(RTLD_NEXT, name);
  const void* const last = ::dlsym(RTLD_NEXT, of_mpi);
  Dl_info here{}, there{};
  if (next == nullptr || ::dladdr(next, &here) == 0 || ::dladdr(last, &there) == 0) return nullptr;
  return here.dli_fbase != there.dli_fbase ? reinterpret_cast<void (*)()>(next) : nullptr;
}

std::string find_all() {
  void* library = ::dlsym(RTLD_NEXT, landmark) != nullptr ? RTLD_NEXT : find_private_library();
  if (library == nullptr) return "none";
  if (std::string why = foreign(library); !why.empty()) return why;
  for (const entry& f : functions) *f.pointer = find_function(library, f.name);
  for (const object& o : objects)
    if (o.name != nullptr) *o.address = find_object(library, o.name);
  return "";
}

}  // namespace nearfar::real
