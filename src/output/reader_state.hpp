// SPDX-License-Identifier: BSD-3-Clause
// The state of a reader: the arrays in the files, this rank's selection, the steps in memory.
#pragma once

#include <memory>
#include <nearfar/output_reader.hpp>

#include "box_reader.hpp"
#include "read_ahead.hpp"

namespace nearfar {

struct reader_state {
  reader_state(const team& members, std::string path, const output_reader_options& options);
  reader_state(const reader_state&) = delete;
  reader_state& operator=(const reader_state&) = delete;

  void select(const std::vector<output_selection>& wanted);
  double begin_step(index_t step);
  void get(const std::string& name, void* data);
  void get(const std::string& name, void* data, const std::array<index_t, max_dimensions>& strides_bytes);
  output_slot slot(const std::string& name);
  void end_step();
  std::string describe() const;
  const team& members() const noexcept { return members_; }
  const std::string& path() const noexcept { return path_; }

  std::vector<output_step> steps{};
  output::noted_parts noted{};

 private:
  // reader_making.cpp
  void check_arguments() const;
  void read_descriptions();
  void understand(std::vector<output::journal_record> records, const std::string& parts);
  void find_codecs();
  std::size_t find(const std::string& name) const;
  output::box_place place_of(const output_selection& s) const;
  std::vector<output::box_place> places_of(const std::vector<output_selection>& wanted) const;
  index_t lay_out(bool is_constant);
  int depth_for(index_t frame_bytes) const;
  void take_memory();
  void read_constants();

  // reader.cpp
  bool is_summed(index_t step) const;
  void read(output::box_reader& by, const std::vector<output::box_place>& boxes, index_t step, output::read_frame& into,
            const std::atomic<bool>* is_called_off) const;
  std::string other_words() const;
  void compare(index_t step, std::vector<output::byte_sum> sums) const;
  void require_range(index_t step) const;
  std::vector<index_t> foreseen(index_t from) const;
  const output::box_place& selected(const std::string& name) const;
  std::byte* address(const output::box_place& p);
  void require_step(const char* call) const;

  team members_;
  std::string path_, older_;  // older_: the other one of two that take turns, where it has a step
  output_reader_options options_;
  output::journal_contents whole_;
  std::vector<output::codec> codecs_;  // per array
  std::vector<output::box_place> constant_, changing_;
  output::read_frame constants_;
  output::box_reader boxes_;  // the thread's
  std::unique_ptr<output::read_ahead> ahead_;
  output::read_frame* now_ = nullptr;  // of the step that is under way
  index_t step_ = 0, begun_ = 0, foreseen_ = 0, frame_bytes_ = 0, depth_ = 0;
  double waited_s_ = 0, copied_s_ = 0;
};

}  // namespace nearfar
