// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a stream, their places, and the boxes of each writer: kept beside the journal, for readers and for the
// comparison of checksums.
#pragma once

#include <nearfar/output.hpp>
#include <optional>
#include <string>
#include <vector>

#include "journal.hpp"
#include "step_writer.hpp"

namespace nearfar::output {

std::string parts_path(const std::string& path);

/// What the file of the parts says.
struct noted_parts {
  /// From a step on, the bricks of each writer, in the order in which they are summed.
  struct entry {
    index_t from_step = 0;
    std::vector<std::vector<brick>> writers{};
    friend bool operator==(const entry&, const entry&);
  };
  std::string format{};
  std::vector<header_file> headers{};  ///< kinds and paths
  std::string folder{};                ///< that a format's library fills; "": none
  std::vector<output_array> arrays{};  ///< `own` is empty; where not `has_types`, only name and extents are known
  bool has_types = false;              ///< false: written before types, attributes and compression were noted
  writer_plan plan{};  ///< where data lies, without bricks; all compressed arrays have the same codec, whichever it is
  std::vector<entry> entries{};

  const entry* of_step(index_t step) const noexcept;  ///< the one that was noted last; null where there is none
};

/// A file of the parts as text; "": there is none. @throws io_error
std::string text_of_parts(const std::string& path);
/// @throws io_error  it cannot be understood, or says what cannot be
noted_parts parts_of_text(const std::string& path, const std::string& text);
/// Both; absent: there is no such file.
std::optional<noted_parts> read_parts(const std::string& path);

/// How the files of a stream that is there are laid out, for steps that follow; the newest where it has no step.
/// @throws io_error  by a version that is not known here
int layout_of_stream(const std::string& path);

/// Notes which files the stream is about to make, before it makes them, so that nobody takes them for another's. The
/// root alone. @throws io_error
void note_files(const std::string& path, const writer_plan& plan);

/// Notes that from `plan.first_step` on writer w writes the bricks `writers[w]`. What was noted of steps before stays,
/// of later ones it goes. The root alone. Of streams with varying arrays, whose parts are others in each step, and of
/// those that a format's library writes, only the files are noted. @throws io_error
void note_parts(const std::string& path, const writer_plan& plan, const std::vector<output_array>& arrays,
                const std::vector<std::vector<brick>>& writers);

/// What a journal's records say of the arrays they are of; each array with its own `compression`.
std::uint64_t signature_of(const std::string& format, const std::vector<output_array>& arrays);

/// @throws io_error  what is noted is of other arrays than the journal: of another stream, or damaged
void require_same_arrays(const std::string& path, const noted_parts& noted, const journal_contents& whole);

}  // namespace nearfar::output
