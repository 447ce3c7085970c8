// SPDX-License-Identifier: BSD-3-Clause
// Reads each writer's part in the order in which it was summed.
#include "part_sums.hpp"

#include <algorithm>
#include <set>

#include "crc32c.hpp"
#include "missing_files.hpp"
#include "step_input.hpp"
#include "turns.hpp"

namespace nearfar::output {

namespace {

constexpr int most_named_files = 3;

index_t bytes_of_step(const writer_plan& plan, const noted_parts::entry& parts, index_t step) {
  index_t bytes = 0;
  for (const auto& bricks : parts.writers)
    for (const brick& b : bricks)
      if (plan.layout.has(b, step)) bytes += plan.layout.bytes_of(b);
  return bytes;
}

/// Bytes before the share of that number; without an intermediate result that is larger than all of them.
index_t begin_of(index_t bytes, int number, int shares) {
  return bytes / shares * number + bytes % shares * number / shares;
}

/// The bricks of a step one behind the other, of which a share is a piece. Compressed ones are counted as what they are
/// of, and belong as a whole to the share that they begin in.
class summing {
 public:
  summing(const writer_plan& plan, index_t step, index_t begin, index_t end, const std::atomic<bool>* is_called_off)
      : plan_(plan), in_(plan, step, is_called_off), step_(step), begin_(begin), end_(end) {}
  void add(const brick& b, byte_sum& to) {
    if (!plan_.layout.has(b, step_)) return;
    const index_t bytes = plan_.layout.bytes_of(b), from = begin_ - at_, until = end_ - at_;
    at_ += bytes;
    const auto take = [&](const std::byte* data, index_t count, index_t) { to.add(data, count); };
    if (until <= 0 || from >= bytes) return;
    if (!plan_.is_compressed(b))
      in_.read_box(b, std::max<index_t>(from, 0), std::min(until, bytes), take);
    else if (from <= 0)
      in_.read_chunk(b, take);
  }

 private:
  const writer_plan& plan_;
  step_input in_;
  index_t step_, begin_, end_, at_ = 0;
};

/// Some of the files that a writer wrote.
std::string files_of(const writer_plan& plan, const std::vector<brick>& bricks, index_t step) {
  const step_input in(plan, step);
  std::set<std::string> files;
  for (const brick& b : bricks)
    if (plan.layout.has(b, step) && files.size() <= most_named_files) files.insert(in.path_of(b));
  std::string words;
  int named = 0;
  for (const std::string& file : files)
    words += ++named > most_named_files ? " and others" : (named > 1 ? ", " : "") + file;
  return words;
}

output_report compare_step(const noted_parts& noted, index_t step, const journal_contents& whole) {
  output_report r{step, whole.times[as_size(step)], output_soundness::unknown, {}};
  const auto* parts = noted.of_step(step);
  // Seen without sums, too.
  r.reason = missing_of_step(noted.plan, step);
  if (!r.reason.empty()) {
    r.state = output_soundness::damaged;
    return r;
  }
  r.reason = why_not_summed(parts, whole, step);
  if (!r.reason.empty()) return r;
  try {
    require_writers(*parts, whole, step);
    r.reason = fault_of(noted.plan, *parts, whole, step, sums_in(noted.plan, *parts, step, {}));
  } catch (const io_error& e) {
    r.reason = e.what();
  }
  r.state = r.reason.empty() ? output_soundness::sound : output_soundness::damaged;
  return r;
}

}  // namespace

void byte_sum::add(const std::byte* data, index_t count) noexcept {
  crc = crc32c(static_cast<std::uint32_t>(crc), data, as_size(count));
  bytes += count;
}

void byte_sum::add(const byte_sum& behind) noexcept {
  crc = joined_crc32c(static_cast<std::uint32_t>(crc), static_cast<std::uint32_t>(behind.crc),
                      static_cast<std::uint64_t>(behind.bytes));
  bytes += behind.bytes;
}

std::vector<byte_sum> sums_in(const writer_plan& plan, const noted_parts::entry& parts, index_t step,
                              share_of_step share, const std::atomic<bool>* is_called_off) {
  const index_t bytes = bytes_of_step(plan, parts, step);
  summing share_of(plan, step, begin_of(bytes, share.number, share.shares),
                   begin_of(bytes, share.number + 1, share.shares), is_called_off);
  std::vector<byte_sum> sums(parts.writers.size());
  for (std::size_t w = 0; w < sums.size(); ++w)
    for (const brick& b : parts.writers[w]) share_of.add(b, sums[w]);
  return sums;
}

std::string why_not_summed(const noted_parts::entry* parts, const journal_contents& whole, index_t step) {
  for (const journal_record& record : whole.records_of(step))
    if ((record.flags & journal_record::has_crc) == 0) return "the stream was written without sums";
  return parts == nullptr ? "which writer wrote what is not known of it" : "";
}

void require_writers(const noted_parts::entry& parts, const journal_contents& whole, index_t step) {
  if (const auto records = whole.records_of(step); parts.writers.size() != records.size())
    throw io_error(text("the journal has ", records.size(), " writers, their parts are of ", parts.writers.size()));
}

std::string fault_of(const writer_plan& plan, const noted_parts::entry& parts, const journal_contents& whole,
                     index_t step, const std::vector<byte_sum>& sums) {
  const auto records = whole.records_of(step);
  for (std::size_t w = 0; w < records.size(); ++w) {
    if (sums[w].bytes == records[w].bytes && sums[w].crc == records[w].data_crc) continue;
    const std::string found = sums[w].bytes != records[w].bytes
                                  ? text(sums[w].bytes, " bytes instead of ", records[w].bytes)
                                  : "another sum than when it was written";
    return text("what writer ", w, " wrote has ", found, " (", files_of(plan, parts.writers[w], step), ")");
  }
  return "";
}

std::vector<output_report> compare_steps(const std::string& path, const journal_contents& whole) {
  const noted_parts noted = read_parts(path).value_or(noted_parts());
  require_same_arrays(path, noted, whole);
  std::vector<output_report> reports;
  for (index_t s = 0; s < whole.steps(); ++s) reports.push_back(compare_step(noted, s, whole));
  return reports;
}

}  // namespace nearfar::output

namespace nearfar {

std::vector<output_report> verify_output(const std::string& path) {
  const std::string stream = output::stream_at(path).path, journal = output::journal_path(stream);
  const auto whole = output::read_journal(journal, true);
  output::require_undamaged(journal, whole);
  return output::compare_steps(stream, whole);
}

}  // namespace nearfar
