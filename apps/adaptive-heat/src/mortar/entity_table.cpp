// SPDX-License-Identifier: BSD-3-Clause
// A hash table with open addressing; what is erased leaves no gaps in the chains behind it.
#include <mortar/entity_table.hpp>

namespace adaptive_heat {

void entity_table::clear() {
  slots_.assign(16, empty);
  keys_.clear();
  free_.clear();
}

std::size_t entity_table::place_of(std::uint64_t key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home_of(key);
  while (slots_[at] != empty && this->key(slots_[at]) != key) at = (at + 1) & mask;
  return at;
}

std::pair<std::int32_t, bool> entity_table::insert(std::uint64_t key) {
  std::int32_t& slot = slots_[place_of(key)];
  if (slot != empty) return {slot, false};
  const std::int32_t fresh = free_.empty() ? end() : free_.back();
  slot = fresh;
  if (free_.empty()) {
    keys_.push_back(key);
  } else {
    free_.pop_back();
    keys_[static_cast<std::size_t>(fresh)] = key;
  }
  if (4 * (keys_.size() - free_.size()) > 3 * slots_.size()) grow();
  return {fresh, true};
}

std::int32_t entity_table::find(std::uint64_t key) const noexcept { return slots_[place_of(key)]; }

/// What comes behind moves up, unless it would get before its home (Knuth, vol. 3, 6.4, algorithm R).
void entity_table::erase(std::int32_t number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = place_of(key(number));
  for (std::size_t at = (hole + 1) & mask; slots_[at] != empty; at = (at + 1) & mask) {
    const std::size_t home = home_of(key(slots_[at]));
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = empty;
  keys_[static_cast<std::size_t>(number)] = unused;
  free_.push_back(number);
}

void entity_table::grow() {
  slots_.assign(2 * slots_.size(), empty);
  for (std::int32_t n = 0; n < end(); ++n)
    if (is_used(n)) slots_[place_of(key(n))] = n;
}

}  // namespace adaptive_heat
