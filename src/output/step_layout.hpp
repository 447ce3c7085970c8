// SPDX-License-Identifier: BSD-3-Clause
// Where the data of one step is, in the frame and in the files. In streams with varying arrays each frame begins with a
// table of this, so that it travels with the frame: to a thread, to another process, over the network.
#pragma once

#include <vector>

#include "formats/file_plan.hpp"
#include "layout.hpp"

namespace nearfar::output {

struct step_layout {
  index_t file_bytes = 0;             ///< size of the step's own file; 0: as the plan has it
  std::vector<index_t> begins;        ///< per array: byte of its file where the frame begins
  std::vector<brick> bricks;          ///< those of the group's layout, with the rows of this step; some may be empty
  std::vector<fixed_piece> pieces{};  ///< of the step's own file; only the first writer has them

  /// Writes the table into a frame. @throws resource_error  there is no room for it in `of.table_bytes`
  void put_table(const frame_layout& of, std::byte* frame) const;
  /// `frame` has a table.
  static step_layout from_table(const frame_layout& of, const std::byte* frame);
  /// Bytes of the table, with what it needs besides the pieces.
  static index_t table_bytes(const std::vector<fixed_piece>& pieces, index_t arrays, index_t bricks) noexcept;
};

}  // namespace nearfar::output
