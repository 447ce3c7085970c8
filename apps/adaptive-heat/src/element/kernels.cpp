// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernels for the processor that the program runs on.
#include <element/kernels.hpp>

#include <cstdlib>
#include <nearfar/error.hpp>
#include <string>

namespace adaptive_heat {

namespace {

const kernel_table& chosen(int order) {
  const char* const asked = std::getenv("NEARFAR_HEAT_KERNELS");
  if (asked != nullptr) {
    if (const kernel_table* const found = kernels_named(asked, order)) return *found;
    throw nearfar::usage_error("NEARFAR_HEAT_KERNELS=" + std::string(asked) +
                               ": it must be plain, avx2 or avx512, and the processor must have it");
  }
  for (const char* const name : {"avx512", "avx2"})
    if (const kernel_table* const found = kernels_named(name, order)) return *found;
  return *kernels_named("plain", order);
}

}  // namespace

const kernel_table* kernels_named(std::string_view name, int order) {
  return with_order(order, [name](auto n) -> const kernel_table* {
    if (name == "plain") return plain::find<n>();
    if (name == "avx2") return avx2::find<n>();
    if (name == "avx512") return avx512::find<n>();
    return nullptr;
  });
}

const kernel_table& kernels(int order) {
  return with_order(order, [](auto n) -> const kernel_table& {
    static const kernel_table& found = chosen(n);
    return found;
  });
}

}  // namespace adaptive_heat
