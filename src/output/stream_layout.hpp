// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a stream's steps, and where this rank's boxes are in the frames of its group.
#pragma once

#include <nearfar/output.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/format.hpp"
#include "page_memory.hpp"
#include "step_writer.hpp"

namespace nearfar::output {

/// The near ranks whose boxes share a frame.
struct group_extent {
  int first = 0, size = 1;  ///< near ranks
  bool is_leader = true;    ///< this rank is the first
};

/// Of a stream with this path and these options, which outlive it. Where nothing else is said, calls are local.
class stream_layout {
 public:
  stream_layout(const team& members, const std::string& path, const output_options& options)
      : members_(members), path_(path), options_(options) {}

  /// Collective. @throws usage_error  on every rank: boxes that do not cover their arrays
  void take(std::vector<output_array> arrays);
  /// Collective. @throws usage_error  on every rank: what the format cannot write with these groups
  void make_plan(const group_extent& group);

  writer_plan& plan() noexcept { return plan_; }
  const writer_plan& plan() const noexcept { return plan_; }
  const std::vector<output_array>& arrays() const noexcept { return arrays_; }
  bool has_varying() const noexcept;
  format_request request() const;

  /// Of a step to come. @throws usage_error  more rows than were agreed, or fewer than 0
  void check_rows(const std::vector<index_t>& rows) const;
  /// Nothing of the step is given yet. `table`: the frame on a group's leader, else null. Collective.
  void lay_out_step(index_t step, double time, const std::vector<index_t>& rows, std::byte* table);
  /// Copy into the step's frame. @throws usage_error  no such array, or null
  void put(std::byte* frame, const std::string& name, const void* data);
  void put(std::byte* frame, const std::string& name, const void* data,
           const std::array<index_t, max_dimensions>& strides_bytes);
  output_slot slot(std::byte* frame, const std::string& name);
  /// @throws usage_error  an array was neither put nor asked for
  void require_given() const;
  /// This rank's parts of a frame: bytes from and to, whole pages.
  std::vector<std::pair<index_t, index_t>> pages_in(const std::byte* frame) const;

 private:
  /// This rank's box in the group's frame.
  struct box_in_frame {
    const brick* in = nullptr;  // of the layout; null: the box is empty
    index_t offset_bytes = 0;   // from the brick's first element
    std::array<index_t, max_dimensions> strides_bytes{};
    bool is_given = false;
  };

  // stream_layout.cpp
  index_t table_bytes(index_t bricks) const;
  void find_chunks(bool is_leader);
  void number_writers(bool is_leader);
  void find_places();
  std::size_t find(const std::string& name) const;
  bool has_none(std::size_t array) const noexcept;
  std::byte* address(std::byte* frame, const box_in_frame& p) const;
  void begin_giving(index_t step);
  const array_shape& shape(std::size_t array) const { return plan_.layout.arrays[array]; }

  // stream_rows.cpp
  void spread_varying();
  std::vector<index_t> all_of_team(const std::vector<index_t>& mine) const;
  void place_rows(const step_request& step);

  const team& members_;
  const std::string& path_;
  const output_options& options_;
  std::vector<output_array> arrays_;
  writer_plan plan_;
  index_t step_ = 0;              // that is under way
  step_layout now_;               // of it
  std::vector<int> brick_ranks_;  // per brick of a varying array: whose it is, in the team
  std::vector<index_t> rows_;     // of this rank, per array; -1: does not vary
  std::vector<box_in_frame> places_;
  std::vector<page_buffer> ignored_;  // per array: what goes into slots of constant arrays behind the first step
  std::vector<std::vector<index_t>> chunks_;  // per array; where it is compressed
};

}  // namespace nearfar::output
