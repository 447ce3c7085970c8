// SPDX-License-Identifier: BSD-3-Clause
// A few threads that write blocks, so that a disk has several to do at a time.
#pragma once

#include <atomic>
#include <base/numbers.hpp>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace nearfar::output {

/// A piece of memory and its place in a file.
struct block {
  const std::byte* from = nullptr;
  index_t bytes = 0, offset = 0;
  int file = -1;           ///< descriptor
  int plain_file = -1;     ///< the same file through the page cache; used where `file` refuses the block
  bool is_direct = false;  ///< `file` goes past the page cache
};

/// Why a block could not be written: errno, 0 if all were, and the file's plain descriptor.
struct write_failure {
  int code = 0, plain_file = -1;
};

/// Blocks that are written together: one list per step. Stays where it is while the pool has it.
class block_list {
 private:
  friend class block_pool;
  std::vector<block> blocks_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> has_failed_ = false;
  write_failure failure_;
  std::atomic<std::uint64_t>* progress_ = nullptr;
  int users_ = 0;  // threads that look at it
};

/// Writes the blocks of lists, several at a time, in the order in which the lists were started.
class block_pool {
 public:
  explicit block_pool(int threads);
  ~block_pool();
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;

  /// Blocks' memory must stay as it is until finish(). `progress`, where given, counts blocks that are done.
  void start(block_list& list, std::vector<block> blocks, std::atomic<std::uint64_t>* progress);
  write_failure finish(block_list& list);  ///< helps, then waits
  bool was_direct_refused() const noexcept { return was_refused_; }

 private:
  void work();
  void take_blocks(block_list& list);
  int write(const block& b);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<block_list*> lists_;  // that may have blocks which nobody has taken
  std::atomic<bool> was_refused_ = false;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

/// Starts a thread that gets none of the process's signals: these are the program's.
std::thread quiet_thread(void (*run)(void*), void* with);

}  // namespace nearfar::output
