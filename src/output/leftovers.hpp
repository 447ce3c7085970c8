// SPDX-License-Identifier: BSD-3-Clause
// Which files at a stream's path are its own, and the removal of obsolete ones: those of a former stream, and those
// that a killed program had begun. Other files are never touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parts.hpp"
#include "step_writer.hpp"

namespace nearfar::output {

/// The step that a file belongs to by its name, whether it has its name yet or not; -1: it is none of those files.
index_t step_of(const stream_file& f, const std::filesystem::path& file);

/// The files that a stream's journal and P.parts.json list, and those of the next steps that a killed program had
/// begun.
class own_files {
 public:
  /// Of the stream whose journal says `told`. Where that is one of the arrays of `plan`, the plan says which files are
  /// its own, too.
  /// @throws io_error  P.parts.json cannot be understood, and so it is not known which
  own_files(const std::string& path, const writer_plan& plan, const journal_contents& told);
  bool has(const std::filesystem::path& file) const;
  const std::string& format() const noexcept { return format_; }  ///< "": nothing is there

 private:
  void add(const stream_file& f, index_t steps);
  struct of_steps {
    stream_file file;
    index_t named = 0, begun = 0;  // steps before which files with their names, and without, are its own
  };
  std::string format_, folder_;
  std::vector<of_steps> files_;
  std::vector<header_file> headers_;
};

/// @throws io_error  naming a file that a stream of this format could have made, or (is_new is false) that a step of
/// `plan` would overwrite, and that is not `own`
void refuse_others(const std::string& path, const std::string& format, const writer_plan& plan, const own_files& own,
                   bool is_new);

/// Removes a stream's own files, but for the journal and what `plan` is going to write itself. @returns how many.
/// @throws io_error
index_t remove_stream(const std::string& path, const writer_plan& plan, const own_files& own);

/// Removes files that a killed program was about to put in place of others of this stream. @throws io_error
void remove_unfinished(const std::string& path, const writer_plan& plan);

}  // namespace nearfar::output
