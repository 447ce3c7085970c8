// SPDX-License-Identifier: BSD-3-Clause
// Boxes of the arrays of a step, compressed or not, into memory.
#pragma once

#include <atomic>
#include <map>

#include "codecs/codec.hpp"
#include "parts.hpp"
#include "step_input.hpp"

namespace nearfar::output {

/// Where a box of an array goes.
struct box_place {
  int array = 0;
  box where{};
  index_t offset = 0;  ///< of its first element in the memory that is read into, bytes; it lies there in C order
  ghosts padding = 0;
};

/// Keeps what decompressing needs from step to step; used by one thread at a time.
class box_reader {
 public:
  /// `codecs`: of each array. Both must live as long as this.
  box_reader(const writer_plan& plan, const std::vector<codec>& codecs) : plan_(&plan), codecs_(&codecs) {}
  /// @throws io_error  naming the file; called_off
  void read(index_t step, const std::vector<box_place>& boxes, std::byte* to, const std::atomic<bool>* is_called_off);

 private:
  void read_chunks(step_input& in, const box_place& wanted, std::byte* to);
  void read_chunk(step_input& in, const brick& chunk, const box_place& wanted, std::byte* to);
  decompressor& decompressor_for(int array);

  const writer_plan* plan_;
  const std::vector<codec>* codecs_;
  std::map<int, decompressor> decompressors_;  // per array
};

}  // namespace nearfar::output
