// SPDX-License-Identifier: BSD-3-Clause
// Which pieces of near memory the program holds.
#include "near_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <collective/algorithm.hpp>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <near/arena.hpp>

#include "comm_state.hpp"
#include "settings.hpp"

namespace nearfar::interpose {

namespace {

constexpr std::size_t most_pieces = 64;  // each may keep a file open, of which processes have some hundreds
constexpr index_t own_file_bytes = index_t{1} << 20;  // from here on a piece has a file to itself
// Reserving pages takes a hundred times as long as the MPI's own way, so that pieces that come back are kept for the
// next request; no more than programs do without.
constexpr index_t most_kept_bytes = index_t{256} << 20;

struct piece {
  near::block memory;
  index_t bytes;
};

/// Peers may have a piece mapped for as long as they like: what they map must not hold pages.
void let_go(piece& of) noexcept {
  if (of.bytes >= own_file_bytes) ::madvise(of.memory.data(), static_cast<std::size_t>(of.bytes), MADV_REMOVE);
}

/// What the program holds, and what it has given back, the oldest first. Under the mutex.
class pieces {
 public:
  std::mutex mutex;

  void* give(index_t bytes) {
    piece found = take_kept(bytes);
    if (!found.memory) found = made(bytes);
    void* const at = found.memory.data();
    if (at != nullptr) held_.emplace(at, std::move(found));
    return at;
  }
  bool take_back(void* at, bool is_kept) {
    const auto found = held_.find(at);
    if (found == held_.end()) return false;
    if (is_kept) keep(std::move(found->second));
    held_.erase(found);
    return true;
  }

 private:
  /// The smallest that suffices, and is not much larger.
  piece take_kept(index_t bytes) {
    auto best = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it)
      if (it->bytes >= bytes && it->bytes <= bytes + bytes / 4 && (best == kept_.end() || it->bytes < best->bytes))
        best = it;
    if (best == kept_.end()) return {{}, 0};
    piece found = std::move(*best);
    kept_.erase(best);
    kept_bytes_ -= found.bytes;
    return found;
  }
  piece made(index_t bytes) {
    while (held_.size() + kept_.size() >= most_pieces && !kept_.empty()) drop_oldest();
    if (held_.size() >= most_pieces) return {{}, 0};
    piece one{near::arena::allocate_spare(bytes), bytes};
    if (one.memory || kept_.empty()) return one;
    while (!kept_.empty()) drop_oldest();  // memory is short
    return {near::arena::allocate_spare(bytes), bytes};
  }
  void keep(piece&& one) {
    if (one.bytes > most_kept_bytes) return let_go(one);
    kept_bytes_ += one.bytes;
    kept_.push_back(std::move(one));
    while (kept_bytes_ > most_kept_bytes) drop_oldest();
  }
  void drop_oldest() {
    let_go(kept_.front());
    kept_bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }

  std::map<void*, piece> held_;
  std::deque<piece> kept_;
  index_t kept_bytes_ = 0;
};

// Near memory begins with a page.
bool is_page_enough(MPI_Info info) noexcept {
  constexpr long long page_bytes = 4096;
  if (info == MPI_INFO_NULL) return true;
  char value[24] = "";
  int is_given = 0;
  MPI_Info_get(info, "mpi_minimum_memory_alignment", sizeof value - 1, value, &is_given);
  return is_given == 0 || std::strtoll(value, nullptr, 10) <= page_bytes;
}

constinit std::atomic<bool> was_asked{false};

pieces& own_pieces() noexcept {
  static pieces& once = *new pieces;  // never destroyed: programs free memory after main
  return once;
}

}  // namespace

void* give_near_memory(std::int64_t bytes, MPI_Info info) noexcept {
  if (bytes < collective::direct_from_bytes || !wanted().gives_near_memory || !is_page_enough(info)) return nullptr;
  pieces& p = own_pieces();
  const std::lock_guard lock(p.mutex);
  void* const at = p.give(bytes);
  if (at != nullptr) was_asked.store(true, std::memory_order_relaxed);
  return at;
}

bool take_near_memory_back(void* at) noexcept {
  if (!has_near_memory()) return false;
  pieces& p = own_pieces();
  const std::lock_guard lock(p.mutex);
  // In a child the pages are the parent's.
  return p.take_back(at, current_mode.load(std::memory_order_relaxed) == mode::on);
}

bool has_near_memory() noexcept { return was_asked.load(std::memory_order_relaxed); }

}  // namespace nearfar::interpose
