// SPDX-License-Identifier: BSD-3-Clause
// The journal of a stream: a record per step and writer, appended when the data is complete on disk.
#pragma once

#include <array>
#include <base/numbers.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nearfar::output {

/// A format's name, with zeros behind it: short enough for a record.
using format_label = std::array<char, 8>;
format_label label_of(const std::string& format) noexcept;

/// One writer's part of a step is in the files. Little-endian; a step is whole when the records of all its writers are
/// there.
struct journal_record {
  std::uint32_t magic = magic_value;
  std::uint32_t own_crc = 0;  ///< CRC-32C of the record's bytes from 8 on
  std::uint32_t writer = 0, writers = 1;
  std::int64_t step = 0;  ///< its place in the files: the frame begins at step * bytes of a frame
  double time = 0;
  std::int64_t bytes = 0;      ///< that this writer wrote for the step
  std::uint32_t data_crc = 0;  ///< CRC-32C of them, in the order of the arrays
  std::uint32_t flags =
      0;  ///< has_crc, was_synced; from turn_shift on the number of the stream among those that take turns
  std::uint64_t signature = 0;  ///< of names, extents and types of the arrays
  format_label format{};        ///< zeros in journals of before records had it

  static constexpr std::uint32_t magic_value = 0x314a464e;  // "NFJ1"
  static constexpr std::uint32_t has_crc = 1, was_synced = 2, turn_shift = 8;
  std::uint32_t turn() const noexcept { return flags >> turn_shift; }  ///< 0: takes none
  void seal() noexcept;
  bool is_sound() const noexcept;
};
static_assert(sizeof(journal_record) == 64);

/// The steps at the beginning of a journal whose records are all there.
struct journal_contents {
  std::vector<double> times;            ///< one per whole step
  std::vector<std::int64_t> ends;       ///< where the journal ends after each of them, bytes
  std::vector<journal_record> records;  ///< of all writers of all steps, as the file has them
  std::uint64_t signature = 0;          ///< 0: no step
  std::string damage{};  ///< what says that records were changed behind these steps; "": nothing, they are torn at most

  index_t steps() const noexcept { return as_index(times.size()); }
  std::int64_t end() const noexcept { return ends.empty() ? 0 : ends.back(); }
  std::span<const journal_record> records_of(index_t step) const noexcept;  ///< one per writer
  void keep(index_t steps);                                                 ///< forgets those behind
};

/// What those at the beginning of a journal say.
journal_contents whole_steps_of(std::vector<journal_record> records);

/// @throws io_error  the file is there and cannot be read or is no journal, or is not there and `must_exist`
journal_contents read_journal(const std::string& path, bool must_exist);

/// @throws io_error  records were changed after they had been written
void require_undamaged(const std::string& path, const journal_contents& c);

}  // namespace nearfar::output
