// SPDX-License-Identifier: BSD-3-Clause
// Making segments, and the word by which a reader releases a block.
#include <unistd.h>
#include <base/internals.hpp>

#include <algorithm>
#include <atomic>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "gather_near.hpp"

namespace nearfar::near {

namespace {

using word = std::atomic<std::uint8_t>;
static_assert(word::is_always_lock_free && sizeof(word) == 1);

/// The words begin a cache line of their own: who lets go disturbs nobody.
part<word> words_behind(index_t bytes, int near_size) {
  segment_layout l;
  l.add<std::byte>(bytes);
  return l.add<word>(near_size, cache_line_bytes);
}

}  // namespace

void shared_segment::make(const team& members, const std::function<index_t()>& own_bytes) {
  const team_state& s = state_of(members);
  arena& memory = arena::of(members);
  std::vector<int> others;
  for (int r = 0; r < s.near_size; ++r)
    if (r != s.near_rank) others.push_back(r);
  agree(members, [&] {
    const index_t bytes = own_bytes();
    if (bytes > 0 && !memory.is_shared() && !others.empty())
      throw resource_error("near ranks cannot map each other's memory here");
    allocate(memory, s.near_rank, s.near_size, bytes, others);
  });
  const address mine = own_address();
  std::vector<address> all(as_size(s.near_size));
  gather_near(members, &mine, sizeof mine, all.data());
  agree(members, [&] {
    for (const int r : others) attach(r, all[as_size(r)]);
  });
  open();
}

void shared_segment::allocate(arena& memory, int near_rank, int near_size, index_t bytes, std::vector<int> readers) {
  close();  // of what was made before, and left over where that failed
  mapped_.clear();
  memory_ = &memory;
  process_ = getpid();
  near_rank_ = near_rank;
  readers_ = std::move(readers);
  base_.assign(as_size(near_size), nullptr);
  bytes_.assign(as_size(near_size), 0);
  own_ = {};
  if (bytes == 0) return;
  const part<word> words = words_behind(bytes, near_size);
  own_ = memory.allocate(words.at + words.count);
  base_[as_size(near_rank)] = own_.data();
  bytes_[as_size(near_rank)] = bytes;
}

shared_segment::address shared_segment::own_address() const {
  return own_ ? address{memory_->find(own_.data(), 1), bytes_[as_size(near_rank_)]} : address{};
}

void shared_segment::attach(int near_rank, const address& a) {
  if (a.bytes == 0) return;
  base_[as_size(near_rank)] = mapped_.emplace_back(memory_->attach(a.where)).at(a.where);
  bytes_[as_size(near_rank)] = a.bytes;
}

void shared_segment::rest_too(block b) {
  if (b) others_.push_back(std::move(b));
}

void shared_segment::close() noexcept {
  if (!is_open_) return;
  is_open_ = false;
  if (process_ != getpid()) return;
  const int near_size = static_cast<int>(base_.size());
  for (int r = 0; r < near_size; ++r)
    if (r != near_rank_ && of(r) != nullptr)
      words_behind(bytes_of(r), near_size).in(of(r))[near_rank_].store(1, std::memory_order_release);  // pairs below
  mapped_.clear();
  if (!own_) return;
  const auto is_quiet = [words = words_behind(bytes_of(near_rank_), near_size).in(own()), readers = readers_,
                         others = std::move(is_quiet_)] {
    const auto has_let_go = [&](int r) { return words[r].load(std::memory_order_acquire) != 0; };
    return std::all_of(readers.begin(), readers.end(), has_let_go) && (!others || others());
  };
  others_.push_back(std::move(own_));
  arena::retire(std::move(others_), is_quiet);
}

}  // namespace nearfar::near
