// SPDX-License-Identifier: BSD-3-Clause
// Writes the steps of a ring to disk: in the caller's own call, in a thread, or in another process. Never calls MPI.
//
//   frame full → blocks written → frame free → data synchronised → record in the journal → journal synchronised
//
// Blocks of the next step are written while a step is synchronised and gets its record. Records are in the order of the
// steps, each after its data, so a step of the journal is always complete (on disk if steps are synchronised).
#pragma once

#include <base/bytes.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "block_pool.hpp"
#include "codecs/codec.hpp"
#include "formats/adios2_file.hpp"
#include "formats/file_plan.hpp"
#include "journal.hpp"
#include "layout.hpp"
#include "ring.hpp"
#include "step_files.hpp"
#include "step_layout.hpp"

namespace nearfar::output {

std::string journal_path(const std::string& path);

/// All that a writer has to know; travels to other processes as bytes.
struct writer_plan {
  std::string journal;
  file_plan files;
  frame_layout layout;
  std::vector<codec> codecs;      ///< per array
  index_t first_step = 0;         ///< steps that the files have already
  std::int64_t journal_from = 0;  ///< where the records of this stream begin
  int writer = 0, writers = 1;
  std::uint64_t signature = 0;
  format_label format{};
  std::uint32_t turn = 0;  ///< number of the stream among those that take turns; 0: takes none
  bool is_direct = true, is_summed = true, is_synced = true;
  double throttle_bytes_per_s = 0;

  int file_of(const brick& b) const noexcept;
  bool is_compressed(const brick& b) const noexcept { return codecs[as_size(b.array)].kind != codec_kind::none; }
  /// What is where in a step; `frame` is the memory it is in.
  step_layout layout_of(index_t step, const std::byte* frame) const;
  /// Byte of the file where a brick's first element stands.
  index_t place_of(const step_layout& in, const brick& b) const noexcept;
  /// The data of a brick begins so many bytes behind its base. Where the file allows it, addresses in memory and
  /// offsets in the file are then equal modulo a page, and what is written past the page cache need not be copied;
  /// where arrays would not begin at multiples of 64 bytes, they begin with the page.
  index_t shift(const step_layout& in, const brick& b) const noexcept {
    const index_t in_page = place_of(in, b) % page_bytes;
    return in_page % array_alignment == 0 ? in_page : 0;
  }
  std::vector<std::byte> to_bytes() const;
  static writer_plan from_bytes(const std::vector<std::byte>& bytes);
};

/// A step between its frame and its record in the journal, and what is kept from one such step to the next.
struct step_in_progress {
  explicit step_in_progress(const writer_plan& plan);

  step_files files;
  std::vector<std::optional<compressor>> compressors;  ///< per brick
  block_list blocks;
  std::uint64_t step = 0;  ///< of the ring
  index_t frame = 0;       ///< of the files
  double time = 0, began_s = 0;
  step_layout in;
  index_t bytes = 0;      ///< of data that are written
  std::uint32_t crc = 0;  ///< of these
  std::string problem;    ///< why it could not even begin
};

class step_writer {
 public:
  /// Opens the files. @throws io_error
  step_writer(writer_plan plan, const ring& from);
  ~step_writer();
  step_writer(const step_writer&) = delete;
  step_writer& operator=(const step_writer&) = delete;
  /// Writes steps as long as the ring's taker is `as`, until the ring ends. Errors are stored in the ring.
  void serve(taker as) noexcept;
  /// The same for one step, which must be full; `taker::caller`.
  void take_next() noexcept;
  /// Makes what the journal has last, where that has not been done.
  void rest() noexcept;

 private:
  // step_writer.cpp: the work for a step
  void begin(step_in_progress& s) noexcept;
  void start_blocks(step_in_progress& s);
  std::span<const std::byte> data_of(std::size_t brick, step_in_progress& s);
  void complete(step_in_progress& s) noexcept;
  void finish_blocks(step_in_progress& s);
  void commit(step_in_progress& s);
  void write_record(const step_in_progress& s);
  void note_header(const step_in_progress& s);
  void throttle(double since, index_t bytes);
  bool have_others_written(std::uint64_t step) const;
  std::int64_t record_place(std::uint64_t step, int writer) const noexcept;

  // step_writer_serving.cpp: when it is done
  std::uint64_t next() const noexcept;
  bool is_due(taker as) const noexcept;
  bool is_over(taker as) const noexcept;
  void look_at_members() const noexcept;
  void begin_next() noexcept;
  void complete_all() noexcept;

  writer_plan plan_;
  ring ring_;
  std::list<step_in_progress> places_;  // as many steps as are under way at most
  descriptor journal_;
  std::optional<adios2_file> library_file_;  // where a format's own library writes all data
  block_pool pool_;
  std::atomic<std::uint64_t> begun_ = 0;  // steps
  // Between who begins steps and who completes them.
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<step_in_progress*> free_, in_progress_;
  bool is_ending_ = false;
  // Of who completes them: the thread, or the caller in take_next().
  std::vector<double> times_;  // of the steps before
  double header_written_s_ = 0, completed_s_ = 0, disk_free_s_ = 0;
  std::thread completing_;
};

}  // namespace nearfar::output
