// SPDX-License-Identifier: BSD-3-Clause
// Threads that take blocks from the first list until it is empty.
#include "block_pool.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <base/process.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "layout.hpp"
#include "page_memory.hpp"

namespace nearfar::output {

namespace {
constexpr index_t most_copied_bytes = 1 << 20;  // fits into the caches
}

std::thread quiet_thread(void (*run)(void*), void* with) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread t(run, with);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return t;
}

block_pool::block_pool(int threads) {
  for (int i = 0; i < threads; ++i)
    threads_.push_back(quiet_thread([](void* self) { static_cast<block_pool*>(self)->work(); }, this));
}

block_pool::~block_pool() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void block_pool::start(block_list& list, std::vector<block> blocks, std::atomic<std::uint64_t>* progress) {
  const std::scoped_lock lock(mutex_);
  list.blocks_ = std::move(blocks);
  list.progress_ = progress;
  list.next_ = 0, list.has_failed_ = false, list.failure_ = {};
  lists_.push_back(&list);
  const std::size_t wanted = std::min(threads_.size(), list.blocks_.size());
  for (std::size_t i = 0; i < wanted; ++i) wake_.notify_one();
}

write_failure block_pool::finish(block_list& list) {
  take_blocks(list);
  std::unique_lock lock(mutex_);
  std::erase(lists_, &list);
  done_.wait(lock, [&] { return list.users_ == 0; });
  list.blocks_.clear();
  return list.failure_;
}

void block_pool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return is_ending_ || !lists_.empty(); });
    if (is_ending_) return;
    block_list& list = *lists_.front();
    ++list.users_;
    lock.unlock();
    take_blocks(list);
    lock.lock();
    std::erase(lists_, &list);  // nothing is left in it
    if (--list.users_ == 0) done_.notify_all();
  }
}

void block_pool::take_blocks(block_list& list) {
  const auto& blocks = list.blocks_;
  for (std::size_t i = list.next_++; i < blocks.size() && !list.has_failed_; i = list.next_++) {
    if (const int code = write(blocks[i]); code != 0 && !list.has_failed_.exchange(true))
      list.failure_ = {code, blocks[i].plain_file};
    if (list.progress_ != nullptr) list.progress_->fetch_add(1, std::memory_order_relaxed);
  }
}

// Memory that is not aligned as the file is goes through pages that are, piece by piece.
int block_pool::write(const block& b) {
  const file_size_signal_off no_signal;
  bool is_direct = b.is_direct && !was_refused_;
  const bool is_copied = is_direct && reinterpret_cast<std::uintptr_t>(b.from) % as_size(page_bytes) != 0;
  const pages copy = is_copied ? new_pages(as_size(std::min(b.bytes, most_copied_bytes))) : pages();
  if (is_copied && copy == nullptr) is_direct = false;
  for (index_t done = 0; done < b.bytes;) {
    const std::byte* from = b.from + done;
    index_t count = b.bytes - done;
    if (is_direct && is_copied) {
      count = std::min(count, most_copied_bytes);
      std::memcpy(copy.get(), from, as_size(count));
      from = copy.get();
    }
    const ssize_t n = pwrite(is_direct ? b.file : b.plain_file, from, as_size(count), b.offset + done);
    if (n > 0) {
      done += n;
      // What is left of a block that was cut short need not be aligned.
      if (n < count) is_direct = false;
    } else if (n < 0 && errno == EINVAL && is_direct) {
      is_direct = false, was_refused_ = true;
    } else if (n == 0 || errno != EINTR) {
      return n == 0 ? ENOSPC : errno;
    }
  }
  // Lets the disk begin now instead of at the end of the step.
  if (!is_direct) sync_file_range(b.plain_file, b.offset, b.bytes, SYNC_FILE_RANGE_WRITE);
  return 0;
}

}  // namespace nearfar::output
