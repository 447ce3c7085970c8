// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for the processor that the program runs on.
#include <element/kernels.hpp>

#include <cstdlib>
#include <nearfar/error.hpp>
#include <string>

namespace adaptive_heat {

const kernel_table* kernels_named(std::string_view name) {
  if (name == "plain") return plain::find();
  if (name == "avx2") return avx2::find();
  if (name == "avx512") return avx512::find();
  return nullptr;
}

const kernel_table& kernels() {
  static const kernel_table& chosen = []() -> const kernel_table& {
    const char* const asked = std::getenv("NEARFAR_HEAT_KERNELS");
    if (asked != nullptr) {
      if (const kernel_table* const found = kernels_named(asked)) return *found;
      throw nearfar::usage_error("NEARFAR_HEAT_KERNELS=" + std::string(asked) +
                                 ": it must be plain, avx2 or avx512, and the processor must have it");
    }
    for (const char* const name : {"avx512", "avx2"})
      if (const kernel_table* const found = kernels_named(name)) return *found;
    return *plain::find();
  }();
  return chosen;
}

}  // namespace adaptive_heat
