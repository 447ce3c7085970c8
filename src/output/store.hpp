// SPDX-License-Identifier: BSD-3-Clause
// What the root does with a stream's files before the first step and after the last: create, recover, truncate.
#pragma once

#include <nearfar/output.hpp>

#include "journal.hpp"
#include "step_writer.hpp"

namespace nearfar::output {

/// The files of a stream, kept from other programs while this lives.
class store {
 public:
  store() = default;
  /// Makes the files, or finds the steps in them and cuts off what is behind these; fills in what `plan` says of the
  /// steps that are there. Nothing is removed or overwritten but what the journal and the list of parts say is the
  /// stream's own.
  /// @throws io_error  files of others are in the way, or something of the stream is missing, damaged or of another
  /// layout; all files are then as they were
  store(const std::string& path, writer_plan& plan, const std::vector<output_array>& arrays,
        const output_options& options);
  /// Steps that were there, and those that note_step() told of.
  const std::vector<double>& times() const noexcept { return times_; }
  void note_step(double time) { times_.push_back(time); }
  /// All steps have been written: their files have names, the headers speak of them. @throws io_error
  void settle(const writer_plan& plan);
  /// Cuts off what the journal does not speak of, and writes the headers. @returns the whole steps. @throws io_error
  /// files of them are missing or too short
  index_t finish(const writer_plan& plan) const;
  /// The headers alone, where other ranks may still write. @throws io_error
  void finish_headers(const writer_plan& plan) const;
  bool is_open() const noexcept { return journal_.get() >= 0; }

 private:
  void make(const std::string& path, writer_plan& plan, const std::vector<output_array>& arrays,
            const output_options& options);
  std::string path_;
  descriptor journal_;
  std::vector<double> times_;
  index_t settled_ = 0;
};

/// The steps of a plan's journal up to the first whose files are not all there and long enough. @throws io_error
journal_contents whole_steps(const writer_plan& plan);

}  // namespace nearfar::output
