// SPDX-License-Identifier: BSD-3-Clause
// A hash table with open addressing.
#include <bit>
#include <mortar/entity_table.hpp>
#include <utility>

namespace adaptive_heat {

void entity_table::clear(std::size_t expected) {
  slots_.assign(std::bit_ceil(expected * 4 / 3 + 16), slot{});
  count_ = 0;
}

std::size_t entity_table::place_of(std::uint64_t key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  // Coordinates end in many zeros: only the highest bits of a product depend on all of them.
  std::size_t at = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> std::countl_zero(mask));
  while (slots_[at].number >= 0 && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

std::int32_t entity_table::number(std::uint64_t key) {
  slot& s = slots_[place_of(key)];
  if (s.number >= 0) return s.number;
  const std::int32_t fresh = count_++;
  s = {key, fresh};
  if (4 * static_cast<std::size_t>(count_) > 3 * slots_.size()) grow();
  return fresh;
}

std::int32_t entity_table::find(std::uint64_t key) const noexcept { return slots_[place_of(key)].number; }

void entity_table::grow() {
  std::vector<slot> old(2 * slots_.size());
  std::swap(old, slots_);
  for (const slot& s : old)
    if (s.number >= 0) slots_[place_of(s.key)] = s;
}

}  // namespace adaptive_heat
