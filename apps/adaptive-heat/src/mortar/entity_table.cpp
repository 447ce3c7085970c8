// SPDX-License-Identifier: BSD-3-Clause
// A hash table with open addressing; what is erased leaves no gaps in the chains behind it.
#include <mortar/entity_table.hpp>

namespace adaptive_heat {

void entity_table::clear() { *this = entity_table(); }

std::size_t entity_table::place_of(std::uint64_t key, std::uint32_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home_of(hash);
  while (slots_[at].number != empty && (slots_[at].hash != hash || this->key(slots_[at].number) != key))
    at = (at + 1) & mask;
  return at;
}

std::pair<std::int32_t, bool> entity_table::insert(std::uint64_t key) {
  const std::uint32_t hash = hash_of(key);
  slot& s = slots_[place_of(key, hash)];
  if (s.number != empty) return {s.number, false};
  const std::int32_t fresh = free_.empty() ? end() : free_.back();
  s = {fresh, hash};
  if (free_.empty()) {
    keys_.push_back(key);
  } else {
    free_.pop_back();
    keys_[static_cast<std::size_t>(fresh)] = key;
  }
  if (4 * (keys_.size() - free_.size()) > 3 * slots_.size()) grow();
  return {fresh, true};
}

std::int32_t entity_table::find(std::uint64_t key) const noexcept { return slots_[place_of(key, hash_of(key))].number; }

/// What comes behind moves up, unless it would get before its home (Knuth, vol. 3, 6.4, algorithm R).
void entity_table::erase(std::int32_t number) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = place_of(key(number), hash_of(key(number)));
  for (std::size_t at = (hole + 1) & mask; slots_[at].number != empty; at = (at + 1) & mask) {
    const std::size_t home = home_of(slots_[at].hash);
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = {};
  keys_[static_cast<std::size_t>(number)] = unused;
  free_.push_back(number);
}

void entity_table::grow() {
  --shift_;
  std::vector<slot> old(2 * slots_.size());
  slots_.swap(old);
  const std::size_t mask = slots_.size() - 1;
  for (const slot& s : old) {
    if (s.number == empty) continue;
    std::size_t at = home_of(s.hash);
    while (slots_[at].number != empty) at = (at + 1) & mask;
    slots_[at] = s;
  }
}

}  // namespace adaptive_heat
