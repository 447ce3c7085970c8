// SPDX-License-Identifier: BSD-3-Clause
// Checksums of each writer's part of a step, by one reader or divided among many, and their comparison with the
// journal.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "journal.hpp"
#include "parts.hpp"

namespace nearfar::output {

/// A CRC-32C, and how many bytes it is of.
struct byte_sum {
  std::uint64_t crc = 0;
  index_t bytes = 0;

  void add(const std::byte* data, index_t count) noexcept;
  void add(const byte_sum& behind) noexcept;  ///< of the bytes that follow
};

/// One of several shares of a step, as large as the others; together they are the step, in the order of their numbers.
struct share_of_step {
  int number = 0, shares = 1;
};

/// Per writer the sum of its bytes that are in the share. The bytes of the whole are those sums, of share after share,
/// added.
/// @throws io_error  naming the file; called_off
std::vector<byte_sum> sums_in(const writer_plan& plan, const noted_parts::entry& parts, index_t step,
                              share_of_step share, const std::atomic<bool>* is_called_off = nullptr);

/// Whether there is anything to compare a step's data with; else why not. No writers may be known of it (null).
std::string why_not_summed(const noted_parts::entry* parts, const journal_contents& whole, index_t step);

/// What is against a step; "" if nothing. `sums` are of its writers. @throws io_error  the writers are not those of the
/// journal
std::string fault_of(const writer_plan& plan, const noted_parts::entry& parts, const journal_contents& whole,
                     index_t step, const std::vector<byte_sum>& sums);
void require_writers(const noted_parts::entry& parts, const journal_contents& whole, index_t step);

/// Compares the data of these steps with the journal's sums. @throws io_error  the file of the parts cannot be
/// understood
std::vector<output_report> compare_steps(const std::string& path, const journal_contents& whole);

}  // namespace nearfar::output
