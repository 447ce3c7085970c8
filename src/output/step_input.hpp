// SPDX-License-Identifier: BSD-3-Clause
// Reads boxes of the arrays of one step from the files of any format, by the places in its plan.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "step_writer.hpp"

namespace nearfar::output {

/// Reading has been called off: nobody wants the step any more.
struct called_off {};

class step_input {
 public:
  /// Gets bytes that were read, in their order, and where they belong.
  using taking = std::function<void(const std::byte* from, index_t bytes, index_t at)>;

  /// With `is_called_off`, reading ends with called_off soon after that has become true.
  step_input(const writer_plan& plan, index_t step, const std::atomic<bool>* is_called_off = nullptr);
  /// The elements of a box of an array that is not compressed, as bytes from `begin` to `end` when the box is in C
  /// order: `at` counts in these. Pieces that lie close to each other are read at once. @throws io_error  naming the
  /// file
  void read_box(const brick& b, index_t begin, index_t end, const taking& take);
  /// The file of a compressed part; `at` counts in the file. @throws io_error  the same, or the brick is no chunk
  void read_chunk(const brick& b, const taking& take);
  index_t bytes_of_chunk(const brick& b);
  /// The name that the brick's file has: a step that was not settled has `.part` behind it.
  std::string path_of(const brick& b) const;

 private:
  struct run {
    index_t offset = 0, bytes = 0, at = 0;
  };
  void open(const brick& b);
  void add(run r, const taking& take);
  void flush(const taking& take);
  void read_at(index_t offset, index_t bytes);

  const writer_plan& plan_;
  index_t step_;
  const std::atomic<bool>* is_called_off_;
  step_layout in_;
  std::string path_;
  descriptor file_;
  std::vector<run> runs_;  // within one piece of the file, to be read at once
  index_t first_ = 0, end_ = 0;
  std::vector<std::byte> memory_;
};

}  // namespace nearfar::output
