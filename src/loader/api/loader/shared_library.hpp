// SPDX-License-Identifier: BSD-3-Clause
// Optional libraries that are loaded at run time, and the functions in them; never needed to build.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <initializer_list>
#include <string>

namespace nearfar {

/// A library that the process keeps once it is found. Tables of functions are filled from it.
class shared_library {
 public:
  /// Which copy of a library is taken: the process's, loaded where it is not yet; the process's if it is loaded
  /// already; or one of our own, whose global state nothing else in the process can change.
  enum class copy { shared, loaded, own };

  /// The first of these that the loader finds; none if it finds none.
  explicit shared_library(std::initializer_list<const char*> names, copy which = copy::shared) noexcept {
    for (const char* name : names)
      if (!handle_) handle_ = open(name, which);
    has_all_ = handle_ != nullptr;
  }

  bool is_found() const noexcept { return handle_ != nullptr; }

  /// Sets `call` to the function of this name; null where the library, or the function, is not there.
  template <class Function>
  void find(const std::string& name, Function& call) {
    call = handle_ ? reinterpret_cast<Function>(dlsym(handle_, name.c_str())) : nullptr;
    has_all_ = has_all_ && call != nullptr;
  }

  /// Whether the library is there, with all functions that it was asked for so far.
  bool has_all() const noexcept { return has_all_; }

 private:
  static void* open(const char* name, copy which) noexcept {
    constexpr int how = RTLD_NOW | RTLD_LOCAL;
#ifdef LM_ID_NEWLM  // of the GNU C library, which has room for a few such name spaces
    if (void* const own = which == copy::own ? dlmopen(LM_ID_NEWLM, name, how) : nullptr) return own;
#endif
    return dlopen(name, how | (which == copy::loaded ? RTLD_NOLOAD : 0));
  }

  void* handle_ = nullptr;
  bool has_all_ = false;
};

/// How many libraries this process has ever loaded: looking for one among them again is worth it when that has changed,
/// since it takes the loader some opening of files.
inline unsigned long long libraries_loaded() noexcept {
  unsigned long long count = 0;
  const auto note = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;  // each entry says the same
  };
  dl_iterate_phdr(note, &count);
  return count;
}

}  // namespace nearfar
