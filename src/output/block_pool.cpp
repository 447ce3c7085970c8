// SPDX-License-Identifier: BSD-3-Clause
// Threads that take blocks from a list until it is empty.
#include "block_pool.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace nearfar::output {

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

void block_pool::start(std::vector<block> blocks, std::atomic<std::uint64_t>* progress) {
  std::unique_lock lock(mutex_);
  // A thread that woke late for the list before may still be looking at it.
  done_.wait(lock, [&] { return working_ == 0; });
  blocks_ = std::move(blocks);
  progress_ = progress;
  next_ = 0, has_failed_ = false, failure_ = {};
  ++turn_;
  const std::size_t wanted = std::min(threads_.size(), blocks_.size());
  for (std::size_t i = 0; i < wanted; ++i) wake_.notify_one();
}

write_failure block_pool::finish() {
  take_blocks();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return working_ == 0; });
  blocks_.clear();
  return failure_;
}

void block_pool::work() {
  std::unique_lock lock(mutex_);
  for (std::uint64_t seen = 0;;) {
    wake_.wait(lock, [&] { return is_ending_ || turn_ != seen; });
    if (is_ending_) return;
    seen = turn_;
    ++working_;
    lock.unlock();
    take_blocks();
    lock.lock();
    if (--working_ == 0) done_.notify_all();
  }
}

void block_pool::take_blocks() {
  for (std::size_t i = next_++; i < blocks_.size() && !has_failed_; i = next_++) {
    if (const int code = write(blocks_[i]); code != 0 && !has_failed_.exchange(true))
      failure_ = {code, blocks_[i].plain_file};
    if (progress_ != nullptr) progress_->fetch_add(1, std::memory_order_relaxed);
  }
}

int block_pool::write(const block& b) {
  bool is_direct = b.is_direct && !was_refused_;
  for (index done = 0; done < b.bytes;) {
    const ssize_t n =
        pwrite(is_direct ? b.file : b.plain_file, b.from + done, as_size(b.bytes - done), b.offset + done);
    if (n > 0) {
      done += n;
      // What is left of a block that was cut short need not be aligned.
      if (done < b.bytes) is_direct = false;
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
