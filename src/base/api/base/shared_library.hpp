// SPDX-License-Identifier: BSD-3-Clause
// Libraries that are found at run time, and the calls in them: for what is used where it is there and never needed to build.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace nearfar {

/// The first of these that the loader finds; null if it finds none. `only_loaded`: among those that the process has already.
inline void* open_first_library(std::initializer_list<const char*> names, bool only_loaded = false) {
  const int how = RTLD_NOW | RTLD_LOCAL | (only_loaded ? RTLD_NOLOAD : 0);
  for (const char* name : names)
    if (void* library = dlopen(name, how)) return library;
  return nullptr;
}

/// Sets `call` to the function of this name; null where the library, or the function, is not there.
template <class Function>
void find_call(void* library, const std::string& name, Function& call) {
  call = library ? reinterpret_cast<Function>(dlsym(library, name.c_str())) : nullptr;
}

}  // namespace nearfar
