// SPDX-License-Identifier: BSD-3-Clause
// A thread that reads the wanted steps into a fixed number of buffers, in their order, by a given function, without
// MPI.
#pragma once

#include <atomic>
#include <base/numbers.hpp>
#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "page_memory.hpp"
#include "part_sums.hpp"

namespace nearfar::output {

/// A step in memory.
struct read_frame {
  page_buffer memory{};
  std::vector<byte_sum> sums{};  ///< per writer, of this rank's share
  std::exception_ptr problem{};  ///< why it could not be read
};

class read_ahead {
 public:
  /// Fills a frame, or throws; ends early where `is_called_off` becomes true, by called_off.
  using reading = std::function<void(index_t step, read_frame& into, const std::atomic<bool>& is_called_off)>;

  /// @throws resource_error  no memory
  read_ahead(int frames, index_t frame_bytes, reading read);
  ~read_ahead();  ///< waits for a piece that is under way
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;

  /// From now on these steps, in this order, as far as there are frames. What is here and not among them makes room.
  void want(std::vector<index_t> steps);
  /// A step that is wanted, when it is here; its frame stays until it is wanted no more.
  read_frame& await(index_t step);
  index_t read_steps() const noexcept { return read_steps_; }
  double busy_s() const noexcept { return busy_s_; }
  bool has(index_t step);  ///< without waiting

 private:
  struct place {
    read_frame frame{};
    index_t step = -1;  // none
    bool is_read = false;
    std::atomic<bool> is_called_off = false;
  };
  void serve();
  place* next_place(index_t& step);
  place* find(index_t step);
  bool is_wanted(index_t step) const;
  void read_into(place& p);

  reading read_;
  std::list<place> places_;
  std::vector<index_t> wanted_;
  std::mutex mutex_;
  std::condition_variable for_thread_, for_caller_;
  place* reading_ = nullptr;  // under way in the thread
  bool is_ending_ = false;
  std::atomic<index_t> read_steps_ = 0;
  std::atomic<double> busy_s_ = 0;
  std::thread thread_;
};

}  // namespace nearfar::output
