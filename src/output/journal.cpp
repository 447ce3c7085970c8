// SPDX-License-Identifier: BSD-3-Clause
// Reads journals up to the first incomplete step.
#include "journal.hpp"

#include <algorithm>
#include <cstring>
#include <nearfar/error.hpp>
#include <string_view>

#include "crc32c.hpp"
#include "files.hpp"

namespace nearfar::output {

namespace {

std::uint32_t crc_of(const journal_record& r) noexcept {
  return crc32c(0, reinterpret_cast<const std::byte*>(&r) + 8, sizeof r - 8);
}

bool has_magic(const char* bytes, std::size_t count) noexcept {
  return std::memcmp(bytes, &journal_record::magic_value, std::min(count, sizeof journal_record::magic_value)) == 0;
}

std::vector<journal_record> records_in(const std::string& path, bool must_exist) {
  const std::string bytes = bytes_of_own_file(path, must_exist);
  // A power cut may have left zeros, and with several writers the first one's record may be missing.
  const std::string_view begin = std::string_view(bytes).substr(0, sizeof journal_record::magic_value);
  const bool is_hole = begin.find_first_not_of('\0') == std::string_view::npos;
  if (!is_hole && !has_magic(begin.data(), begin.size()))
    throw io_error(text(path, " is no journal of an output stream: it does not begin with NFJ1"));
  std::vector<journal_record> records(bytes.size() / sizeof(journal_record));
  if (!records.empty()) std::memcpy(records.data(), bytes.data(), records.size() * sizeof(journal_record));
  return records;
}

/// A record is written at once, its format last: where that is there, all of it was.
bool was_written(const journal_record& r) noexcept { return r.format != format_label{}; }

/// What is against the records behind the whole steps. Those of a killed program are torn, or miss some of the writers;
/// each writer's are in the order of the steps.
std::string damage_behind(const journal_contents& c, const std::vector<journal_record>& records) {
  const std::size_t first = as_size(c.end()) / sizeof(journal_record);
  const std::size_t writers = first < records.size() && records[first].is_sound() ? records[first].writers
                              : c.records.empty()                                 ? 1
                                                                                  : c.records.back().writers;
  std::vector<bool> has_ended(std::min(writers, records.size()), false);
  for (std::size_t at = first; at < records.size(); ++at) {
    const std::size_t writer = (at - first) % writers;
    const journal_record& r = records[at];
    const auto refuse = [&](const char* why) {
      return text("the record at byte ", at * sizeof r, ", of step ", c.steps() + as_index((at - first) / writers),
                  ", ", why);
    };
    if (!r.is_sound() && was_written(r)) return refuse("has another sum than when it was written");
    if (!r.is_sound()) {
      has_ended[writer] = true;
      continue;
    }
    if (has_ended[writer]) return refuse("is there, but one before it is not");
    const bool is_its = r.writer == writer && r.writers == writers &&
                        r.step == c.steps() + as_index((at - first) / writers) &&
                        (c.signature == 0 || r.signature == c.signature);
    if (!is_its) return refuse("belongs to another step or stream");
  }
  return "";
}

}  // namespace

format_label label_of(const std::string& format) noexcept {
  format_label label{};
  std::copy_n(format.begin(), std::min(format.size(), label.size()), label.begin());
  return label;
}

void journal_record::seal() noexcept { own_crc = crc_of(*this); }

bool journal_record::is_sound() const noexcept {
  return magic == magic_value && own_crc == crc_of(*this) && writers > 0 && writer < writers;
}

void journal_contents::keep(index_t steps) {
  times.resize(as_size(steps)), ends.resize(as_size(steps));
  records.resize(as_size(end()) / sizeof(journal_record));
}

std::span<const journal_record> journal_contents::records_of(index_t step) const noexcept {
  const auto place = [&](index_t s) { return s < 0 ? 0 : as_size(ends[as_size(s)]) / sizeof(journal_record); };
  return std::span(records).subspan(place(step - 1), place(step) - place(step - 1));
}

journal_contents read_journal(const std::string& path, bool must_exist) {
  return whole_steps_of(records_in(path, must_exist));
}

journal_contents whole_steps_of(std::vector<journal_record> records) {
  journal_contents c;
  for (std::size_t at = 0; at < records.size();) {
    const journal_record& first = records[at];
    if (!first.is_sound() || at + first.writers > records.size()) break;
    if (c.steps() > 0 && first.signature != c.signature) break;
    bool is_whole = true;
    for (std::size_t w = 0; w < first.writers; ++w) {
      const journal_record& r = records[at + w];
      is_whole = is_whole && r.is_sound() && r.writer == w && r.writers == first.writers && r.step == c.steps() &&
                 r.signature == first.signature;
    }
    if (!is_whole) break;
    at += first.writers;
    c.signature = first.signature;
    c.times.push_back(first.time);
    c.ends.push_back(as_index(at * sizeof(journal_record)));
  }
  c.records.assign(records.begin(), records.begin() + c.end() / as_index(sizeof(journal_record)));
  c.damage = damage_behind(c, records);
  return c;
}

void require_undamaged(const std::string& path, const journal_contents& c) {
  if (!c.damage.empty())
    throw io_error(text(path, " is damaged: ", c.damage, "; the ", c.steps(), " steps before it are whole"));
}

}  // namespace nearfar::output
