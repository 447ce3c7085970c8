// SPDX-License-Identifier: BSD-3-Clause
// The files that a writer has open: those of all steps, and those of the step that it writes.
#pragma once

#include <exception>
#include <nearfar/error.hpp>
#include <string>
#include <vector>

#include "files.hpp"
#include "formats/file_plan.hpp"
#include "layout.hpp"
#include "step_layout.hpp"

namespace nearfar::output {

struct writer_plan;

/// Says already which step could not be written.
struct step_error : io_error {
  using io_error::io_error;
};
/// @throws step_error  because of this errno
[[noreturn]] void refuse_step(index_t frame, const std::string& path, int code);
/// What is to be said of a step that could not be written because of this.
std::string words_about_step(index_t frame, const std::exception& why);

class step_files {
 public:
  /// Opens what all steps have in common. @throws io_error
  explicit step_files(const writer_plan& plan);
  bool is_direct() const noexcept;
  /// Opens the files of a step and sees to it that the disk has room. @throws io_error
  void begin(index_t frame, const step_layout& in);
  const data_file& of(const brick& b) const;
  /// The bytes besides the data, and the time. @throws io_error
  void write_fixed(index_t frame, double time, const step_layout& in) const;
  void sync(index_t frame) const;
  /// Files that only this writer writes get their names, and the folders are synchronised. Before the record in the
  /// journal. @throws io_error
  void name_own(index_t frame);
  /// The data of all writers are there: names of files that several write, and the step's time in a file of all steps.
  /// @throws io_error
  void commit(index_t frame, double time) const;
  /// Synchronises what commit() has changed. @returns whether there was anything. @throws io_error
  bool make_last() const;
  std::string path_of(const write_failure& failure) const;

 private:
  bool is_mine(std::size_t file) const;
  bool is_shared(const stream_file& f) const noexcept;  ///< of one step: several write into it
  template <class Which>
  bool sync_folders(Which is_wanted) const;  ///< of files per step, by number. @returns whether there was any
  void write_small(std::size_t file, index_t frame, const void* from, index_t bytes, index_t offset) const;
  const writer_plan& plan_;
  std::vector<data_file> open_;  // by number of the file; without a descriptor where there is none of mine
};

/// `.part` gets its name; nothing if that has been done. @throws io_error
void give_name(const stream_file& file, index_t step);

}  // namespace nearfar::output
