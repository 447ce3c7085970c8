// SPDX-License-Identifier: BSD-3-Clause
// Which pieces of near memory the program holds.
#include "near_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <collective/algorithm.hpp>
#include <map>
#include <mutex>
#include <near/arena.hpp>

#include "conductor.hpp"
#include "settings.hpp"

namespace nearfar::interpose {

namespace {

constexpr std::size_t most_pieces = 64;           // each may keep a file open, of which processes have some hundreds
constexpr index own_file_bytes = index{1} << 20;  // from here on a piece has a file to itself

struct piece {
  near::block memory;
  index bytes;
};

struct pieces {
  std::mutex mutex;
  std::map<void*, piece> held;
};

constinit std::atomic<bool> was_asked{false};

pieces& own_pieces() noexcept {
  static pieces& once = *new pieces;  // never destroyed: programs free memory after main
  return once;
}

}  // namespace

void* give_near_memory(std::int64_t bytes) noexcept {
  if (bytes < collective::direct_from_bytes || !wanted().gives_near_memory) return nullptr;
  pieces& p = own_pieces();
  const std::lock_guard lock(p.mutex);
  if (p.held.size() >= most_pieces) return nullptr;
  piece made{near::arena::allocate_spare(bytes), bytes};
  void* at = made.memory.data();
  if (at == nullptr) return nullptr;
  p.held.emplace(at, std::move(made));
  was_asked.store(true, std::memory_order_relaxed);
  return at;
}

bool take_near_memory_back(void* at) noexcept {
  if (!has_near_memory()) return false;
  pieces& p = own_pieces();
  const std::lock_guard lock(p.mutex);
  const auto found = p.held.find(at);
  if (found == p.held.end()) return false;
  // Peers may have it mapped for as long as they like: what they map must not hold pages. In a child the pages are the parent's.
  const bool is_ours = current_mode.load(std::memory_order_relaxed) == mode::on;
  if (is_ours && found->second.bytes >= own_file_bytes)
    ::madvise(at, static_cast<std::size_t>(found->second.bytes), MADV_REMOVE);
  p.held.erase(found);
  return true;
}

bool has_near_memory() noexcept { return was_asked.load(std::memory_order_relaxed); }

}  // namespace nearfar::interpose
