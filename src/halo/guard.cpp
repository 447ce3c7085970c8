// SPDX-License-Identifier: BSD-3-Clause
// Slow but simple walks over strided boxes, used in checked runs only.
#include "guard.hpp"

#include <base/env.hpp>
#include <base/numbers.hpp>
#include <cstring>
#include <functional>
#include <string>

namespace nearfar {
namespace {

constexpr int poison_byte = 0xFF;

void for_each_element(const exchange::strided_box& b, std::size_t d, std::byte* at,
                      const std::function<void(std::byte*)>& visit) {
  if (d == b.extents.size()) return visit(at);
  for (index_t i = 0; i < b.extents[d]; ++i) for_each_element(b, d + 1, at + i * b.strides_bytes[d], visit);
}

void for_each_element(const std::vector<guarded_cells>& all,
                      const std::function<void(std::byte*, std::size_t)>& visit) {
  for (const guarded_cells& g : all) {
    const std::size_t bytes = as_size(g.where.element_bytes);
    for_each_element(g.where, 0, g.base + g.where.offset_bytes, [&](std::byte* element) { visit(element, bytes); });
  }
}

}  // namespace

bool is_paranoid() {
  const std::string wanted = env::string_or("NEARFAR_CHECK", "local");
  if (wanted == "paranoid") return true;
  if (wanted == "off" || wanted == "local" || wanted == "collective") return false;
  throw usage_error(text("NEARFAR_CHECK is \"", wanted, "\"; off, local, collective and paranoid are possible"));
}

void poison(const std::vector<guarded_cells>& ghosts) {
  for_each_element(ghosts, [](std::byte* element, std::size_t bytes) { std::memset(element, poison_byte, bytes); });
}

std::uint64_t fingerprint(const std::vector<guarded_cells>& own_cells) {
  hash64 hash;
  for_each_element(own_cells, [&](std::byte* element, std::size_t bytes) {
    hash.add(std::string_view(reinterpret_cast<const char*>(element), bytes));
  });
  return hash.value();
}

}  // namespace nearfar
