// SPDX-License-Identifier: BSD-3-Clause
// Who takes steps out of a ring to the disk: in the caller's own call, in a thread, or in another process. Never calls MPI.
#pragma once

#include <base/bytes.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "block_pool.hpp"
#include "codecs/codec.hpp"
#include "formats/file_plan.hpp"
#include "journal.hpp"
#include "layout.hpp"
#include "ring.hpp"
#include "step_files.hpp"
#include "step_layout.hpp"

namespace nearfar::output {

std::string journal_path(const std::string& path);

/// All that a writer has to know; travels to other processes as bytes.
struct agent_plan {
  std::string journal;
  file_plan files;
  frame_layout layout;
  std::vector<codec> codecs;      ///< per array
  index first_step = 0;           ///< steps that the files have already
  std::int64_t journal_from = 0;  ///< where the records of this stream begin
  int writer = 0, writers = 1;
  std::uint64_t signature = 0;
  format_label format{};
  bool is_direct = true, is_summed = true, is_synced = true;
  double throttle_bytes_per_s = 0;

  int file_of(const brick& b) const noexcept;
  bool is_compressed(const brick& b) const noexcept { return codecs[as_size(b.array)].kind != codec_kind::none; }
  /// What is where in a step; `frame` is the memory it is in.
  step_layout layout_of(index step, const std::byte* frame) const;
  /// Byte of the file where a brick's first element stands.
  index place_of(const step_layout& in, const brick& b) const noexcept;
  /// The data of a brick begins so many bytes behind its base: addresses in memory and offsets in the file are then equal modulo a page,
  /// which is what writing past the page cache asks for.
  index shift(const step_layout& in, const brick& b) const noexcept { return place_of(in, b) % page_bytes; }
  std::vector<std::byte> to_bytes() const;
  static agent_plan from_bytes(const std::vector<std::byte>& bytes);
};

class agent {
 public:
  /// Opens the files. @throws io_error
  agent(agent_plan plan, const ring& from);
  ~agent();
  /// Takes steps while the ring says that it is `as` who does, until the ring ends. What goes wrong is noted in the ring.
  void serve(taker as) noexcept;
  /// The same for one step, which must be full; `taker::caller`.
  void take_next() noexcept;
  /// Makes what the journal has last. A time when nothing else is to be done.
  void rest() noexcept;

 private:
  void write_step(std::uint64_t step);
  /// What has been written of a step: bytes and their sum.
  struct written {
    index bytes = 0;
    std::uint32_t crc = 0;
  };
  written write_data(std::uint64_t step, std::int64_t frame, const step_layout& in);
  std::span<const std::byte> data_of(std::size_t brick, std::uint64_t step, const step_layout& in);
  void write_record(std::uint64_t step, std::int64_t frame, const written& data);
  void note_header(std::int64_t frame, double time);
  void throttle(double since, index bytes) const;
  bool is_due(taker as) const noexcept;
  bool is_over(taker as) const noexcept;
  void look_at_members() const noexcept;
  bool is_whole(std::uint64_t step) const;
  std::int64_t record_place(std::uint64_t step, int writer) const noexcept;

  agent_plan plan_;
  ring ring_;
  step_files files_;
  descriptor journal_;
  block_pool pool_;
  std::vector<std::optional<compressor>> compressors_;  // per brick
  std::vector<double> times_;                           // of the steps before
  double header_written_s_ = 0;
};

}  // namespace nearfar::output
